"""Normalise texts before they are compared. Pure."""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(r"(?<!\d)[.,]\d+|\d+(?:[.,]\d+)*|(?:[^\W\d_][\u0300-\u036f]*)+|[<>≤≥=%+]")
_SIGNS = str.maketrans({"⩽": "≤", "⩾": "≥", "μ": "µ", "＜": "<", "＞": ">"})


def normalised(text: str) -> str:
    """Return a text in Unicode form NFC with each run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def tokens(text: str) -> list[str]:
    """Return words, numbers and signs of comparison in one case, without other punctuation."""
    return [token for token, _, _ in placed_tokens(text)]


def placed_tokens(text: str) -> list[tuple[str, int, int]]:
    """Return each token of `tokens` with its start and end in the text, half-open."""
    return [
        (_levelled(match.group()), match.start(), match.end()) for match in _TOKEN.finditer(text)
    ]


def _levelled(token: str) -> str:
    level = unicodedata.normalize("NFKC", token.translate(_SIGNS)).casefold()
    return f"0.{level[1:]}" if level[0] in ".," and len(level) > 1 else level
