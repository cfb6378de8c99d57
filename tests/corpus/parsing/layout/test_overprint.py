"""Test that close or overprinted lines are never merged into one."""

from functools import partial
from pathlib import Path

import pytest
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.layout.doubts import OVERPRINTED
from tests.corpus.parsing import parsing_fixtures as fixtures

DOSES = ("0.2 ml", "0.3 ml", "0.6 ml", "0.8 ml")
NOTES = (
    "1. Respirations during a seizure should be considered as",
    "ineffective, and the airway is to be kept open.",
    "2. Be prepared for a second seizure.",
    "3. Ask for help early.",
)


def _staggered_cells(canvas: Canvas) -> None:
    """Draw cells of three lines beside cells of two and of one, all centred vertically."""
    columns = ((65, 700, ("Diazepam", "(5 mg/ml)", "0.5 mg/kg")), (130, 694.5, ("0.15", "ml")))
    canvas.setFont("Helvetica", 10)
    for x, top, lines in columns:
        for row, line in enumerate(lines):
            canvas.drawString(x, top - 11 * row, line)
    for at, dose in enumerate(DOSES):
        canvas.drawString(180 + 60 * at, 689, dose)


def test_cells_set_at_different_heights_are_not_woven(tmp_path: Path) -> None:
    (page,) = fixtures.read_pdf(tmp_path, _staggered_cells).pages

    assert "(5 mg/ml)" in page.text
    assert "0.5 mg/kg" in page.text
    assert all(dose in page.text for dose in DOSES)


def _table(canvas: Canvas) -> None:
    canvas.setStrokeColor(colors.black)
    canvas.grid([60, 140, 220, 300, 380], [640, 665, 690])
    for row, y in enumerate((673, 648)):
        for column in range(4):
            fixtures.write_lines(canvas, [f"{row + 1}.{column} ml"], x=70 + 80 * column, y=y)


def test_a_bar_at_its_side_makes_a_table_no_longer(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        _table(canvas)
        canvas.setFillColor(colors.lightblue)
        canvas.rect(380, 100, 60, 590, fill=1, stroke=0)
        canvas.setFillColor(colors.black)
        fixtures.write_lines(canvas, NOTES, y=600)

    (page,) = fixtures.read_pdf(tmp_path, draw).pages

    table, *items = [page.text[block.start : block.end] for block in page.blocks]
    assert table.splitlines() == [
        " | ".join(f"{row}.{column} ml" for column in range(4)) for row in (1, 2)
    ]
    assert items == [" ".join(NOTES[:2]), *NOTES[2:]]


ONE = "Give 5 mg once a day to adults of any age."
OTHER = "Not for children; ask a specialist first."


def _over_each_other(canvas: Canvas, *, shift: float) -> None:
    fixtures.write_lines(canvas, ["This line stands by itself above the others."], y=730)
    canvas.drawString(60, 700, ONE)
    canvas.drawString(60 + shift, 699, OTHER)


def _word_by_word(canvas: Canvas, *, shift: float) -> None:
    for text, at, font in ((ONE, 60.0, "Helvetica"), (OTHER, 60 + shift, "Times-Roman")):
        canvas.setFont(font, 10)
        for word in text.split():
            canvas.drawString(at, 700, word)
            at += canvas.stringWidth(word + " ")


@pytest.mark.parametrize("shift", [0.0, 4.0, 17.0, 40.0])
def test_lines_printed_over_each_other_are_read_one_by_one_and_doubted(
    shift: float, tmp_path: Path
) -> None:
    (page,) = fixtures.read_pdf(tmp_path, partial(_over_each_other, shift=shift)).pages

    assert ONE in page.text
    assert OTHER in page.text
    assert OVERPRINTED.code in [doubt.code for doubt in page.doubts]


@pytest.mark.parametrize("shift", [0.0, 4.0, 17.0, 40.0])
def test_words_printed_over_each_other_are_doubted(shift: float, tmp_path: Path) -> None:
    (page,) = fixtures.read_pdf(tmp_path, partial(_word_by_word, shift=shift)).pages

    assert OVERPRINTED.code in [doubt.code for doubt in page.doubts]
