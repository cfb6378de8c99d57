"""How texts are levelled before they are compared. Pure."""

from __future__ import annotations

import unicodedata


def normalised(text: str) -> str:
    """White space and Unicode forms levelled, nothing else: how quotes are compared."""
    return " ".join(unicodedata.normalize("NFC", text).split())
