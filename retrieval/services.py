"""The only writers of the lexicon. A change counts for the very next question, everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from retrieval.models import LexiconEntry
from retrieval.signals import lexicon_changed


@transaction.atomic
def lexicon_entry_save(
    entry: LexiconEntry, *, by: User | None, changes: Mapping[str, Any]
) -> tuple[str, ...]:
    """Make or change an entry and return the names of what differed, sorted.

    `changes` maps fields to values; what is left out stays. One `lexicon_changed` where anything
    differs. Raises ValidationError for what can't be used.
    """
    is_new = entry.pk is None
    stored = None if is_new else LexiconEntry.objects.select_for_update().get(pk=entry.pk)
    for name, value in changes.items():
        setattr(entry, name, value)
    entry.full_clean()
    fields = [n for n in changes if stored is None or getattr(stored, n) != getattr(entry, n)]
    if fields:
        entry.save()
        lexicon_changed.send(LexiconEntry, entry=entry, actor=by, fields=tuple(sorted(fields)))
    return tuple(sorted(fields))


@transaction.atomic
def lexicon_entry_delete(entry: LexiconEntry, *, by: User | None) -> None:
    """Remove an entry. `lexicon_changed` names it without fields."""
    gone = LexiconEntry.objects.select_for_update().get(pk=entry.pk)
    LexiconEntry.objects.filter(pk=gone.pk).delete()
    lexicon_changed.send(LexiconEntry, entry=gone, actor=by, fields=())


@transaction.atomic
def lexicon_entries_enable(
    entries: Iterable[LexiconEntry], *, by: User | None, enabled: bool
) -> int:
    """Use entries from now on, or no more; returns how many are otherwise than before."""
    return sum(
        bool(lexicon_entry_save(entry, by=by, changes={"enabled": enabled})) for entry in entries
    )
