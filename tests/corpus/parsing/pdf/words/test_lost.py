"""A sign that PDFium gives no character for is read by its print, or marked and doubted."""

from pathlib import Path

import pytest
from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.clean import UNREADABLE
from corpus.parsing.types import Page
from tests.corpus.parsing import parsing_fixtures as fixtures

NAMELESS = 0xFFFE
PROSE = ["Ask the pharmacist before the first dose, and write it down for the ward."] * 4


def _read(
    folder: Path, patch: pytest.MonkeyPatch, lost: str, *, font: str = "Vera", turn: int = 0
) -> Page:
    """Read `CrCl {lost} mL/min`, of which `lost` is a text object without characters."""
    written = ttfonts.makeToUnicodeCMap

    def nameless(name: str, subset: list[int]) -> str:
        named = name.endswith("Prose")
        return str(written(name, subset if named else [NAMELESS] * len(subset)))

    patch.setattr(ttfonts, "makeToUnicodeCMap", nameless)
    pdfmetrics.registerFont(ttfonts.TTFont("Lost", f"{font}.ttf"))

    def draw(canvas: Canvas) -> None:
        fixtures.write_lines(canvas, PROSE, y=760)
        canvas.drawString(60, 680, "Halve it at CrCl")
        left = 64 + canvas.stringWidth("Halve it at CrCl")
        canvas.saveState()
        canvas.setFont("Lost", 11)
        wide = canvas.stringWidth(lost, "Lost", 11)
        canvas.translate(left + wide / 2, 684)
        canvas.rotate(turn)
        canvas.drawString(-wide / 2, -4, lost)
        canvas.restoreState()
        canvas.drawString(left + wide + 4, 680, "30 mL/min or less.")

    (page,) = fixtures.read_pdf(folder, draw).pages
    return page


@pytest.mark.parametrize("font", ["Vera", "VeraBd", "VeraIt"])
@pytest.mark.parametrize("sign", ["≤", "≥", "±"])
def test_a_sign_that_can_be_no_other_is_read_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: str, font: str
) -> None:
    page = _read(tmp_path, monkeypatch, sign, font=font)
    assert f"Halve it at CrCl {sign} 30 mL/min or less." in page.text
    codes = [doubt.code for doubt in page.doubts]
    assert codes.count("signs_mended") == 1
    assert not {"sign_unreadable", "sign_misread"} & set(codes)


@pytest.mark.parametrize(
    ("lost", "turn"),
    [
        ("<", 0),  # as the head of an arrow
        (">", 0),  # as a bullet
        ("=", 0),
        ("–", 0),
        ("−", 0),
        ("-", 0),
        ("5", 0),
        ("≤ 5", 0),  # a number is lost with it
        ("≥2", 0),
        ("≤", 180),
        ("≥", 20),
    ],
)
def test_what_may_be_something_else_stays_marked_and_doubted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str, turn: int
) -> None:
    page = _read(tmp_path, monkeypatch, lost, turn=turn)
    assert f"CrCl {UNREADABLE} 30 mL/min" in page.text
    assert {"sign_unreadable", "sign_misread"} <= {doubt.code for doubt in page.doubts}
