"""Markers of list items."""

from __future__ import annotations

import re

_BULLET = re.compile(r"^(?:[•·∙●○◦▪■□‣⁃➢►✓✔–—*\-])(?:\s+|$)")
_NUMBER = re.compile(r"^(?:\(?(?:\d{1,2}|[a-h]|[ivx]{1,4})[.)]|\(?[A-H]\)|\[\d{1,3}\])(?:\s+|$)")


def list_marker(text: str) -> str | None:
    """Return the marker (with the blank after it) that `text` begins with; None for no list
    item."""
    match = _BULLET.match(text) or _NUMBER.match(text)
    return match.group() if match else None


def goes_on_range(before: str, text: str) -> bool:
    """Tell the second figure of a range that was wrapped: `5` and `– 10 mg`."""
    return before[-1:].isdigit() and re.match(r"[-–—]\s+\d", text) is not None


def is_bullet(text: str) -> bool:
    return _BULLET.match(text) is not None
