"""Clean text once, before any offset is counted."""

from __future__ import annotations

import re
import unicodedata

from core.language.words import UNREADABLE as UNREADABLE

# Presentation forms that fonts put in place of plain letters. NFC leaves them alone, and NFKC would
# also flatten superscripts and fractions (10² to 102, ½ to 1/2), which changes a dose.
_LIGATURE = re.compile("[\ufb00-\ufb06]")
# Soft hyphen, zero-width characters, direction marks, tags, and variation selectors: a reader does
# not see them, so they may hide text from a search or put text before a model.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffd\U000e0000-\U000e0fff"
)
_REMOVED = re.compile(f"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff{_INVISIBLE}]")
# Private characters that Word and PDFs use for a symbol font, and that only this font can show:
# alone at the beginning of a line, a bullet; else a sign that may be "at least" or "micro" and must
# not vanish. The parsers' own marks are private characters outside this range.
PRIVATE_BULLETS = "\uf071\uf076\uf0a7\uf0a8\uf0b7\uf0d8"
PRIVATE_TICK = "\uf0fc"  # in the place of a bullet, but may mean yes
_SYMBOL = re.compile(
    f"^([^\\S\n]*)(?:[{PRIVATE_BULLETS}]|({PRIVATE_TICK}))(?=\\s|$)|[\uf000-\uf0ff]+",
    re.MULTILINE,
)
# Before a number, any other private character or one that could not be decoded may be a bound.
_LOST = re.compile("[\ue010-\uefff\uf100-\uf8ff\ufffd]+(?=\\s?\\d)")
_BLANKS = re.compile(r"[^\S\n]+")
_COMBINING = {
    "´": "\u0301",
    "`": "\u0300",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "¨": "\u0308",
    "˚": "\u030a",
    "ˇ": "\u030c",
    "¸": "\u0327",
}
_ACCENT = re.compile(f"([{''.join(_COMBINING)}])([^\\W\\d_])")


def clean_text(text: str) -> str:
    """Return `text` in NFC without invisible characters and those that are no characters.

    A sign that only its own font can show becomes `UNREADABLE`. Ligatures are spelled out; symbols
    that carry meaning (µ, ≥, superscripts, fractions) stay, and so does white space.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _LIGATURE.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    text = _LOST.sub(UNREADABLE, _SYMBOL.sub(_symbol, text))
    return unicodedata.normalize("NFC", _REMOVED.sub("", text))


def _symbol(match: re.Match[str]) -> str:
    if match.group(1) is None:
        return UNREADABLE
    return match.group(1) + ("✓" if match.group(2) else "")


def clean_line(text: str) -> str:
    """Return `text` cleaned, on one line with single spaces and none at its ends."""
    return " ".join(clean_text(text).split())


def clean_lines(text: str) -> str:
    """Return `text` cleaned, its lines kept, with single spaces."""
    return "\n".join(_BLANKS.sub(" ", line).strip() for line in clean_text(text).split("\n"))


def mend_accents(text: str) -> str:
    """Join an accent printed before its letter to the letter, as in TeX's `Gon¸calves`."""
    return _ACCENT.sub(
        lambda match: unicodedata.normalize("NFC", match.group(2) + _COMBINING[match.group(1)]),
        text,
    )


# Signs of fonts of signs, which Word and PDFs keep as private characters: the place in the font.
# Sources: Unicode, MAPPINGS/VENDORS/ADOBE/symbol.txt and zdingbat.txt. Of Wingdings and its two
# others, which have other signs in the same places, only arrows, ticks and bullets are known.
_FIRST = 0xF000
_LAST = 0xF0FF
_UNKNOWN = "\0"
_SYMBOL_LOW = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"
    "\0αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}∼\0"
)
_SYMBOL_HIGH = (
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"
    "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭\0"
)
_OF_SYMBOL = {
    _FIRST + code: sign
    for start, signs in ((0x20, _SYMBOL_LOW), (0xA0, _SYMBOL_HIGH))
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
_OF_WINGDINGS_2 = {
    _FIRST + code: sign
    for code, sign in {
        0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x95: "•", 0x96: "•", 0x97: "•",
        0x98: "●", 0x99: "○", 0x9F: "•", 0xA0: "▪", 0xA1: "◾", 0xA2: "■", 0xA3: "□", 0xAE: "◆",
        0xAF: "◇",
    }.items()
}  # fmt: skip
_OF_WINGDINGS_3 = {
    _FIRST + code: sign
    for start, signs in ((0x21, "←→↑↓"), (0x70, "▲▼△▽◀▶◁▷◣◢◤◥◀▸▲"), (0x80, "▼▲▼◀▶"))
    for code, sign in enumerate(signs, start)
}
_OF_DINGBATS = {
    _FIRST + code: chr(sign + code - start)
    for start, end, sign in (
        *((0x21, 0x7E, 0x2701), (0xA1, 0xA7, 0x2761), (0xAC, 0xB5, 0x2460), (0xB6, 0xD4, 0x2776)),
        *((0xD8, 0xEF, 0x2798), (0xF1, 0xFE, 0x27B1)),
    )
    for code in range(start, end + 1)
} | {
    _FIRST + code: sign
    for code, sign in {
        0x25: "☎", 0x2A: "☛", 0x2B: "☞", 0x48: "★", 0x6C: "●", 0x6E: "■", 0x73: "▲", 0x74: "▼",
        0x75: "◆", 0x77: "◗", 0xA8: "♣", 0xA9: "♦", 0xAA: "♥", 0xAB: "♠", 0xD5: "→", 0xD6: "↔",
        0xD7: "↕",
    }.items()
}  # fmt: skip
_SIGN_FONTS = {
    "symbol": _OF_SYMBOL,
    "wingdings": _OF_WINGDINGS,
    "wingdings2": _OF_WINGDINGS_2,
    "wingdings3": _OF_WINGDINGS_3,
    "dingbats": _OF_DINGBATS,
    "zapfdingbats": _OF_DINGBATS,
    "monotypesorts": _OF_DINGBATS,
}
SIGN_FONT = re.compile(
    r"(?<![a-z])symbol|wingdings[ -]?[23]?|(?:zapf[ -]?)?dingbats|monotype[ -]?sorts", re.IGNORECASE
)


def symbol_text(text: str, font: str = "Symbol") -> str | None:
    """Return a text of a symbol font in Unicode; None if one of its private characters is unknown.

    Other characters stay as they are. Only the fonts of `SIGN_FONT` are known.
    """
    signs = _SIGN_FONTS.get(re.sub(r"[\W_]", "", font.casefold()), {})
    if any(_FIRST <= ord(sign) <= _LAST and ord(sign) not in signs for sign in text):
        return None
    return text.translate(signs)
