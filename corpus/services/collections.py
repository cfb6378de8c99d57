"""Write collections and the groups that their rights are restricted to: the only writer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import transaction

from corpus.models import Collection
from corpus.signals import collection_changed

RIGHTS = ("searchers", "uploaders", "publishers")


@transaction.atomic
def collection_save(
    collection: Collection,
    *,
    by: User | None,
    changes: Mapping[str, Any],
    rights: Mapping[str, Iterable[Group]] | None = None,
) -> tuple[str, ...]:
    """Create or change a collection and its groups; return the sorted names of what changed.

    `changes` maps fields to values, `rights` any of RIGHTS to its new groups; others stay. Rights
    apply from the next query on. Sends one `collection_changed` if anything differs.
    """
    is_new = collection.pk is None
    stored = None if is_new else Collection.objects.select_for_update().get(pk=collection.pk)
    fields = [n for n, value in changes.items() if stored is None or getattr(stored, n) != value]
    for name in fields:
        setattr(collection, name, changes[name])
    if is_new:
        collection.save(force_insert=True)
    elif fields:
        collection.save(update_fields=fields)
    narrowed = [n for n, groups in (rights or {}).items() if _set(collection, n, groups)]
    differing = tuple(sorted([*fields, *narrowed]))
    if differing:
        collection_changed.send(Collection, collection=collection, actor=by, fields=differing)
    return differing


def _set(collection: Collection, right: str, groups: Iterable[Group]) -> bool:
    """Set the groups of a right; tell whether they changed."""
    if right not in RIGHTS:
        raise ValueError(f"No right of a collection: {right}")
    relation, wanted = getattr(collection, right), list(groups)
    if set(relation.values_list("pk", flat=True)) == {group.pk for group in wanted}:
        return False
    relation.set(wanted)
    return True
