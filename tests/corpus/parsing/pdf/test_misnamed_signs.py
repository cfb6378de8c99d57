"""A sign that changes a value is doubted where its print says another than its file."""

from pathlib import Path

import pytest
from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.doubts.grades import Grade, grade_of
from corpus.parsing.pdf import ocr_models
from tests.corpus.parsing import parsing_fixtures as fixtures

LINES = [
    "Enoxaparin in renal impairment of adults, 33 of them.",
    "CrCl ≥ 30 mL/min: give the full dose.",
    "CrCl ≤ 30 mL/min: halve the dose.",
    "CrCl < 15 mL/min: give none.",
    "It costs = 3 on day 1.",
]


def _doubted(
    folder: Path,
    patch: pytest.MonkeyPatch,
    read_as: dict[str, str],
    *pages: list[str],
    font: str = "Vera",
    turn: int = 0,
) -> list[str]:
    """Read pages whose font says that it draws other characters than it does, as `read_as` maps."""
    written = ttfonts.makeToUnicodeCMap
    codes = {ord(sign): ord(other) for sign, other in read_as.items()}
    patch.setattr(
        ttfonts,
        "makeToUnicodeCMap",
        lambda name, subset: written(name, [codes.get(code, code) for code in subset]),
    )
    pdfmetrics.registerFont(ttfonts.TTFont(font, f"{font}.ttf"))

    def drawing(lines: list[str]) -> fixtures.Draw:
        def draw(canvas: Canvas) -> None:
            if turn:
                canvas.translate(600, 0)
                canvas.rotate(turn)
            for at, line in enumerate(lines):
                canvas.setFont(font, 9 + at)
                canvas.drawString(60.3 + at / 3, (500 if turn else 700) - 20 * at, line)

        return draw

    document = fixtures.read_pdf(folder, *map(drawing, pages or (LINES,)))
    return [
        page.text[doubt.start : doubt.end]
        for page in document.pages
        for doubt in page.doubts
        if doubt.code == "sign_misnamed"
    ]


def _as_read(lines: list[str], read_as: dict[str, str]) -> list[str]:
    return ["".join(read_as.get(char, char) for char in line) for line in lines]


@pytest.mark.parametrize(
    ("read_as", "doubted"),
    [
        ({"≤": "≥"}, LINES[2:3]),
        ({"≥": '"', "≤": '"'}, LINES[1:3]),
        ({"≤": "<"}, LINES[2:3]),
        ({"≥": "="}, LINES[1:2]),
        ({"≥": "3"}, LINES[1:2]),
        ({"≥": "3", "≤": "3"}, LINES[1:3]),
    ],
)
def test_of_two_glyphs_of_one_character_the_wrong_one_is_doubted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_as: dict[str, str], doubted: list[str]
) -> None:
    assert _doubted(tmp_path, monkeypatch, read_as) == _as_read(doubted, read_as)
    assert grade_of("sign_misnamed") is Grade.VALUE


def test_a_sign_that_became_a_digit_of_its_number_is_doubted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [LINES[0], "CrCl ≥30 mL/min: give 33 mg.", "There are 3 more.", "Give 13 to 30 mg."]
    assert _doubted(tmp_path, monkeypatch, {"≥": "3"}, lines) == ["CrCl 330 mL/min: give 33 mg."]
    monkeypatch.undo()
    assert _doubted(tmp_path, monkeypatch, {}, lines) == []


def test_without_ocr_both_of_two_glyphs_are_doubted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ocr_models, "READER", "missing.onnx")
    pages = [LINES[:2], [LINES[0], LINES[2]]]
    doubted = _doubted(tmp_path, monkeypatch, {"≤": "≥"}, *pages)
    assert doubted == [LINES[1], LINES[2].replace("≤", "≥")]


ALONE = "CrCl ≤ 30 mL/min: halve the dose."
ABOVE = "Potassium of 5.5 or ≥ 6.5 mmol/L: call."
MICRO = "Give 62.5 µg once, then 50 µmol/L."
MILLI = "Give 5 mg twice, or 4 mmol/L of it."
MARGIN = "It was 5 ± 2 in most of them."


@pytest.mark.parametrize(
    ("read_as", "lines", "doubted"),
    [
        ({"µ": "m"}, [MICRO], [MICRO]),
        ({"µ": "m"}, [MICRO, MILLI], [MICRO]),
        ({"µ": "m"}, ["Only 50 µmol/L here."], ["Only 50 µmol/L here."]),
        ({"m": "µ"}, ["Give 5 mg twice."], ["Give 5 mg twice."]),
        ({"≤": "≥"}, [ALONE, MILLI], [ALONE]),
        ({"≥": "≤"}, [ABOVE, MILLI], [ABOVE]),
        ({"≥": "≤", "≤": "≥"}, [ALONE, ABOVE], [ALONE, ABOVE]),
        ({"≤": "<"}, [ALONE], [ALONE]),
        ({"<": ">"}, [LINES[3]], [LINES[3]]),
        ({"±": "+"}, [MARGIN], [MARGIN]),
        ({"≥": "="}, [ABOVE], [ABOVE]),
    ],
)
@pytest.mark.parametrize("font", ["Vera", "VeraBI"])
def test_a_glyph_of_another_character_is_doubted_alone(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    font: str,
    read_as: dict[str, str],
    lines: list[str],
    doubted: list[str],
) -> None:
    found = _doubted(tmp_path, monkeypatch, read_as, [LINES[0], *lines], font=font)
    assert found == _as_read(doubted, read_as)


def test_a_glyph_on_its_side_is_doubted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [LINES[0], ALONE, MICRO, MILLI]
    read_as = {"≤": "≥", "µ": "m"}
    doubted = _doubted(tmp_path, monkeypatch, read_as, lines, turn=90)
    assert doubted == _as_read(lines[1:3], read_as)
    monkeypatch.undo()
    assert _doubted(tmp_path, monkeypatch, {}, lines, turn=90) == []


@pytest.mark.parametrize("font", ["Vera", "VeraBd", "VeraIt"])
def test_honest_signs_are_not_doubted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, font: str
) -> None:
    lines = [*LINES, ALONE, ABOVE, MICRO, MILLI, MARGIN]
    assert _doubted(tmp_path, monkeypatch, {}, lines, lines[::-1], font=font) == []


def test_honest_signs_of_standard_fonts_are_not_doubted(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        for at, font in enumerate(("Helvetica", "Times-Italic", "Courier-Bold")):
            canvas.setFont(font, 10)
            canvas.drawString(60, 700 - 60 * at, "Give 62.5 µg, then 5 mg, if < 3 or > 5 ± 2.")
            signs = canvas.beginText(60, 680 - 60 * at)
            for text in ("CrCl ", "≥ ", "30, not ", "≤ ", "5 or 5 ", "µ", "g"):
                signs.setFont("Symbol" if text.strip() in "≥≤µ" else font, 10)
                signs.textOut(text)
            canvas.drawText(signs)

    (page,) = fixtures.read_pdf(tmp_path, draw).pages
    assert "≥ 30, not ≤ 5 or 5 µg" in page.text
    assert "sign_misnamed" not in [doubt.code for doubt in page.doubts]


def test_a_font_that_says_what_it_draws_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _doubted(tmp_path, monkeypatch, {}, LINES, LINES[::-1]) == []
