"""Take in what a manifest describes, and bring each document to its place in life."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from corpus.intake.files import Item, Listeners, Outcome, People, take_in
from corpus.intake.manifest import Entry, Manifest
from corpus.models import Collection, Document, Lifecycle
from corpus.review.words_found import PagesNotReviewed
from corpus.services.lifecycle import (
    document_publish,
    document_submit,
    document_supersede,
    document_withdraw,
    refuse_to_publish,
)


def manifest_ingest(
    manifest: Manifest,
    *,
    people: People,
    today: datetime.date,
    dry_run: bool = False,
    on_file: Callable[[Path], None] = lambda path: None,
) -> Outcome:
    """Doing it again changes nothing but finishes what was interrupted. `on_file` before each.

    Raises NotPermitted and SecondPersonNeeded before the first where it could not be published.
    """
    for slug, values in ({} if dry_run else manifest.collections).items():
        Collection.objects.get_or_create(slug=slug, defaults=dict(values))
    shelves = {collection.slug: collection for collection in Collection.objects.all()}
    if not dry_run:
        _refuse_to_publish(manifest.entries, shelves, people)
    outcome = take_in(
        (Item(entry.path, _document(entry, shelves)) for entry in manifest.entries),
        uploader=people.uploader,
        listeners=Listeners(on_file),
        dry_run=dry_run,
    )
    if not dry_run:
        entries = [entry for entry in manifest.entries if entry.path in outcome.documents]
        _bring_to_life(entries, outcome, people, today)
    return outcome


def _refuse_to_publish(
    entries: Iterable[Entry], shelves: Mapping[str, Collection], people: People
) -> None:
    unpublished = (Lifecycle.DRAFT, Lifecycle.REVIEW)
    for slug in sorted({e.collection for e in entries if e.lifecycle not in unpublished}):
        refuse_to_publish(shelves[slug], uploader=people.uploader, publisher=people.publisher)


def _document(entry: Entry, shelves: Mapping[str, Collection]) -> Document:
    document = Document(**entry.values)
    if entry.collection in shelves:
        document.collection = shelves[entry.collection]
    return document


def _bring_to_life(
    entries: list[Entry], outcome: Outcome, people: People, today: datetime.date
) -> None:
    """Each step only from the state before it, so that doing it twice does nothing.

    What somebody has to look at first is refused, and stops none of the others.
    """
    documents = outcome.documents
    for entry in entries:
        document = documents[entry.path]
        if document.lifecycle == Lifecycle.DRAFT and entry.lifecycle != Lifecycle.DRAFT:
            document_submit(document, by=people.uploader)
        if document.lifecycle == Lifecycle.REVIEW and entry.lifecycle != Lifecycle.REVIEW:
            try:
                document_publish(document, by=people.publisher, today=today)
            except PagesNotReviewed as error:
                outcome.refused[entry.path] = error.sentence
    for entry in entries:
        old = documents.get(entry.supersedes) if entry.supersedes else None
        is_refused = entry.path in outcome.refused
        if old is not None and old.lifecycle == Lifecycle.PUBLISHED and not is_refused:
            document_supersede(old, by=people.publisher, successor=documents[entry.path])
    for entry in entries:
        document = documents[entry.path]
        document.refresh_from_db()
        if entry.lifecycle == Lifecycle.WITHDRAWN and document.lifecycle == Lifecycle.PUBLISHED:
            document_withdraw(document, by=people.publisher, reason=entry.withdrawn_reason)
