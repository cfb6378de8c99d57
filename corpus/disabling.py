"""Which passages stay disabled when a document is cut anew. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.versions import shingles

SHARED_FROM = 0.5  # of a disabled passage's shingles, from which another holds what was wrong in it


def still_disabled(disabled: Sequence[str], cut: Sequence[str]) -> dict[int, int]:
    """For passages by index in `cut`: the index in `disabled` of what they hold.

    The same text, else every passage that holds half of the words of the disabled one in their
    order: it is safer to leave out too much than to find again what somebody took out, and whoever
    looks sees the reason and can enable it.
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
    if not wanted:
        return []
    return [
        new
        for new, other in enumerate(cut)
        if len(wanted & shingles([other])) >= SHARED_FROM * len(wanted)
    ]
