"""Test signs of symbol fonts, which must never vanish: without its µ, 5 µg is 5 g."""

import unicodedata

import pytest
from reportlab.pdfbase import _fontdata

from corpus.parsing.clean import symbol_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("5 \uf06dg", "5 µg"),
        ("\uf0b3 7 \uf0b0C", "≥ 7 °C"),
        ("\uf0a3 5 \uf0b4 10", "≤ 5 × 10"),
        ("\uf061, \uf062 and \uf044", "α, β and Δ"),
        ("nothing private", "nothing private"),
        ("", ""),
        ("5 \uf060", None),
        ("\uf0f0", None),
        ("\uf010", None),
    ],
)
def test_symbol(text: str, shown: str | None) -> None:
    assert symbol_text(text) == shown


def test_wingdings_is_another_font() -> None:
    assert symbol_text("A \uf0e0 B", "Wingdings") == "A → B"
    assert symbol_text("5 \uf06dg", "Wingdings") is None
    assert symbol_text("5 \uf06dg", "Webdings") is None


def test_signs_stand_where_adobe_puts_them() -> None:
    """Against reportlab's glyph names of the same encoding."""
    names = {
        "alpha": "GREEK SMALL LETTER ALPHA", "mu": "MICRO SIGN", "greaterequal": "GREATER-THAN OR"
        " EQUAL TO", "lessequal": "LESS-THAN OR EQUAL TO", "plusminus": "PLUS-MINUS SIGN",
        "multiply": "MULTIPLICATION SIGN", "degree": "DEGREE SIGN", "arrowright": "RIGHTWARDS "
        "ARROW", "omega": "GREEK SMALL LETTER OMEGA", "Omega": "GREEK CAPITAL LETTER OMEGA",
        "infinity": "INFINITY", "bracerightbt": "RIGHT CURLY BRACKET LOWER HOOK",
        "summation": "N-ARY SUMMATION", "arrowdblright": "RIGHTWARDS DOUBLE ARROW",
    }  # fmt: skip
    encoding = _fontdata.encodings["SymbolEncoding"]
    for name, unicode_name in names.items():
        shown = symbol_text(chr(0xF000 + encoding.index(name)))
        assert shown is not None
        assert unicodedata.name(shown) == unicode_name
