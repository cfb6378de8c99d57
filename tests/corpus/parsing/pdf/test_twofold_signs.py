"""A character that its font draws in two shapes before numbers is doubted."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfbase import pdfmetrics, ttfonts
from reportlab.pdfgen.canvas import Canvas

from corpus.parsing.types import MISREAD
from tests.corpus.parsing import parsing_fixtures as fixtures

LINES = [
    "Enoxaparin in renal impairment of adults, 33 of them.",
    "CrCl ≥ 30 mL/min: give the full dose.",
    "CrCl ≤ 30 mL/min: halve the dose.",
    "CrCl < 15 mL/min: give none.",
    "It costs = 3 on day 1.",
]


def _doubted(
    folder: Path, patch: pytest.MonkeyPatch, read_as: dict[str, str], *pages: list[str]
) -> list[str]:
    """Read pages whose font says that it draws other characters than it does, as `read_as` maps."""
    written = ttfonts.makeToUnicodeCMap
    codes = {ord(sign): ord(other) for sign, other in read_as.items()}
    patch.setattr(
        ttfonts,
        "makeToUnicodeCMap",
        lambda name, subset: written(name, [codes.get(code, code) for code in subset]),
    )
    pdfmetrics.registerFont(ttfonts.TTFont("Vera", "Vera.ttf"))

    def drawing(lines: list[str]) -> fixtures.Draw:
        def draw(canvas: Canvas) -> None:
            for at, line in enumerate(lines):
                canvas.setFont("Vera", 9 + at)
                canvas.drawString(60.3 + at / 3, 700 - 20 * at, line)

        return draw

    document = fixtures.read_pdf(folder, *map(drawing, pages or (LINES,)))
    return [
        page.text[doubt.start : doubt.end]
        for page in document.pages
        for doubt in page.doubts
        if doubt.code == "sign_twofold"
    ]


def _as_read(lines: list[str], read_as: dict[str, str]) -> list[str]:
    return ["".join(read_as.get(char, char) for char in line) for line in lines]


@pytest.mark.parametrize(
    ("read_as", "doubted"),
    [
        ({"≤": "≥"}, LINES[1:3]),
        ({"≥": '"', "≤": '"'}, LINES[1:3]),
        ({"≤": "<"}, LINES[2:4]),
        ({"≥": "="}, [LINES[1], LINES[4]]),
        ({"≥": "3"}, LINES[1:2]),
        ({"≥": "3", "≤": "3"}, LINES[1:3]),
    ],
)
def test_two_glyphs_of_one_character_are_doubted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_as: dict[str, str], doubted: list[str]
) -> None:
    assert _doubted(tmp_path, monkeypatch, read_as) == _as_read(doubted, read_as)
    assert "sign_twofold" in MISREAD


def test_a_sign_that_became_a_digit_of_its_number_is_doubted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [LINES[0], "CrCl ≥30 mL/min: give 33 mg.", "There are 3 more.", "Give 13 to 30 mg."]
    assert _doubted(tmp_path, monkeypatch, {"≥": "3"}, lines) == ["CrCl 330 mL/min: give 33 mg."]
    monkeypatch.undo()
    assert _doubted(tmp_path, monkeypatch, {}, lines) == []


def test_glyphs_on_two_pages_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [LINES[:2], [LINES[0], LINES[2]]]
    doubted = _doubted(tmp_path, monkeypatch, {"≤": "≥"}, *pages)
    assert doubted == [LINES[1], LINES[2].replace("≤", "≥")]


def test_a_font_that_says_what_it_draws_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _doubted(tmp_path, monkeypatch, {}, LINES, LINES[::-1]) == []
