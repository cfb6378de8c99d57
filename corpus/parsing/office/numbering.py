"""Numbers as Word and HTML write them, and those of list items. Pure."""

from __future__ import annotations

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def whole_number(raw: str, default: int, digits: int = 5) -> int:
    """Return the number that a file writes; `default` for what is none, or has more digits."""
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) <= digits else default


def ordinal(number: int, form: str) -> str:
    """Return a number in a form of Word's (ST_NumberFormat); in figures where that is unknown."""
    if number < 1 or number > 3999:
        return str(number)
    if form in ("lowerLetter", "upperLetter"):  # aa after z
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
    elif form in ("lowerRoman", "upperRoman"):
        text = _roman(number)
    else:
        text = str(number).zfill(2) if form == "decimalZero" else str(number)
    return text.upper() if form.startswith("upper") else text


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text
