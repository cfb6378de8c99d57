"""Write the lexicon: the only place that does. A change applies from the next question on."""

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
    """Create or change an entry; return the sorted names of the changed fields.

    `changes` maps fields to values; others stay. Sends `lexicon_changed` if anything differs.
    Raises ValidationError.
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
    """Delete an entry. Sends `lexicon_changed` without fields."""
    gone = LexiconEntry.objects.select_for_update().get(pk=entry.pk)
    LexiconEntry.objects.filter(pk=gone.pk).delete()
    lexicon_changed.send(LexiconEntry, entry=gone, actor=by, fields=())


@transaction.atomic
def lexicon_entries_enable(
    entries: Iterable[LexiconEntry], *, by: User | None, enabled: bool
) -> int:
    """Enable or disable entries; return how many changed."""
    return sum(
        bool(lexicon_entry_save(entry, by=by, changes={"enabled": enabled})) for entry in entries
    )
