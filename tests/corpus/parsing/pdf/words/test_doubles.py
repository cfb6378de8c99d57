"""Text that is painted twice, for weight or as a shadow, is read once."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas

from tests.corpus.parsing import parsing_fixtures as fixtures

LINES = ("Laboratory investigations in 11 patients 2 2 mg", "Give 22 mg, then 0.11 mg more.")
SHIFTS = [(0, 0), (0.3, 0), (0.5, 0.5), (1, 1), (2, 1)]
Part = tuple[str, float, float]
Cut = Callable[[Canvas], Iterator[list[Part]]]


def _whole(canvas: Canvas) -> Iterator[list[Part]]:
    yield [(line, 60, 700 - 14 * row) for row, line in enumerate(LINES)]


def _by_line(canvas: Canvas) -> Iterator[list[Part]]:
    for row, line in enumerate(LINES):
        yield [(line, 60, 700 - 14 * row)]


def _words_of_a_line(canvas: Canvas) -> Iterator[list[Part]]:
    for row, line in enumerate(LINES):
        words, x = [], 60.0
        for word in line.split():
            words.append((word, x, 700 - 14.0 * row))
            x += canvas.stringWidth(f"{word} ", "Helvetica", 10)
        yield words


def _letters_of_a_line(canvas: Canvas) -> Iterator[list[Part]]:
    for words in _words_of_a_line(canvas):
        letters = []
        for word, start, y in words:
            x = start
            for letter in word:
                letters.append((letter, x, y))
                x += canvas.stringWidth(letter, "Helvetica", 10)
        yield letters


def _letters(canvas: Canvas) -> Iterator[list[Part]]:
    yield [part for line in _letters_of_a_line(canvas) for part in line]


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("cut", [_whole, _by_line, _words_of_a_line, _letters_of_a_line, _letters])
@pytest.mark.parametrize("times", [2, 3])
def test_a_copy_is_dropped_and_repeated_digits_stay(
    tmp_path: Path, cut: Cut, shift: tuple[float, float], times: int
) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for parts in cut(canvas):
            for copy in range(times):
                step = copy / (times - 1)
                for text, x, y in parts:
                    canvas.drawString(x + step * shift[0], y - step * shift[1], text)

    assert fixtures.read_page(tmp_path, draw).text == " ".join(LINES)


def test_a_copy_over_what_hid_the_first_is_read(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, ["Another line of this page."], y=740)
        for _ in range(2):
            canvas.setFillColor(colors.white)
            canvas.rect(50, 680, 400, 40, fill=1, stroke=0)
            canvas.setFillColor(colors.black)
            fixtures.write_lines(canvas, LINES[:1], y=700)

    assert fixtures.read_page(tmp_path, draw).text == f"Another line of this page.\n{LINES[0]}"


@pytest.mark.parametrize("text", ["11", "111", "2 2 mg", "ill", "1.11", "llll", "5 mg 5 mg"])
@pytest.mark.parametrize("font", ["Helvetica", "Times-Roman", "Courier"])
def test_what_repeats_beside_itself_is_no_copy(tmp_path: Path, text: str, font: str) -> None:
    def draw(canvas: Canvas) -> None:
        x = 60.0
        for letter in f"Give {text} now.":
            canvas.setFont(font, 10)
            canvas.drawString(x, 700, letter)
            x += 0.85 * canvas.stringWidth(letter, font, 10)

    read = fixtures.read_page(tmp_path, draw).text
    assert "".join(read.split()) == f"Give{''.join(text.split())}now."


def test_two_lines_that_share_letters_are_doubted_not_thinned_out(tmp_path: Path) -> None:
    one, other = "Give 5 mg once a day to adults", "Give 8 mg once a day to adults"
    page = fixtures.read_page(tmp_path, fixtures.at(700, one), fixtures.at(699, other))

    assert one in page.text
    assert "8" in page.text
    assert page.doubts
