"""The site's lexicon, as it stands in the database at this moment."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import QuerySet

from retrieval.lexicon.terms import Entry, Lexicon
from retrieval.models import Kind, LexiconEntry, LexiconVersion, Match

if TYPE_CHECKING:
    ValuesQuerySet = QuerySet[LexiconVersion, UUID]
else:
    ValuesQuerySet = QuerySet

# The last one read in this process, and its version. Replaced as a whole, so threads may share it.
_cached: tuple[UUID, Lexicon] | None = None


def site_lexicon() -> Lexicon:
    """Return one query, and one more where an entry was changed since the last question."""
    return lexicon_at(version_query().first())


def version_query() -> ValuesQuerySet:
    """Return the version of the lexicon, for a statement that reads more than that."""
    return LexiconVersion.objects.values_list("version", flat=True).filter(pk=1)


def lexicon_at(version: UUID | None) -> Lexicon:
    """Return the lexicon of a version that was read just now: one query where it is not in
    memory.
    """
    global _cached
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
