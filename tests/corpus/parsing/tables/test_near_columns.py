"""Test tables in which a wide label or cell ends close to the next column."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables.tree_notation import table_rows

PLAIN, BOLD = "Helvetica", "Helvetica-Bold"
Rows = Sequence[Sequence[str]]

DOSES = (
    ("Age or weight of the patient", "Dose", "Volume", "Repeat"),
    ("Adult", "500 micrograms", "0.5 mL", "5 min"),
    ("Child 6-12 years", "300 micrograms", "0.3 mL", "5 min"),
    ("Child under 6", "150 micrograms", "0.15 mL", "10 min"),
)
WRAPPED = (
    ("Age of the patient", "Dose", "Volume"),
    ("Adult", "500 micrograms\n(300 if small)", "0.5 mL"),
    ("Child 6-12", "300 micrograms", "0.3 mL"),
    ("Child under 6", "150 micrograms", "0.15 mL"),
)
WORDS = (
    ("Degree of the reaction", "First drug", "Where"),
    ("Mild", "Examplol by mouth", "Ward"),
    ("Severe", "Samplin by vein", "Theatre"),
    ("With shock", "Placebin by vein", "Theatre"),
)
WIDE_CELL = (
    ("Patient", "Dose", "Volume"),
    ("Adult", "500 micrograms", "0.5 mL"),
    ("Child of twelve years and over", "300 micrograms", "0.3 mL"),
    ("Child of six", "150 micrograms", "0.15 mL"),
)


def near_columns(
    rows: Rows,
    *,
    gap: float,
    size: float = 10,
    pitch: float = 1.3,
    framed: bool = True,
    by_word: bool = False,
) -> fixtures.Draw:
    """Draw bold labels above rows; the widest text of each column ends `gap` before the next.

    `pitch` is the distance of rows in font sizes. `by_word` sets each word alone, without blanks.
    """

    def font(row: int) -> str:
        return PLAIN if row else BOLD

    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, ["Call for help and give examplol at once."], y=760)
        xs = [60.0]
        for column in zip(*rows, strict=True):
            texts = [
                (line, font(at)) for at, cell in enumerate(column) for line in cell.split("\n")
            ]
            wide = max(stringWidth(text, name, size) for text, name in texts)
            xs.append(xs[-1] + wide + (gap if len(xs) == 1 else 40))
        y = top = 720.0
        for at, row in enumerate(rows):
            canvas.setFont(font(at), size)
            for x, cell in zip(xs, row, strict=False):
                for line, text in enumerate(cell.split("\n")):
                    _write(canvas, x, y - 1.15 * size * line, text, by_word=by_word)
            more = max(cell.count("\n") for cell in row)
            y -= (pitch + 1.15 * more) * size
        if framed:
            bottom = y + (pitch - 0.8) * size
            canvas.rect(54, bottom, xs[-1] - 54, top + 1.4 * size - bottom)
        fixtures.write_lines(canvas, ["Keep the patient flat and give oxygen."], y=y - 30)

    def _write(canvas: Canvas, x: float, y: float, text: str, *, by_word: bool) -> None:
        for word in text.split() if by_word else [text]:
            canvas.drawString(x, y, word)
            x += canvas.stringWidth(word + " ")

    return draw


def as_printed(rows: Rows) -> str:
    lines = [" | ".join(cell.replace("\n", " ") for cell in row) for row in rows]
    return "\n".join(f"  {'|' if at else '='} {line}" for at, line in enumerate(lines))


@pytest.mark.parametrize("by_word", [False, True])
@pytest.mark.parametrize("framed", [True, False])
@pytest.mark.parametrize(("size", "pitch"), [(10, 1.3), (8, 1.6), (12, 1.2)])
@pytest.mark.parametrize("gap", [2, 4, 7])
@pytest.mark.parametrize("rows", [DOSES, [row[:3] for row in DOSES], WRAPPED, WIDE_CELL])
def test_a_wide_cell_takes_no_values_from_the_next_column(
    rows: Rows, gap: float, size: float, pitch: float, *, framed: bool, by_word: bool,
    tmp_path: Path,
) -> None:  # fmt: skip
    draw = near_columns(rows, gap=gap, size=size, pitch=pitch, framed=framed, by_word=by_word)

    page = fixtures.read_page(tmp_path, draw)

    (table,) = [block.table for block in page.blocks if block.table]
    assert table_rows(table.cells) == as_printed(rows)


@pytest.mark.parametrize("gap", [2, 4, 7])
@pytest.mark.parametrize("rows", [WORDS, *([row[:2] for row in rows] for rows in (DOSES, WORDS))])
def test_a_wide_label_in_a_frame_is_no_group_of_the_rows_below(
    rows: Rows, gap: float, tmp_path: Path
) -> None:
    page = fixtures.read_page(tmp_path, near_columns(rows, gap=gap))

    (table,) = [block.table for block in page.blocks if block.table]
    assert table_rows(table.cells) == as_printed(rows)
