"""Which passages stay disabled when a document is cut anew. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.review.versions import shingles

SHARED_FROM = 1 / 3  # of the shingles of the shorter of two passages: they may hold the same fault


def still_disabled(disabled: Sequence[str], cut: Sequence[str]) -> dict[int, int]:
    """For passages by index in `cut`: the index in `disabled` of what they hold.

    The same text, else every passage that shares a third of the words in their order, of the old
    one's or of its own where it is a piece of the old one: it is safer to leave out too much than
    to find again what somebody took out, and whoever looks sees the reason and can enable it.
    """
    found: dict[int, int] = {}
    for old, text in enumerate(disabled):
        words = text.split()
        same = [new for new, other in enumerate(cut) if other.split() == words]
        for new in same or _holding(text, cut):
            found.setdefault(new, old)
    return found


def _holding(text: str, cut: Sequence[str]) -> list[int]:
    wanted = shingles([text])
    held = [shingles([other]) for other in cut]
    return [
        new
        for new, other in enumerate(held)
        if wanted & other and len(wanted & other) >= SHARED_FROM * min(len(wanted), len(other))
    ]
