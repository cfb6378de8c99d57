"""Show passages to a language model as data, between unpredictable markers. Pure."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

from corpus.types import publication
from retrieval.types import Hit

MARK_BYTES = 8  # 64 bits: no text can close what stands between two of them
KEY_BYTES = 6  # 48 bits: nobody guesses one within a turn
MAX_PASSAGES_CHARS = 40_000  # of all together, some 10,000 tokens


def fresh_mark() -> str:
    return f"<{secrets.token_hex(MARK_BYTES)}>"


def under_fresh_keys(hits: Sequence[Hit]) -> dict[str, Hit]:
    """Assign each passage a fresh key, in order, that reveals nothing about it."""
    keys: dict[str, Hit] = {}
    for hit in hits:
        while (key := secrets.token_hex(KEY_BYTES)) in keys:
            continue
        keys[key] = hit
    return keys


def fitting(hits: Sequence[Hit], *, max_chars: int = MAX_PASSAGES_CHARS) -> list[Hit]:
    """Return the best passages within the limit, always at least the first.

    No passage is cut: the part cut off might be the `unless`.
    """
    kept: list[Hit] = []
    remaining = max_chars
    for hit in hits:
        remaining -= len(hit.text)
        if kept and remaining < 0:
            break
        kept.append(hit)
    return kept


def shown_passages(hits: Mapping[str, Hit], mark: str) -> str:
    """Return the passages under their keys, each with its heading, journal, year and text."""
    shown = []
    for key, hit in hits.items():
        about = " | ".join(filter(None, (hit.context, publication(hit.journal, hit.year))))
        shown.append(f"Passage {key}, about: {mark} {about} {mark}\n{mark}\n{hit.text}\n{mark}")
    return "\n\n".join(shown)
