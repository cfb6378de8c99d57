"""Bullets and ticks of sign fonts are bullets and ticks, whatever letters they stand for."""

from pathlib import Path

import pytest
from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.clean import symbol_text
from corpus.parsing.types import Page
from tests.corpus.parsing import parsing_fixtures as fixtures

STOPS = {"sign_misnamed", "sign_unreadable", "sign_misread"}


def _read(
    folder: Path, patch: pytest.MonkeyPatch, face: str, read_as: dict[str, str], *lines: str
) -> Page:
    """Read a page whose lines begin with a sign of the font `face`, named as `read_as` says."""
    written = ttfonts.makeToUnicodeCMap
    codes = {ord(sign): ord(other) for sign, other in read_as.items()}
    patch.setattr(
        ttfonts,
        "makeToUnicodeCMap",
        lambda name, subset: written(name, [codes.get(code, code) for code in subset]),
    )
    font = ttfonts.TTFont(f"A{face}", "VeraBd.ttf")
    font.face.name = face.encode()
    pdfmetrics.registerFont(font)

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        canvas.drawString(60, 700, "Zinc is given to adults who heal badly:")
        for at, line in enumerate(lines):
            canvas.setFont(f"A{face}", 10)
            canvas.drawString(72, 680 - 14 * at, line[0])
            canvas.setFont("Helvetica", 10)
            canvas.drawString(90, 680 - 14 * at, line[1:].strip())

    (page,) = fixtures.read_pdf(folder, draw).pages
    return page


@pytest.mark.parametrize(
    ("face", "name"),
    [
        ("Wingdings3", "\uf07d"),
        ("Wingdings-Regular", "\uf0a7"),
        ("Wingdings-Regular", "l"),
        ("Wingdings2", "\uf097"),
        ("MonotypeSorts", "n"),
        ("ZapfDingbats", "\uf06c"),
        ("ZapfDingbats", "u"),
        ("Wingdings3", "u"),
    ],
)
def test_a_bullet_before_a_number_is_a_bullet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, face: str, name: str
) -> None:
    lines = ["§ 5 mg daily in adults.", "§ 10 mg daily in the obese."]
    page = _read(tmp_path, monkeypatch, face, {"§": name}, *lines)
    blocks = fixtures.block_texts(page)[1:]
    assert blocks == [("list_item", line.removeprefix("§ ")) for line in lines]
    assert not STOPS & {doubt.code for doubt in page.doubts}


@pytest.mark.parametrize(
    ("face", "name", "sign"),
    [
        ("Wingdings2", "P", "✓"),
        ("Wingdings2", "\uf04f", "✗"),
        ("ZapfDingbats", "3", "✓"),
        ("MonotypeSorts", "4", "✔"),
        ("Wingdings-Regular", "ü", "✓"),
    ],
)
def test_a_tick_is_a_tick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, face: str, name: str, sign: str
) -> None:
    page = _read(tmp_path, monkeypatch, face, {"§": name}, "§ 5 mg daily in adults.")
    assert f"{sign} 5 mg daily" in page.text
    assert not STOPS & {doubt.code for doubt in page.doubts}


def test_each_sign_font_has_its_own_table() -> None:
    assert symbol_text("\uf06c", "Wingdings 2") is None
    assert symbol_text("\uf0e0", "Wingdings3") is None
    assert symbol_text("\uf070", "Wingdings 3") == "▲"
    assert symbol_text("\uf033\uf0d5", "Zapf Dingbats") == "✓→"


def test_a_lone_o_of_courier_is_a_bullet(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for font, x, said in (
            ("Helvetica", 60, "Zinc is given:"),
            ("Courier", 140, "o"),
            ("Helvetica", 155, "5 mg daily in adults."),
            ("Courier", 260, "o"),
            ("Helvetica", 275, "10 mg daily in the obese."),
        ):
            canvas.setFont(font, 10)
            canvas.drawString(x, 700, said)
        canvas.setFont("Courier", 10)
        canvas.drawString(60, 600, "Blood group o is said here: o or a.")

    page = fixtures.read_page(tmp_path, draw)
    assert "◦ 5 mg daily in adults. ◦ 10 mg daily" in page.text
    assert "group o is said here: o or a." in page.text


@pytest.mark.parametrize("font", ["Helvetica", "Times-Roman"])
def test_raised_digits_are_not_other_signs(tmp_path: Path, font: str) -> None:
    def draw(canvas: Canvas) -> None:
        for at, (said, mark) in enumerate(
            [("Zinc heals", "1"), ("It is safe", "2"), ("It costs little", "3")] * 2
        ):
            canvas.setFont(font, 9)
            canvas.drawString(60, 700 - 20 * at, said)
            right = 60 + canvas.stringWidth(said, font, 9)
            canvas.setFont(font, 6)
            canvas.drawString(right, 703 - 20 * at, mark)
            canvas.setFont(font, 9)
            canvas.drawString(right + 6, 700 - 20 * at, f"{mark} 40 mg or {mark} 30 mg.")

    page = fixtures.read_page(tmp_path, draw)
    assert "sign_misnamed" not in [doubt.code for doubt in page.doubts]
