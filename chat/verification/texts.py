"""How texts are levelled before they are compared. Pure."""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(r"(?<!\d)[.,]\d+|\d+(?:[.,]\d+)*|(?:[^\W\d_][\u0300-\u036f]*)+|[<>≤≥=%+]")
_SIGNS = str.maketrans({"⩽": "≤", "⩾": "≥", "μ": "µ", "＜": "<", "＞": ">"})


def normalised(text: str) -> str:
    """White space and Unicode forms levelled, nothing else."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def tokens(text: str) -> list[str]:
    """Return words, numbers and signs of comparison in one case; no dashes, bars or stops."""
    return [token for token, _, _ in placed_tokens(text)]


def placed_tokens(text: str) -> list[tuple[str, int, int]]:
    """Return the same, each with where it stands, half-open."""
    return [
        (_levelled(match.group()), match.start(), match.end()) for match in _TOKEN.finditer(text)
    ]


def _levelled(token: str) -> str:
    level = unicodedata.normalize("NFKC", token.translate(_SIGNS)).casefold()
    return f"0.{level[1:]}" if level[0] in ".," and len(level) > 1 else level
