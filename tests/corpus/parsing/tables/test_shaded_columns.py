"""Test tables whose columns are told apart by shades, each one box over all rows."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.doubts.grades import Grade, grade_of
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables.table_fixtures import GRID, draw_table
from tests.corpus.parsing.tables.tree_notation import table_rows

LABELS = ("Weight", "5 kg", "10 kg", "20 kg", "30 kg", "40 kg")
DOSES = (
    ("Examplol mg", "4", "8", "16", "24", "32"),
    ("Samplin mL", "2", "4", "8", "12", "16"),
    ("Placebin mg", "1.3", "2.6", "5.3", "8", "10.6"),
    ("Otherin mg", "-", "8", "16", "24", "32"),
    ("Fluid mL", "50", "100", "200", "300", "400"),
)
BLUE, SAND = colors.Color(0.8, 0.88, 0.95), colors.Color(0.95, 0.95, 0.8)


def shaded(
    *,
    first: int = 1,
    every: int = 2,
    others: bool = False,
    gap: float = 0.0,
    rows: int = len(DOSES),
    pitch: float = 18,
    size: float = 10,
    width: float = 60,
    align: str = "left",
    turned: bool = False,
    levels: str = "none",
    labels_shaded: bool = True,
    bold: bool = True,
) -> fixtures.Draw:
    """Draw doses by weight; a box shades each column that `first` and `every` name.

    With `others` the rest have boxes of another colour. `gap` is white between boxes. `levels`
    says where level rules are drawn: nowhere, or only in the columns without a shade.
    """

    def draw(canvas: Canvas) -> None:
        table = [LABELS, *DOSES[:rows]]
        canvas.saveState()
        top, left = (400.0, 0.0) if turned else (700.0, 60.0)
        if turned:
            canvas.translate(500, 80)
            canvas.rotate(90)
        foot = top - pitch * len(table)
        xs = [left, *(left + 110 + width * at for at in range(len(LABELS)))]
        for at, (start, end) in enumerate(itertools.pairwise(xs)):
            is_shaded = at >= first and (at - first) % every == 0
            if is_shaded or others:
                canvas.setFillColor(BLUE if is_shaded else SAND)
                high = top - foot if labels_shaded else top - foot - pitch
                canvas.rect(start + gap, foot, end - start - 2 * gap, high, stroke=0, fill=1)
            for row in range(len(table) + 1) if levels == "plain" and not is_shaded else ():
                canvas.line(start, top - pitch * row, end, top - pitch * row)
        canvas.setFillColor(colors.black)
        for row, cells in enumerate(table):
            canvas.setFont("Helvetica-Bold" if bold and not row else "Helvetica", size)
            y = top - pitch * (row + 1) + 5
            for at, cell in enumerate(cells):
                start, end = xs[at] + 5, xs[at + 1] - 5
                if align == "left" or not at:
                    canvas.drawString(start, y, cell)
                elif align == "right":
                    canvas.drawRightString(end, y, cell)
                else:
                    canvas.drawCentredString((start + end) / 2, y, cell)
        canvas.restoreState()

    return draw


def rows_of(count: int = len(DOSES), *, sign: str = "=") -> str:
    rows = [" | ".join(cells) for cells in (LABELS, *DOSES[:count])]
    return "\n".join(f"  {'|' if at else sign} {row}" for at, row in enumerate(rows))


SHADES: dict[str, dict[str, Any]] = {
    "every second": {},
    "from the first": {"first": 0},
    "the even ones": {"first": 2},
    "every third": {"every": 3},
    "two colours": {"others": True},
    "white between": {"others": True, "gap": 2},
    "narrow": {"width": 32},
    "small": {"size": 7, "pitch": 11, "width": 40},
    "tall": {"size": 12, "pitch": 30},
    "few rows": {"rows": 3},
    "right": {"align": "right"},
    "centred": {"align": "centre"},
    "labels above the shades": {"labels_shaded": False},
    "rules beside the shades": {"levels": "plain"},
    "rules beside shades from the first": {"levels": "plain", "first": 0},
    "rules between two colours": {"levels": "plain", "others": True},
}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", SHADES)
def test_a_shade_over_many_rows_is_no_cell(name: str, tmp_path: Path, *, turned: bool) -> None:
    page = fixtures.read_page(tmp_path, shaded(**SHADES[name], turned=turned))

    (table,) = [block.table for block in page.blocks if block.table]
    assert table_rows(table.cells) == rows_of(SHADES[name].get("rows", len(DOSES)))
    assert "words_not_found" not in {doubt.code for doubt in page.doubts}


def test_a_shaded_box_of_short_lines_beside_prose_stays_a_box(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFillColor(BLUE)
        canvas.rect(380, 632, 150, 82, stroke=0, fill=1)
        canvas.setFillColor(colors.black)
        fixtures.write_lines(canvas, fixtures.LEFT, size=8, y=700)
        fixtures.write_lines(canvas, ["Call for help", "Give oxygen", "Lay flat"], x=390, size=8)

    page = fixtures.read_page(tmp_path, draw)

    assert not any(block.table for block in page.blocks)
    assert "Call for help Give oxygen Lay flat" in page.text


def test_words_over_ruled_rows_stay_in_one_cell(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for at in range(4):
            canvas.line(60, 700 - 14 * at, 260, 700 - 14 * at)
        for x in (60, 160, 260, 400):
            canvas.line(x, 700, x, 658)
        canvas.line(260, 700, 400, 700)
        canvas.line(260, 658, 400, 658)
        columns = ("Adult", "Child", "Infant"), ("20 mg", "10 mg", "5 mg")
        for x, texts in (
            (65, columns[0]),
            (165, columns[1]),
            (265, ("Through a", "Large", "Vein")),
        ):
            for at, text in enumerate(texts):
                fixtures.write_lines(canvas, [text], x=x, y=690 - 14 * at)

    page = fixtures.read_page(tmp_path, draw)

    (table,) = [block.table for block in page.blocks if block.table]
    assert [cell.text for cell in table.cells if cell.rows == 3] == ["Through a Large Vein"]


@pytest.mark.parametrize(
    ("rows", "doubted"),
    [
        ([["Adult", "20 mg          40 mg"], ["Child", "10 mg          20 mg"]], True),
        ([["Adult", "20 mg"], ["Child", "10 mg"]], False),
        ([["Adult", "20 mg\n40 mg"], ["Child", "10 mg\n20 mg"]], False),
        ([["Adult", "20 mg          once a day"], ["Child", "10 mg          once a day"]], False),
    ],
)
def test_values_apart_in_one_cell_are_a_doubt_about_a_value(
    rows: list[list[str]], *, doubted: bool, tmp_path: Path
) -> None:
    def draw(canvas: Canvas) -> None:
        draw_table(canvas, [["Age", "Dose"], *rows], widths=[90, 200], top=700, style=[GRID])

    page = fixtures.read_page(tmp_path, draw)

    assert ("values_in_one_cell" in {doubt.code for doubt in page.doubts}) is doubted
    assert grade_of("values_in_one_cell") is Grade.VALUE


@pytest.mark.parametrize(
    ("most", "doubted"),
    [
        ("4 g\n2 g", True),
        ("5 mg\n–", True),
        ("–\n–", True),
        ("2+\n3+", True),
        ("> 4 weeks to\n< 15 years", False),
        ("> 4 weeks to <\n15 years", False),
        ("5 mg or\n10 mg", False),
    ],
)
def test_values_of_two_rows_in_one_cell_are_a_doubt_but_no_broken_range(
    most: str, *, doubted: bool, tmp_path: Path
) -> None:
    rows = [["Age", "Dose", "Most"], ["Adult", "20 mg", most], ["Child", "10 mg", ""]]
    style = [GRID, ("SPAN", (2, 1), (2, 2))]

    page = fixtures.read_page(
        tmp_path, lambda canvas: draw_table(canvas, rows, widths=[90] * 3, top=700, style=style)
    )

    (table,) = [block.table for block in page.blocks if block.table]
    assert [row.cells[2] for row in table.rows] == [most.replace("\n", " ")] * 2
    assert ("values_in_one_cell" in {doubt.code for doubt in page.doubts}) is doubted
