"""Take in files, and send documents through ingestion again."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import Any, BinaryIO

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import File
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.formats import date_format

from core.disk import reporting_full_disk
from core.errors import MedragError
from core.wake_ups import READING, wake
from corpus import files
from corpus.access import NotPermitted, collections_searchable, documents_visible, may_upload
from corpus.filenames import clean_filename, title_from
from corpus.models import Collection, Document, Job, JobState, Lifecycle, Stage, UploadKey
from corpus.parsing.clean import clean_line
from corpus.parsing.engines import require_models
from corpus.parsing.sniff import media_type_of
from corpus.scanning import refuse_infected
from corpus.signals import (
    document_discarded,
    document_reindexed,
    document_retried,
    document_uploaded,
)

# Said to somebody who may not know that these bytes are here already.
HIDDEN_DUPLICATE = "It can't be added here. Ask an administrator of the corpus, who can see why."
_CUT = (Stage.CHUNKED, Stage.EMBEDDED, Stage.INDEXED)  # what is left is not the file's fault
UPLOAD_AGAIN = "Nothing of it was kept: upload it again when there is room."

Upload = BinaryIO | File  # type: ignore[type-arg]


class DuplicateDocument(MedragError):
    """The bytes exist already, as `existing`.

    `may_be_named` says whether the uploader may learn its title; the sentence respects it.
    """

    code = "duplicate"

    def __init__(self, existing: Document, *, may_be_named: bool) -> None:
        if not may_be_named:
            super().__init__(HIDDEN_DUPLICATE, hint="Nothing was stored.")
        elif withdrawal := withdrawal_of(existing):
            super().__init__(
                f"This file is “{existing}”. {withdrawal}",
                hint="Nothing was stored. To use it again, put that document back in force.",
            )
        else:
            super().__init__(
                f"This file was uploaded before: “{existing}”, as {existing.filename}.",
                hint="Nothing was stored. Open that document instead.",
            )
        self.existing = existing
        self.may_be_named = may_be_named


def withdrawal_of(document: Document) -> str:
    """Return a sentence on when and why a document was withdrawn; empty if it was not."""
    if document.lifecycle != Lifecycle.WITHDRAWN:
        return ""
    at = document.withdrawn_at
    when = f" on {date_format(timezone.localtime(at), 'j F Y')}" if at else ""
    why = document.withdrawn_reason.strip()
    return f"It was withdrawn{when}{f': {why}' if why else ''}".rstrip(".") + "."


class NotNow(MedragError):
    """The document's state doesn't allow this step; somebody may have been faster."""

    code = "wrong_state"


def document_ingest(
    document: Document,
    *,
    upload: Upload,
    uploaded_by: User | None,
    filename: str = "",
    source: str = "",
    is_fed: bool = False,
) -> Document:
    """Store an upload under its SHA-256, save `document`, and queue its ingestion.

    Row, job and receivers of `document_uploaded` commit together. Call it outside a transaction, so
    that no lock is held while the upload is read. `filename` defaults to the upload's own; `source`
    is the watched source that it comes from, for the log; `is_fed`: it may add to the collection
    whatever groups may. Raises FileTooLarge, Infected, ScannerUnavailable, ParseError (from
    `media_type_of`), NotPermitted, FilesUnavailable, DiskFull and DuplicateDocument; then nothing
    is kept.
    """
    if not is_fed:
        refuse_others(uploaded_by, document.collection)
    _store(document, upload, uploaded_by, filename)
    return document_add(document, uploaded_by=uploaded_by, source=source)


def document_store(
    document: Document, *, upload: Upload, uploaded_by: User | None, filename: str = ""
) -> None:
    """Store the bytes without a row: the first half of `document_ingest`.

    For many files at once, whose rows are then added in one transaction that reads no upload.
    """
    refuse_others(uploaded_by, document.collection)
    _store(document, upload, uploaded_by, filename)


def _store(document: Document, upload: Upload, uploaded_by: User | None, filename: str) -> None:
    document.filename = clean_filename(filename or _name_of(upload))
    upload.seek(0, os.SEEK_END)
    size_bytes = upload.tell()
    full = reporting_full_disk(settings.FILES_DIR, size_bytes, writing="a file", hint=UPLOAD_AGAIN)
    with full, files.scratch_folder() as folder:
        received = files.receive(upload, folder)  # type: ignore[arg-type]
        refuse_infected(received.path)
        document.media_type = media_type_of(received.path, document.filename)
        _refuse_duplicate(received.sha256, uploaded_by)
        document.sha256, document.size_bytes = received.sha256, received.size_bytes
        files.keep_document(received)


def document_add(document: Document, *, uploaded_by: User | None, source: str = "") -> Document:
    """Store row and job and send the signal: the second half. Raises DuplicateDocument."""
    document.title = clean_line(document.title)[:500] or title_from(document.filename)
    document.uploaded_by = uploaded_by
    try:
        _save_with_job(document, uploaded_by, {"source": source} if source else {})
    except IntegrityError:
        _refuse_duplicate(document.sha256, uploaded_by)  # another upload of them was faster
        raise
    return document


def document_read_again(document: Document, *, by: User | None) -> None:
    """Queue a document that has been read, or failed, to be read again: "Read again".

    From its file, except that a failed one whose passages were cut goes on from there. Raises
    NotNow.
    """
    failed = Job.objects.filter(document=document, state=JobState.FAILED, stage__in=_CUT)
    again = document_retry if failed.exists() else document_reindex
    again(document, by=by)


def document_retry(document: Document, *, by: User | None) -> None:
    """Queue a failed document from its last completed step, with all attempts. Raises NotNow."""
    with transaction.atomic():
        if not _queued(document, JobState.FAILED):
            raise NotNow(
                "Nothing was changed: only a failed document can go on from where it failed."
            )
        document_retried.send(Document, document=document, actor=by)


@transaction.atomic
def document_discard(document: Document, *, by: User | None) -> None:
    """Delete an unreadable upload with its bytes, so that it can be uploaded again.

    Only for failed documents that were never published or indexed, which no answer can cite; their
    events stay in the log. Raises NotNow, and NotPermitted as uploading does.
    """
    refuse_others(by, document.collection)
    unpublished = (Lifecycle.DRAFT, Lifecycle.REVIEW)
    rows = Document.objects.select_for_update(of=("self",)).filter(
        pk=document.pk, lifecycle__in=unpublished, indexed_at=None, published_at=None
    )
    failed = Job.objects.select_for_update().filter(document=document, state=JobState.FAILED)
    if not rows.exists() or not failed.exists():
        raise NotNow(
            f"“{document}” was not discarded: it is not a failed upload.",
            hint="Reload the page: somebody may have had it read again.",
        )
    UploadKey.objects.filter(sha256=document.sha256).delete()
    rows.delete()
    # Before the commit: until then the row keeps the same bytes from being uploaded again. And
    # before the log, whose lock everybody waits for, has the event.
    files.remove_document(document.sha256)
    document_discarded.send(Document, document=document, actor=by)


_ANEW: dict[str, Any] = {"timings": {}, "done": 0, "total": 0, "progress": 0.0}


def document_reindex(
    document: Document,
    *,
    by: User | None,
    stage: Stage = Stage.STORED,
    read_with: str | None = None,
) -> None:
    """Repeat the steps after `stage`: STORED parses the file again, PARSED only cuts it.

    `read_with` sets the engine from now on; None keeps it. Its passages are searched until all that
    replaces them was made. Raises NotNow while a
    job runs or waits, and ModelsMissing.
    """
    require_models(read_with)
    with transaction.atomic():
        # Its row first, as who edits it does, who then waits for the job.
        list(Document.objects.select_for_update().filter(pk=document.pk).values("pk"))
        if not document.pages.exists():
            stage = Stage.STORED
        anew = {"stage": stage, **_ANEW}
        if not _queued(document, JobState.DONE, JobState.FAILED, **anew):
            raise NotNow(
                "The document is being ingested at the moment.",
                hint="Nothing was changed. Wait until that is done.",
            )
        if read_with is not None:
            Document.objects.filter(pk=document.pk).update(read_with=read_with)
        document_reindexed.send(Document, document=document, actor=by)
    document.refresh_from_db()


def document_queue_indexing(document: Document) -> None:
    """Queue a document to be cut and indexed again after a change of its metadata.

    Call it in the transaction of the change, which holds the document's row. A waiting or running
    job takes the change into account before it ends, a failed one when it is read again.
    """
    _queued(document, JobState.DONE, stage=Stage.PARSED, **_ANEW)


def _queued(document: Document, *states: JobState, **changes: Any) -> bool:
    """Requeue a job that is in one of these states, with all attempts; tell whether it was."""
    ended = Job.objects.filter(document=document, state__in=states)
    changes |= {"attempts": 0, "error_code": "", "last_error": "", "finished_at": None}
    is_queued = ended.update(state=JobState.PENDING, enqueued_at=Now(), **changes) == 1
    if is_queued:
        wake(READING, document.pk)
    return is_queued


def collection_default() -> Collection:
    """Return the default collection, created when first needed."""
    defaults = {"name": "General", "description": "Documents without a collection of their own."}
    return Collection.objects.get_or_create(slug="general", defaults=defaults)[0]


@transaction.atomic
def _save_with_job(document: Document, uploaded_by: User | None, told: dict[str, str]) -> None:
    document.save(force_insert=True)
    Job.objects.create(document=document)
    wake(READING, document.pk)
    document_uploaded.send(Document, document=document, actor=uploaded_by, **told)


def refuse_others(by: User | None, collection: Collection) -> None:
    """Raise NotPermitted for those who may not upload to the collection. Runs one query."""
    if not may_upload(by, collection):
        raise NotPermitted(
            "You have no right to upload to this collection.",
            hint="Nothing was stored. Choose another collection, or ask its staff.",
        )


def _refuse_duplicate(sha256: str, by: User | None) -> None:
    existing = Document.objects.filter(sha256=sha256).first()
    if existing is None:
        return
    if by is None:
        named = collections_searchable(None).filter(pk=existing.collection_id).exists()
    else:
        named = documents_visible(by).filter(pk=existing.pk).exists()
    raise DuplicateDocument(existing, may_be_named=named)


def _name_of(upload: Upload) -> str:
    name = getattr(upload, "name", "")
    return PurePath(os.fspath(name)).name if isinstance(name, str | os.PathLike) else ""
