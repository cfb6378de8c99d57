"""Markers of list items, and numbers as Word and HTML write them. Pure."""

from __future__ import annotations

import re

_SIGNS = "•·∙●○◦▪■□▫‣⁃➢➤►▶▸▷❖◆◇❍❏❐❑❒◻◾★✦⮚–—－*\\-"
_BULLET = re.compile(rf"^(?:[{_SIGNS}]{{1,2}}|o)(?:\s+|$)")
_TICK = re.compile(r"^[✓✔✗✘☐☑☒](?:\s+|$)")
_NUMBER = re.compile(r"^(?:\(?(?:\d{1,3}|[a-h]|[ivx]{1,4})[.)]|\(?[A-H]\)|\[\d{1,3}\])(?:\s+|$)")
_RECOMMENDATION = re.compile(r"^\d{1,2}(?:\.\d{1,2}){1,3}\.?(?:\s+(?=[A-Z])|$)")


def list_marker(text: str) -> str | None:
    """Return the list marker that `text` begins with, and the blank after it; None without one."""
    matches = (form.match(text) for form in (_BULLET, _TICK, _NUMBER, _RECOMMENDATION))
    return next((match.group() for match in matches if match), None)


def is_recommendation(text: str) -> bool:
    """Tell whether a text begins with a section's number, as `1.2.4 Offer ...`."""
    return _RECOMMENDATION.match(text) is not None


def continues_range(before: str, text: str) -> bool:
    """Tell whether `text` is the second figure of a range that was wrapped: `5` and `– 10 mg`."""
    return before[-1:].isdigit() and re.match(r"[-–—]\s+\d", text) is not None


def is_bullet(text: str) -> bool:
    """Tell whether a text begins with a bullet, which has no meaning and may be left out."""
    return _BULLET.match(text) is not None


def is_tick(text: str) -> bool:
    """Tell whether a text begins with a tick, a cross or their box, which may mean yes or no."""
    return _TICK.match(text) is not None


_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def whole_number(raw: str, default: int, digits: int = 5) -> int:
    """Parse a whole number of at most `digits` digits; return `default` for anything else."""
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) <= digits else default


def ordinal(number: int, form: str) -> str:
    """Write a number in a form of Word's (ST_NumberFormat); in figures if the form is unknown."""
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
