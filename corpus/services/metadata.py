"""Edit a document's metadata; its file is not read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from core.errors import MedragError
from corpus.access import (
    NotPermitted,
    collections_publishable,
    collections_uploadable,
    may_publish,
)
from corpus.models import Document, Lifecycle
from corpus.parsing.clean import clean_line
from corpus.services.documents import document_queue_indexing
from corpus.signals import document_edited

EDITABLE = frozenset(
    "title version issuer journal source_type year authority specialty population language "
    "source_url licence collection effective_from review_by".split()
)


# Whether, where and for whom a published document counts: as weighty as publishing it.
IN_FORCE = frozenset(("collection", "effective_from", "population"))
# Part of `corpus.indexing.recipe.fingerprint`.
INDEXED = frozenset(("title", "population", "language"))
# Taken over from the version that a document replaces, where it doesn't say them itself.
INHERITED = ("issuer", "population", "specialty", "licence")


class BadValue(MedragError):
    """The typed value doesn't fit the field; nothing was changed."""

    code = "bad_value"


def document_edit(
    document: Document, *, by: User | None, changes: Mapping[str, Any]
) -> tuple[str, ...]:
    """Write these fields only; return the sorted names of those that changed.

    The row is locked, so that concurrent edits of other fields are kept. Sends nothing if nothing
    differs. What was inherited is no longer called so once it is changed. Fields that precede each
    passage in the search (INDEXED) queue a job in the same transaction; the old values are found
    until it has cut the document, and a running job takes the change into account. Moving to
    another collection needs the right to upload to or publish in both. Raises BadValue,
    NotPermitted, and ValueError for a field that can't be edited.
    """
    unknown = sorted(set(changes) - EDITABLE)
    if unknown:
        raise ValueError(f"No field to edit: {', '.join(unknown)}")
    values = {name: _clean(name, value) for name, value in changes.items()}
    with transaction.atomic():
        # Without a join: one would find no row if the document was moved while this waited.
        stored = Document.objects.select_for_update().get(pk=document.pk)
        fields = sorted(name for name, value in values.items() if getattr(stored, name) != value)
        both = {stored.collection_id, values.get("collection", stored.collection).pk}
        if "collection" in fields:
            _refuse_move(by, both)
        if stored.lifecycle == Lifecycle.PUBLISHED and IN_FORCE & set(fields):
            _refuse_to_others_than_publishers(by, both)
        if not fields:
            return ()
        for name in fields:
            setattr(stored, name, values[name])
            setattr(document, name, values[name])
        stored.inherited = [name for name in stored.inherited if name not in fields]
        document.inherited = stored.inherited
        stored.save(update_fields=[*fields, "inherited"])
        document_edited.send(Document, document=stored, actor=by, fields=tuple(fields))
        if INDEXED & set(fields):
            document_queue_indexing(stored)
    return tuple(fields)


def document_inherit(document: Document, *, old: Document, by: User | None) -> None:
    """Take over from the version that it replaces what a document doesn't say itself: INHERITED.

    An edit like any other, in the caller's transaction, which holds both rows. Nothing is taken
    over by who may not publish the document.
    """
    stored, old = Document.objects.get(pk=document.pk), Document.objects.get(pk=old.pk)
    missing = {name: getattr(old, name) for name in INHERITED if not getattr(stored, name)}
    if not any(missing.values()) or not may_publish(by, stored):
        return
    fields = document_edit(document, by=by, changes=missing)
    document.inherited = sorted({*stored.inherited, *fields})
    Document.objects.filter(pk=document.pk).update(inherited=document.inherited)


def _refuse_move(by: User | None, collections: set[int]) -> None:
    works_in = set(collections_uploadable(by).values_list("pk", flat=True))
    works_in |= set(collections_publishable(by).values_list("pk", flat=True))
    if not collections <= works_in:
        raise NotPermitted(
            "You can't move this document: that needs rights in both collections.",
            hint="Nothing was changed. Ask a colleague who may upload to or publish in both.",
        )


def _refuse_to_others_than_publishers(by: User | None, collections: set[int]) -> None:
    if not collections <= set(collections_publishable(by).values_list("pk", flat=True)):
        raise NotPermitted(
            "Only publishers may change the collection, dates or population of a published "
            "document.",
            hint="Nothing was changed. Ask a publisher of the collection.",
        )


def _clean(name: str, value: Any) -> Any:
    if isinstance(value, str):
        value = clean_line(value)
    field = Document._meta.get_field(name)
    if field.is_relation:
        return value
    try:
        return field.clean(value, None)  # type: ignore[union-attr]
    except ValidationError as error:
        raise BadValue(
            f"{field.verbose_name}: {' '.join(error.messages)}",  # type: ignore[union-attr]
            hint="Nothing was changed.",
        ) from None
