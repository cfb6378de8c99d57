"""A digit that its font names as a blank is told by its ink, and doubted."""

from pathlib import Path

import pytest
from reportlab.lib import colors
from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.doubts.grades import Grade
from tests.corpus.parsing import parsing_fixtures as fixtures

UNREADABLE = "sign_unreadable"
FONT = "Vera"


@pytest.fixture
def nine_is_blank(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the font say that its 9 is a blank."""
    written = ttfonts.makeToUnicodeCMap
    monkeypatch.setattr(
        ttfonts,
        "makeToUnicodeCMap",
        lambda name, subset: written(name, [32 if code == ord("9") else code for code in subset]),
    )


def _write(canvas: Canvas, lines: list[str], *, stretched: float = 0, turn: int = 0) -> None:
    pdfmetrics.registerFont(ttfonts.TTFont(FONT, f"{FONT}.ttf"))
    if turn:
        canvas.translate(600, 0)
        canvas.rotate(turn)
    text = canvas.beginText(60, 500)
    text.setFont(FONT, 10)
    text.setWordSpace(stretched)
    text.setLeading(20)
    for line in lines:
        text.textLine(line)
    canvas.drawText(text)


@pytest.mark.parametrize("turn", [0, 90])
@pytest.mark.usefixtures("nine_is_blank")
def test_a_digit_that_is_named_as_a_blank_is_marked(tmp_path: Path, turn: int) -> None:
    lines = [
        "Come at months 3, 6, 9, 12 and 15.",
        "Children (9 years) and adults.",
        "Give 95 mg to all of them.",
        "Give 19 mg to some of them.",
        "Nothing is lost on this line.",
    ]
    page = fixtures.read_page(tmp_path, lambda canvas: _write(canvas, lines, turn=turn))
    assert page.text.replace("\n", " ") == " ".join(lines).replace("9", "[…]")
    doubted = [doubt for doubt in page.doubts if doubt.code == UNREADABLE]
    assert doubted and all(doubt.grade is Grade.VALUE for doubt in doubted)


@pytest.mark.parametrize("stretched", [0, 5])
def test_a_wide_blank_is_empty_whatever_is_drawn_along_or_across_it(
    tmp_path: Path, stretched: float
) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFillColor(colors.lightgrey)
        canvas.rect(50, 470, 100, 20, stroke=0, fill=1)
        canvas.setFillColor(colors.black)
        _write(canvas, ["Give 9 mg of fine salt, 3 times"] * 4, stretched=stretched)
        canvas.line(60, 498, 300, 498)  # an underline
        canvas.setLineWidth(2)
        for x in range(60, 300, 7):
            canvas.line(x, 400, x, 600)  # rules of columns

    page = fixtures.read_page(tmp_path, draw)
    assert UNREADABLE not in {doubt.code for doubt in page.doubts}
