"""Blanks of text whose font prints none are told by the gaps between its letters."""

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.corpus.parsing import parsing_fixtures as fixtures

LINES = (
    "Positive findings on the internal examination of 12 women",
    "mean that paracetamol 1000 mg or 0.25 g of it in 24 hours is due",
)


def _by_array(canvas: Canvas, gap: float, size: float) -> None:
    """Draw lines as TeX does: words in one array, with numbers for the gaps."""
    name = canvas._fontname
    assert name == "Helvetica"
    for row, line in enumerate(LINES):
        words = f" {-1000 * gap:.0f} ".join(f"({word})" for word in line.split())
        at = f"1 0 0 1 60 {700 - 1.2 * size * row} Tm"
        canvas._code.append(f"BT /F1 {size} Tf {at} [{words}] TJ ET")


def _by_word(canvas: Canvas, gap: float, size: float) -> None:
    canvas.setFont("Helvetica", size)
    for row, line in enumerate(LINES):
        x = 60.0
        for word in line.split():
            canvas.drawString(x, 700 - 1.2 * size * row, word)
            x += canvas.stringWidth(word, "Helvetica", size) + gap * size


def _by_letter(canvas: Canvas, gap: float, size: float, *, spacing: float = 0.0) -> None:
    canvas.setFont("Helvetica", size)
    for row, line in enumerate(LINES):
        x = 60.0
        for letter in line:
            if letter == " ":
                x += gap * size
                continue
            canvas.drawString(x, 700 - 1.2 * size * row, letter)
            x += canvas.stringWidth(letter, "Helvetica", size) + spacing * size


@pytest.mark.parametrize("gap", [0.08, 0.1, 0.12, 0.15, 0.2, 0.28])
@pytest.mark.parametrize("draw", [_by_array, _by_word, _by_letter])
@pytest.mark.parametrize("size", [8, 11])
def test_gaps_are_blanks_where_the_font_prints_none(
    tmp_path: Path, draw: object, gap: float, size: float
) -> None:
    assert callable(draw)
    page = fixtures.read_page(tmp_path, lambda canvas: draw(canvas, gap, size))
    assert page.text == " ".join(LINES)


def test_letters_that_are_set_apart_are_no_words(tmp_path: Path) -> None:
    page = fixtures.read_page(tmp_path, lambda canvas: _by_letter(canvas, 0.25, 10, spacing=0.06))
    assert page.text == " ".join(LINES)


@pytest.mark.parametrize("apart", [0.05, 0.08, 0.12])
def test_a_name_with_one_loose_pair_stays_whole_where_blanks_are_printed(
    tmp_path: Path, apart: float
) -> None:
    def draw(canvas: Canvas) -> None:
        at = "BT /F1 10 Tf 1 0 0 1 60 {} Tm [{}] TJ ET"
        first = f"(Give para) {-1000 * apart} (cetamol 1) {-1000 * apart} (000 mg to all) "
        canvas._code.append(at.format(700, first))
        canvas._code.append(at.format(688, "(of the women on the ward who ask for it now.)"))

    assert "Give paracetamol 1000 mg to all" in fixtures.read_page(tmp_path, draw).text


@pytest.mark.parametrize("number", ["1 000", "12 500", "0. 25", "10 - 20"])
def test_a_number_with_a_gap_is_not_parted(tmp_path: Path, number: str) -> None:
    """A thin blank between thousands is as wide as one between words may be."""
    text = (
        f"give him {number.replace(' ', '~')} units of it on the day and one more on the next day"
    )

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        x = 60.0
        for letter in text:
            if letter in " ~":
                x += 1.2
                continue
            canvas.drawString(x, 700, letter)
            x += canvas.stringWidth(letter, "Helvetica", 10)

    read = fixtures.read_page(tmp_path, draw).text
    assert read == text.replace("~", "")
