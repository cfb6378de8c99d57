"""Provide the site's lexicon as the database has it at this moment."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import QuerySet

from core.language.en.short_forms.table import beside_of
from retrieval.lexicon.terms import Entry, Lexicon
from retrieval.models import EntryKind, LexiconEntry, LexiconVersion, Match

if TYPE_CHECKING:
    ValuesQuerySet = QuerySet[LexiconVersion, UUID]
else:
    ValuesQuerySet = QuerySet

# The last one read in this process, and its version. Replaced as a whole, so threads may share it.
_cached: tuple[UUID, Lexicon] | None = None


def site_lexicon() -> Lexicon:
    """Return the site's lexicon. Runs one query, two after an entry has changed."""
    return lexicon_at(version_query().first())


def version_query() -> ValuesQuerySet:
    """Return a query for the lexicon's version, to be part of a larger statement."""
    return LexiconVersion.objects.values_list("version", flat=True).filter(pk=1)


def lexicon_at(version: UUID | None) -> Lexicon:
    """Return the lexicon of a version just read. Runs one query where it isn't in memory."""
    global _cached
    cached = _cached
    if cached is not None and cached[0] == version:
        return cached[1]
    lexicon = _stored()
    if version is not None:  # read before the entries: should these be newer, it is read again
        _cached = (version, lexicon)
    return lexicon


def _stored() -> Lexicon:
    rows = LexiconEntry.objects.filter(enabled=True).values_list(
        "short", "words", "match", "kind", "beside"
    )
    return Lexicon(
        tuple(
            Entry(
                short,
                words,
                exact=match == Match.CAPITALS,
                lay=kind == EntryKind.LAY,
                same=kind == EntryKind.NAME,
                beside=beside_of(beside),
            )
            for short, words, match, kind, beside in rows.order_by("pk")
        )
    )
