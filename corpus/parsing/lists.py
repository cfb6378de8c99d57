"""Markers of list items, and numbers as Word and HTML write them. Pure."""

from __future__ import annotations

import re

_SIGNS = "•·∙●○◦▪■□▫‣⁃➢➤►▶▸❖◆◇⮚–—－*\\-"
_BULLET = re.compile(rf"^(?:[{_SIGNS}]{{1,2}}|o)(?:\s+|$)")
_TICK = re.compile(r"^[✓✔✗✘☐☑☒](?:\s+|$)")
_NUMBER = re.compile(r"^(?:\(?(?:\d{1,3}|[a-h]|[ivx]{1,4})[.)]|\(?[A-H]\)|\[\d{1,3}\])(?:\s+|$)")
_RECOMMENDATION = re.compile(r"^\d{1,2}(?:\.\d{1,2}){1,3}\.?(?:\s+(?=[A-Z])|$)")


def list_marker(text: str) -> str | None:
    """Return the marker (with the blank after it) that `text` begins with; None for no list
    item."""
    found = (form.match(text) for form in (_BULLET, _TICK, _NUMBER, _RECOMMENDATION))
    return next((match.group() for match in found if match), None)


def is_recommendation(text: str) -> bool:
    """Tell text that a number of a section introduces, as `1.2.4 Offer ...`."""
    return _RECOMMENDATION.match(text) is not None


def goes_on_range(before: str, text: str) -> bool:
    """Tell the second figure of a range that was wrapped: `5` and `– 10 mg`."""
    return before[-1:].isdigit() and re.match(r"[-–—]\s+\d", text) is not None


def is_bullet(text: str) -> bool:
    """Tell text that begins with a mere bullet, which says nothing and may be left out."""
    return _BULLET.match(text) is not None


def is_tick(text: str) -> bool:
    """Tell text that begins with a tick, a cross or their box: it may say yes or no, and stays."""
    return _TICK.match(text) is not None


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
        text = ""
        for value, letters in _ROMAN:
            text += letters * (number // value)
            number %= value
    else:
        text = str(number).zfill(2) if form == "decimalZero" else str(number)
    return text.upper() if form.startswith("upper") else text
