"""Ingest files one after another, recognising existing ones before writing anything.

So a second run over a large folder only reads the files and queries the database.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from core.errors import MedragError
from corpus import files, selectors
from corpus.filenames import clean_filename
from corpus.models import Collection, Document
from corpus.parsing.sniff import media_type_of
from corpus.services.documents import DuplicateDocument, document_ingest, refuse_others
from corpus.services.lifecycle import document_publish, document_submit, refuse_to_publish

LOOKED_UP_TOGETHER = 200  # files for one query


@dataclass(frozen=True)
class People:
    """Who is recorded as acting (None: the system), and a second person for publishing."""

    uploader: User | None = None
    publisher: User | None = None


@dataclass
class Outcome:
    """The result: `refused` maps a path to the sentence that says why.

    `documents` maps paths to added or existing documents. After a dry run those to be added are
    unsaved.
    """

    added: list[Document] = field(default_factory=list)
    present: list[Document] = field(default_factory=list)
    refused: dict[Path, str] = field(default_factory=dict)
    documents: dict[Path, Document] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """A file, and the unsaved document that describes it."""

    path: Path
    document: Document


@dataclass(frozen=True)
class Batch:
    """What all files of one call share."""

    collection: Collection
    people: People
    publish: bool
    today: datetime.date
    despite_doubts: bool = False  # else what has values in doubt returns to review when it is read


def bulk_ingest(
    paths: Sequence[Path],
    *,
    batch: Batch,
    dry_run: bool = False,
    on_file: Callable[[Path], None] = lambda path: None,
) -> Outcome:
    """Ingest files that share all metadata; errors and callbacks as in `take_in`.

    Raises NotPermitted and SecondPersonNeeded before the first where none could be published.
    """
    people = batch.people
    if batch.publish and not dry_run:
        refuse_to_publish(batch.collection, uploader=people.uploader, publisher=people.publisher)

    def publish(document: Document) -> None:
        if batch.publish:
            document_submit(document, by=people.uploader)
            document_publish(document, by=people.publisher, today=batch.today)

    return take_in(
        (Item(path, _described(batch)) for path in paths),
        uploader=people.uploader,
        dry_run=dry_run,
        on_file=on_file,
        on_added=publish,
    )


def _described(batch: Batch) -> Document:
    return Document(collection=batch.collection, despite_doubts=batch.despite_doubts)


def take_in(
    items: Iterable[Item],
    *,
    uploader: User | None,
    dry_run: bool,
    on_file: Callable[[Path], None],
    on_added: Callable[[Document], None] = lambda document: None,
) -> Outcome:
    """Ingest each file; a rejected one stops no other. A dry run writes nothing.

    `on_file` is called before each file, `on_added` after one was queued. Runs one query for every
    200 files, plus those of `document_ingest` for each new one.
    """
    outcome = Outcome()
    seen: dict[str, Document] = {}  # of this run: of two equal files the second is here already
    iterator = iter(items)
    while batch := list(islice(iterator, LOOKED_UP_TOGETHER)):
        digests = {item.path: digest_of(item.path) for item in batch}
        known = selectors.documents_by_sha256(d for d in digests.values() if d)
        for item in batch:
            on_file(item.path)
            digest = digests[item.path]
            document = known.get(digest) or seen.get(digest) if digest else None
            if document is not None:
                outcome.present.append(document)
            elif document := _add(item, outcome, uploader, on_added, dry_run):
                seen[digest] = document
            if document is not None:
                outcome.documents[item.path] = document
    return outcome


def _add(
    item: Item,
    outcome: Outcome,
    uploader: User | None,
    on_added: Callable[[Document], None],
    dry_run: bool,
) -> Document | None:
    document = item.document
    try:
        with item.path.open("rb") as stream:
            if dry_run:
                if document.collection_id:  # else it would be made, open to all who may upload
                    refuse_others(uploader, document.collection)
                files.refuse_too_large(item.path.stat().st_size)
                media_type_of(item.path, clean_filename(item.path.name))
                outcome.added.append(document)
                return document
            document_ingest(document, upload=stream, uploaded_by=uploader, filename=item.path.name)
        outcome.added.append(document)
        on_added(document)
    except DuplicateDocument as error:  # another upload was faster
        outcome.present.append(error.existing)
        return error.existing
    except (MedragError, OSError) as error:
        outcome.refused[item.path] = (
            error.sentence
            if isinstance(error, MedragError)
            else f"The file can't be opened: {error.strerror}."
        )
        return document if document.pk else None
    return document


def digest_of(path: Path) -> str:
    """Return a file's SHA-256; empty where it can't be read or is too large."""
    try:
        if path.stat().st_size > settings.UPLOAD_MAX_BYTES:
            return ""
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""
