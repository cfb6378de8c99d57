"""Decide which passages stay disabled when a document is cut again. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.review.versions import shingles

SHARED_FROM = 1 / 3  # of the shingles of the shorter of two passages: they may hold the same fault


def still_disabled(disabled: Sequence[str], cut: Sequence[str]) -> dict[int, int]:
    """Map indices of new passages to indices of the disabled ones that they correspond to.

    A passage with the same text, else every passage that shares a third of the words in order,
    counted on the old one or, if the new one is a piece of it, on the new one. Leaving out too much
    is safer than finding again what somebody disabled; the reason is shown and the passage can be
    enabled.
    """
    old_of: dict[int, int] = {}
    for old, text in enumerate(disabled):
        words = text.split()
        same = [new for new, other in enumerate(cut) if other.split() == words]
        for new in same or _holding(text, cut):
            old_of.setdefault(new, old)
    return old_of


def _holding(text: str, cut: Sequence[str]) -> list[int]:
    wanted = shingles([text])
    held = [shingles([other]) for other in cut]
    return [
        new
        for new, other in enumerate(held)
        if wanted & other and len(wanted & other) >= SHARED_FROM * min(len(wanted), len(other))
    ]
