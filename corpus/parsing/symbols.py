"""Signs of the Symbol and Wingdings fonts to Unicode. Pure.

Word and PDFs keep them as private characters, U+F020 to U+F0FF: the place in the font. Source:
Unicode, MAPPINGS/VENDORS/ADOBE/symbol.txt. Of Wingdings, only arrows, ticks and bullets are known.
"""

from __future__ import annotations

_FIRST = 0xF000
_LAST = 0xF0FF
_UNKNOWN = "\0"
_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"
    "\0αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}∼\0"
)
_SYMBOL_HIGH = (
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"
    "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭\0"
)
_OF_SYMBOL = {
    _FIRST + code: sign
    for start, signs in ((0x20, _SYMBOL), (0xA0, _SYMBOL_HIGH))
    for code, sign in enumerate(signs, start)
    if sign != _UNKNOWN
}
_OF_WINGDINGS = {
    _FIRST + code: sign
    for code, sign in {
        0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x76: "❖", 0x9F: "•", 0xA7: "▪", 0xA8: "◻",
        0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE7: "←", 0xE8: "→", 0xE9: "↑",
        0xEA: "↓", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
    }.items()
}  # fmt: skip


def symbol_text(text: str, font: str = "Symbol") -> str | None:
    """Return text with its private characters as Unicode; None where one of them is unknown.

    All else in it stays as it is. Any other font than Symbol and Wingdings has no known sign.
    """
    signs = {"symbol": _OF_SYMBOL, "wingdings": _OF_WINGDINGS}.get(font.strip().casefold(), {})
    if any(_FIRST <= ord(sign) <= _LAST and ord(sign) not in signs for sign in text):
        return None
    return text.translate(signs)
