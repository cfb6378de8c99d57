"""Import a published corpus: each record becomes a document, ingested like any upload."""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.db import transaction

from core.errors import MedragError
from corpus.intake.files import People
from corpus.intake.published_formats import LEFT_OUT, Format, records_of, refusal
from corpus.intake.splitting import Record
from corpus.models import Collection, Document
from corpus.services.documents import (
    DuplicateDocument,
    document_add,
    document_store,
    refuse_others,
)
from corpus.services.lifecycle import document_publish, document_submit, refuse_to_publish

LOOKED_UP_TOGETHER = 500  # records for one query
HELD_BYTES = 32 * 2**20  # of records, in memory at a time; one that is larger is held alone
# The audit chain's head is held while these rows are written, and answers wait for it.
COMMITTED_TOGETHER = 20


@dataclass(frozen=True)
class Plan:
    """What applies to all records. Empty `languages`: all; `limit` None: no limit."""

    form: Format
    collection: Collection
    people: People
    today: datetime.date
    languages: frozenset[str] = frozenset({"en"})
    publish: bool = False
    despite_doubts: bool = False  # else what has values in doubt returns to review when it is read
    limit: int | None = None
    dry_run: bool = False


@dataclass
class ImportOutcome:
    """The result of an import. `added` and `present` are ids of documents.

    In a dry run `new` counts what would be added. `repeated` counts records equal to an earlier one
    of the corpus. `left_out` counts unwanted records by code (`formats.LEFT_OUT`); `refused` names
    broken ones, with a sentence.
    """

    read: int = 0
    new: int = 0
    repeated: int = 0
    added: list[int] = field(default_factory=list)
    present: list[int] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    refused: list[tuple[str, str]] = field(default_factory=list)


def corpus_import(
    path: Path,
    *,
    plan: Plan,
    on_bytes: Callable[[int], None] = lambda count: None,
) -> ImportOutcome:
    """Import every new record below `path`; a rejected one stops no other.

    An interrupted import keeps what it has, and the next call continues: existing records are
    recognised by the SHA-256 of their bytes, 500 a query, without parsing. Of equal records the
    first counts. Raises NotPermitted and SecondPersonNeeded before the first record, and other
    errors of `document_publish` between commits of 20 documents.
    """
    if not plan.dry_run:
        people = plan.people
        refuse_others(people.uploader, plan.collection)
        if plan.publish:
            refuse_to_publish(plan.collection, uploader=people.uploader, publisher=people.publisher)
    outcome = ImportOutcome()
    records = records_of(
        path, form=plan.form, max_bytes=settings.UPLOAD_MAX_BYTES, on_bytes=on_bytes
    )
    seen: set[str] = set()  # of what is new
    for batch in _batches(islice(records, plan.limit)):
        outcome.read += len(batch)
        new = _sort_out(batch, plan, outcome, seen)
        outcome.new += len(new)
        if not plan.dry_run:
            for start in range(0, len(new), COMMITTED_TOGETHER):
                _commit(new[start : start + COMMITTED_TOGETHER], plan, outcome)
            seen.clear()  # the database knows them now
    return outcome


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    size = 0
    for record in records:
        if batch and (len(batch) >= LOOKED_UP_TOGETHER or size + len(record.content) > HELD_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(record)
        size += len(record.content)
    if batch:
        yield batch


def _sort_out(
    batch: Sequence[Record], plan: Plan, outcome: ImportOutcome, seen: set[str]
) -> list[Record]:
    """Return the records to add, and count the others. Runs one query."""
    digests = [hashlib.sha256(r.content).hexdigest() if r.error is None else "" for r in batch]
    stored = Document.objects.filter(sha256__in=[d for d in digests if d])
    here = dict(stored.order_by().values_list("sha256", "pk"))
    new: list[Record] = []
    for record, digest in zip(batch, digests, strict=True):
        if digest in here:
            outcome.present.append(here[digest])
        elif digest in seen:
            outcome.repeated += 1
        elif (error := refusal(record, form=plan.form, languages=plan.languages)) is None:
            new.append(record)
            seen.add(digest)
        elif error.code in LEFT_OUT:
            outcome.left_out[error.code] += 1
        else:
            outcome.refused.append((record.name, error.sentence))
    return new


def _commit(records: Sequence[Record], plan: Plan, outcome: ImportOutcome) -> None:
    """Store the records, then add and, if planned, publish them in one transaction."""
    documents: list[Document] = []
    for record in records:
        document = Document(collection=plan.collection, despite_doubts=plan.despite_doubts)
        upload, uploader = BytesIO(record.content), plan.people.uploader
        try:
            document_store(document, upload=upload, uploaded_by=uploader, filename=record.name)
            documents.append(document)
        except DuplicateDocument as error:
            outcome.present.append(error.existing.pk)
        except MedragError as error:
            outcome.refused.append((record.name, error.sentence))
    added: list[int] = []
    present: list[int] = []
    with transaction.atomic():
        for document in documents:
            try:
                document_add(document, uploaded_by=plan.people.uploader)
            except DuplicateDocument as error:  # another import was faster
                present.append(error.existing.pk)
                continue
            added.append(document.pk)
            if plan.publish:
                document_submit(document, by=plan.people.uploader)
                document_publish(document, by=plan.people.publisher, today=plan.today)
    outcome.added += added
    outcome.present += present
