"""The baseline of a digit decides whether it belongs to the number before it, never its size."""

from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from core.language.en.quantities.matching import held, not_held
from corpus.parsing.geometry import Word
from corpus.parsing.layout.runs import Line, raise_text
from corpus.parsing.types import Page
from tests.corpus.parsing import parsing_fixtures as fixtures

Part = tuple[str, float, float]  # text, size and rise


def _read(folder: Path, *lines: list[Part], font: str = "Helvetica") -> Page:
    def draw(canvas: Canvas) -> None:
        for number, parts in enumerate(lines):
            x = 60.0
            for said, size, rise in parts:
                canvas.setFont(font, size)
                canvas.drawString(x, A4[1] - 80 - 20 * number + rise, said)
                x += canvas.stringWidth(said, font, size)

    return fixtures.read_page(folder, draw)


@pytest.mark.parametrize("font", ["Helvetica", "Times-Roman", "Courier-Bold"])
@pytest.mark.parametrize(
    ("size", "rise"), [(6, 4), (9, 2), (10, 3), (8, 1.5)], ids=["small", "hardly", "same", "low"]
)
def test_a_raised_digit_is_a_mark_whatever_its_size(
    tmp_path: Path, size: float, rise: float, font: str
) -> None:
    page = _read(tmp_path, [("Give 5", 10, 0), ("2", size, rise), (" mg daily.", 10, 0)], font=font)
    assert page.text == "Give 5² mg daily."
    assert "raised_unsure" not in [doubt.code for doubt in page.doubts]
    assert not not_held("Give 5 mg daily", held((page.text,)))
    assert not_held("Give 52 mg daily", held((page.text,)))


def test_a_power_that_is_hardly_smaller_is_a_power(tmp_path: Path) -> None:
    page = _read(tmp_path, [("Stop below 2 x 10", 10, 0), ("9", 9, 2), ("/L in adults.", 10, 0)])
    assert page.text == "Stop below 2 x 10⁹/L in adults."
    assert not not_held("Stop below 2 × 10⁹/L", held((page.text,)))
    assert not_held("Stop below 2 × 109/L", held((page.text,)))


@pytest.mark.parametrize("sign", ["-", "–"])
@pytest.mark.parametrize("size", [7, 10])
def test_a_raised_minus_is_that_of_a_power(tmp_path: Path, sign: str, size: float) -> None:
    page = _read(
        tmp_path, [("Dilute to 2 x 10", 10, 0), (f"{sign}3", size, 3.5), (" mol/L first.", 10, 0)]
    )
    assert page.text == "Dilute to 2 x 10⁻³ mol/L first."
    assert not not_held("Dilute to 0.002 mol/L", held((page.text,)))


@pytest.mark.parametrize(("base", "read"), [(78.0, "kg⁻¹"), (81.8, "kg−1")])
def test_a_minus_of_another_font_is_raised_by_its_baseline(base: float, read: str) -> None:
    """The box of a font of signs may reach as far down as the text's."""
    words = (
        Word("kg", (60.0, 75.0, 72.0, 83.8), 8.5, base=81.8),
        Word("−", (72.0, 73.6, 77.0, 83.4), 6.0, base=base),
        Word("1", (77.0, 73.7, 80.0, 79.3), 6.0, base=base),
    )
    assert Line(words).text == read


def test_a_raised_unit_and_a_lowered_digit_are_read_as_before(tmp_path: Path) -> None:
    raised, lowered = ("2", 10.0, 3.0), ("2", 7.0, -2.0)
    said = [(text, 10.0, 0.0) for text in ("Give 75 mg/m", " if SpO", " is 92%.")]
    page = _read(tmp_path, [said[0], raised, said[1], lowered, said[2]])
    assert page.text == "Give 75 mg/m² if SpO2 is 92%."
    assert "raised_unsure" not in [doubt.code for doubt in page.doubts]


@pytest.mark.parametrize(("size", "rise"), [(10, 0.6), (9, 0), (9, 0.8)])
def test_what_cannot_be_told_is_doubted_at_its_line(
    tmp_path: Path, size: float, rise: float
) -> None:
    page = _read(
        tmp_path,
        [("Zinc in wounds.", 10, 0)],
        [("Give 5", 10, 0), ("2", size, rise), (" mg daily.", 10, 0)],
    )
    (doubt,) = (doubt for doubt in page.doubts if doubt.code == "raised_unsure")
    assert page.text[doubt.start : doubt.end] == "Give 52 mg daily."


def test_a_note_begins_with_its_mark_not_with_a_number(tmp_path: Path) -> None:
    page = _read(
        tmp_path,
        [("Give ciclosporin 10", 10, 0), ("1", 6, 4), (" daily.", 10, 0)],
        [("1", 6, 4), ("mg/kg in two doses.", 10, 0)],
    )
    assert "10¹ daily." in page.text
    assert "¹mg/kg in two doses." in page.text
    assert not_held("1 mg/kg in two doses", held((page.text,)))


@pytest.mark.parametrize("gap", [1.5, 2.5])
def test_a_second_mark_behind_a_blank_is_no_number_of_the_text(gap: float) -> None:
    words = (
        Word("calories", (60.0, 75.0, 98.0, 85.0), 10.0, base=82.5),
        Word("165", (98.0, 72.0, 108.0, 78.0), 6.0, base=78.0),
        Word("166", (108.0 + gap, 72.0, 118.0 + gap, 78.0), 6.0, base=78.0),
        Word("than", (122.0 + gap, 75.0, 140.0 + gap, 85.0), 10.0, base=82.5),
        Word("20", (143.0 + gap, 75.0, 154.0 + gap, 85.0), 10.0, base=82.5),
    )
    assert Line(words).text == "calories¹⁶⁵ ¹⁶⁶ than 20"


@pytest.mark.parametrize(("size", "rise"), [(6, 4), (6, 2), (10, 3)])
@pytest.mark.parametrize("numbers", [("165", "166"), ("9", "10"), ("3", "12", "14")])
def test_raised_numbers_that_touch_are_several_marks(
    tmp_path: Path, numbers: tuple[str, ...], size: float, rise: float
) -> None:
    marks = [(number, size, rise) for number in numbers]
    page = _read(tmp_path, [("fewer calories", 10, 0), *marks, (" than 20 g a day", 10, 0)])
    raised = " ".join(filter(None, map(raise_text, numbers)))
    assert page.text == f"fewer calories{raised} than 20 g a day"
    assert not_held("fewer calories than 166 g", held((page.text,)))


def test_digits_of_one_raised_number_stay_together(tmp_path: Path) -> None:
    digits = [(digit, 6.0, 4.0) for digit in "165"]
    page = _read(tmp_path, [("fewer calories", 10, 0), *digits, (" than 20", 10, 0)])
    assert page.text == "fewer calories¹⁶⁵ than 20"


@pytest.mark.parametrize("before", ["Give 5 mg", "Give zinc"])
def test_a_small_mark_behind_a_blank_is_no_number(tmp_path: Path, before: str) -> None:
    page = _read(tmp_path, [(f"{before} ", 10, 0), ("12", 6, 4), (" every day", 10, 0)])
    assert page.text == f"{before} ¹² every day"


def test_a_raised_number_behind_a_number_and_a_blank_may_be_a_fraction(tmp_path: Path) -> None:
    page = _read(tmp_path, [("Give 2 ", 10, 0), ("1", 6, 4), ("/2 tablets", 10, 0)])
    assert "¹" not in page.text


@pytest.mark.parametrize("rise", [0.6, 0.8, 1.0])
def test_a_small_digit_that_is_hardly_raised_is_no_part_of_a_number(
    tmp_path: Path, rise: float
) -> None:
    page = _read(tmp_path, [("Give 5", 10, 0), ("12", 6, rise), (" mg daily.", 10, 0)])
    assert page.text == "Give 5¹² mg daily."
    assert "raised_unsure" in [doubt.code for doubt in page.doubts]


def test_a_small_digit_on_the_line_is_doubted(tmp_path: Path) -> None:
    page = _read(tmp_path, [("Give 5", 10, 0), ("12", 7, 0), (" mg daily.", 10, 0)])
    assert "raised_unsure" in [doubt.code for doubt in page.doubts]
