"""The site's lexicon, as it stands in the database at this moment."""

from __future__ import annotations

from uuid import UUID

from retrieval.lexicon import Entry, Lexicon
from retrieval.models import Kind, LexiconEntry, LexiconVersion, Match

# The last one read in this process, and its version. Replaced as a whole, so threads may share it.
_cached: tuple[UUID, Lexicon] | None = None


def site_lexicon() -> Lexicon:
    """One query, and one more where an entry was changed since the last question."""
    global _cached
    version = LexiconVersion.objects.values_list("version", flat=True).filter(pk=1).first()
    cached = _cached
    if cached is not None and cached[0] == version:
        return cached[1]
    lexicon = _stored()
    if version is not None:  # read before the entries: should these be newer, it is read again
        _cached = (version, lexicon)
    return lexicon


def _stored() -> Lexicon:
    rows = LexiconEntry.objects.filter(enabled=True).values_list("short", "words", "match", "kind")
    return Lexicon(
        tuple(
            Entry(
                short,
                words,
                exact=match == Match.CAPITALS,
                lay=kind == Kind.LAY,
                same=kind == Kind.NAME,
            )
            for short, words, match, kind in rows.order_by("pk")
        )
    )
