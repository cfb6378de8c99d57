"""Take a file in, and send a document through its ingestion again."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import BinaryIO

from django.contrib.auth.models import User
from django.core.files.base import File
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from corpus import files, statistics
from corpus.errors import MedragError
from corpus.filenames import clean_filename, title_from
from corpus.models import Collection, Document, Job, JobState, Stage
from corpus.parsing.clean import clean_line
from corpus.parsing.sniff import media_type_of
from corpus.signals import document_uploaded
from corpus.wakeups import enqueue

Upload = BinaryIO | File  # type: ignore[type-arg]


class DuplicateDocument(MedragError):
    """These bytes are here already, as `existing`."""

    code = "duplicate"

    def __init__(self, existing: Document) -> None:
        super().__init__(
            f"This very file is here already: “{existing}”, uploaded as {existing.filename}.",
            hint="Open that document instead of uploading it again.",
        )
        self.existing = existing


class NotNow(MedragError):
    """The document is in another state than this step needs; somebody may have been faster."""

    code = "wrong_state"


def document_ingest(
    document: Document, *, upload: Upload, uploaded_by: User | None, filename: str = ""
) -> Document:
    """Store an upload under its SHA-256, save `document` itself, and queue its ingestion.

    The row, its job, the wake-up and what listens to `document_uploaded` commit together. Call it
    outside a transaction, so that no lock is held while the upload is read. `filename` defaults to
    the upload's own. Raises FileTooLarge, ParseError (what `media_type_of` refuses) and
    DuplicateDocument; then nothing is kept.
    """
    document.filename = clean_filename(filename or _name_of(upload))
    with files.scratch_folder() as folder:
        received = files.receive(upload, folder)  # type: ignore[arg-type]
        document.media_type = media_type_of(received.path, document.filename)
        _refuse_duplicate(received.sha256)
        document.sha256, document.size_bytes = received.sha256, received.size_bytes
        files.keep_document(received)
    document.title = clean_line(document.title)[:500] or title_from(document.filename)
    document.uploaded_by = uploaded_by
    try:
        _save_with_job(document, uploaded_by)
    except IntegrityError:
        _refuse_duplicate(received.sha256)  # another upload of these bytes was faster
        raise
    return document


def document_retry(document: Document, *, by: User | None) -> None:
    """Queue a FAILED document again, with all its attempts, from the step that is finished.

    Raises NotNow.
    """
    with transaction.atomic():
        failed = Job.objects.filter(document=document, state=JobState.FAILED)
        changes = {"state": JobState.PENDING, "attempts": 0, "error_code": "", "last_error": ""}
        if failed.update(enqueued_at=Now(), finished_at=None, **changes) != 1:
            raise NotNow("Only a document that failed can be tried again.")
        enqueue(document.pk)


def document_reindex(document: Document, *, by: User | None) -> None:
    """Throw away what was derived from the bytes and derive it again.

    The document is not searched until that is done. Raises NotNow while a job runs or waits.
    """
    with transaction.atomic():
        rested = Job.objects.filter(document=document, state__in=[JobState.DONE, JobState.FAILED])
        changes = {"state": JobState.PENDING, "stage": Stage.STORED, "attempts": 0}
        changes |= {"done": 0, "total": 0, "error_code": "", "last_error": ""}
        if rested.update(enqueued_at=Now(), finished_at=None, **changes) != 1:
            raise NotNow("The document is being read at the moment.", hint="Wait until it is done.")
        if Document.objects.filter(pk=document.pk, indexed_at__isnull=False).exists():
            statistics.subtract(document.pk)
        document.chunks.all().delete()
        document.pages.all().delete()
        Document.objects.filter(pk=document.pk).update(indexed_at=None, index_fingerprint="")
        enqueue(document.pk)
    document.refresh_from_db()


def collection_default() -> Collection:
    """The shelf for documents that name none, made when it is first needed."""
    defaults = {"name": "General", "description": "Documents without a collection of their own."}
    return Collection.objects.get_or_create(slug="general", defaults=defaults)[0]


@transaction.atomic
def _save_with_job(document: Document, uploaded_by: User | None) -> None:
    document.save(force_insert=True)
    Job.objects.create(document=document)
    enqueue(document.pk)
    document_uploaded.send(Document, document=document, actor=uploaded_by)


def _refuse_duplicate(sha256: str) -> None:
    existing = Document.objects.filter(sha256=sha256).first()
    if existing is not None:
        raise DuplicateDocument(existing)


def _name_of(upload: Upload) -> str:
    name = getattr(upload, "name", "")
    return PurePath(os.fspath(name)).name if isinstance(name, str | os.PathLike) else ""
