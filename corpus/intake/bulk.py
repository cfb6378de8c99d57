"""Ingest many files that have all but their content in common."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.intake.files import Item, Listeners, Outcome, People, take_in
from corpus.models import Collection, Document
from corpus.services.lifecycle import document_publish, document_submit, refuse_to_publish


@dataclass(frozen=True)
class Batch:
    """What is the same for all files of one call."""

    collection: Collection
    people: People
    publish: bool
    today: datetime.date


def bulk_ingest(
    paths: Sequence[Path],
    *,
    batch: Batch,
    dry_run: bool = False,
    on_file: Callable[[Path], None] = lambda path: None,
) -> Outcome:
    """Ingest each file; one that is refused stops none of the others. `on_file` before each.

    Raises NotPermitted and SecondPersonNeeded before the first where none could be published.
    """
    people = batch.people
    if batch.publish and not dry_run:
        refuse_to_publish(batch.collection, uploader=people.uploader, publisher=people.publisher)

    def publish(document: Document) -> None:
        if batch.publish:
            document_submit(document, by=batch.people.uploader)
            document_publish(document, by=batch.people.publisher, today=batch.today)

    return take_in(
        (Item(path, Document(collection=batch.collection)) for path in paths),
        uploader=batch.people.uploader,
        listeners=Listeners(on_file, publish),
        dry_run=dry_run,
    )
