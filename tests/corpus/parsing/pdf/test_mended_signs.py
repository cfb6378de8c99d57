"""A sign that its font names by a letter, a digit or nothing is read as it is printed."""

from pathlib import Path

import pytest
from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.types import ParsedDocument
from tests.corpus.parsing import parsing_fixtures as fixtures

HONEST = "It costs $5, see #3: give ¼ tablet of 3 mg, 5e3 units, e and x, 1 or 5 or K."


def _read(
    folder: Path,
    patch: pytest.MonkeyPatch,
    read_as: dict[str, str],
    *lines: str,
    font: str = "VeraBd",
    size: float = 10,
) -> ParsedDocument:
    """Read lines whose signs are in a font of their own, which names them as `read_as` says."""
    written = ttfonts.makeToUnicodeCMap
    codes = {ord(sign): ord(other) for sign, other in read_as.items()}
    patch.setattr(
        ttfonts,
        "makeToUnicodeCMap",
        lambda name, subset: written(name, [codes.get(code, code) for code in subset]),
    )
    for name in ("Vera", font):
        pdfmetrics.registerFont(ttfonts.TTFont(name, f"{name}.ttf"))

    def draw(canvas: Canvas) -> None:
        for at, line in enumerate(lines):
            x = 60.0
            for char in line:
                name = font if char in read_as else "Vera"
                canvas.setFont(name, size)
                canvas.drawString(x, 700 - 30 * at, char)
                x += canvas.stringWidth(char, name, size)

    return fixtures.read_pdf(folder, draw)


def _codes(document: ParsedDocument) -> list[str]:
    return [doubt.code for page in document.pages for doubt in page.doubts]


CASES = [
    ({"–": "e"}, "Review it after 2–12 months, then 5–7 days."),
    ({"=": "¼"}, "In adults (n = 40) it was p = 0.03."),
    ({"=": "5"}, "In adults (n = 40) it was p = 0.03."),
    ({"≥": "$", "≤": "#"}, "CrCl ≥ 30 mL/min or age ≤65 years."),
    ({"×": "3"}, "Stop below 1.5 × 40, or 2 × 10 mg."),
    ({"±": "6", "+": "1"}, "Keep it at 4 ± 2 C in A + B."),
    ({"<": ",", ">": "."}, "Halve it if < 30 or > 90."),
    ({"±": "\ue006", "×": "\ue002"}, "Keep it at 4 ± 2 C and 3 × 4."),
    ({"≥": "\x04", "≤": "\x01"}, "CrCl ≥ 30 mL/min or age ≤65 years."),
]


@pytest.mark.parametrize(("read_as", "line"), CASES)
@pytest.mark.parametrize(("font", "size"), [("VeraBd", 9), ("VeraIt", 11)])
def test_a_misnamed_sign_is_read_as_printed_and_noted_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    read_as: dict[str, str],
    line: str,
    font: str,
    size: float,
) -> None:
    document = _read(tmp_path, monkeypatch, read_as, HONEST, line, font=font, size=size)
    assert document.pages[0].text.split() == [*HONEST.split(), *line.split()]
    codes = _codes(document)
    assert codes.count("signs_mended") == 1
    assert not {"sign_misnamed", "sign_unreadable", "sign_misread"} & set(codes)


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        ("Keep it at –30 C.", "Keep it at −30 C."),
        ("They agree (r = –28).", "They agree (r = −28)."),
        ("Grade [A–] or [B–].", "Grade [A−] or [B−]."),
        ("Zinc – with water – heals.", "Zinc – with water – heals."),
    ],
)
def test_a_bar_is_a_minus_or_a_dash_by_what_stands_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: str, read: str
) -> None:
    document = _read(tmp_path, monkeypatch, {"–": "\ue002"}, HONEST, shown)
    assert document.pages[0].text.split() == [*HONEST.split(), *read.split()]


def test_honest_letters_and_signs_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [HONEST, "Give 5 mg (3 x daily), a < b > c.", "HKkXxZzIil|1tT+-_=~.,:;{}[]()*^§¬"]
    document = _read(tmp_path, monkeypatch, {"z": "z"}, *lines)
    assert document.pages[0].text.split() == " ".join(lines).split()
    assert not {"signs_mended", "sign_misnamed"} & set(_codes(document))


def test_what_is_not_surely_another_sign_is_doubted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the prints of one name most are honest, so that the other one is not read as its print."""
    line = "Give 3, 3 or 3 tablets, then 3, 3 or 3 more: 2 × 4."
    document = _read(tmp_path, monkeypatch, {"3": "3", "×": "3"}, HONEST, line)
    assert line.replace("×", "3") in document.pages[0].text
    assert "sign_misnamed" in _codes(document)
    assert "signs_mended" not in _codes(document)
