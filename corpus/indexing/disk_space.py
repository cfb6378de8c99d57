"""Estimate the disk space of a document's next step, and recognise errors from a full disk."""

from __future__ import annotations

from django.conf import settings

from core import disk
from core.database_availability import DISK_FULL, sqlstate
from core.disk import DiskFull
from corpus.encoders import vectors
from corpus.indexing.leases import Lease
from corpus.models import Document, Stage
from corpus.models.encoders import Storage

SCRATCH_BYTES = 16 * 1024**2
READ_SHARE = 4  # of a file's size: its text with the boxes of words, here and as rows
PASSAGES_OF_A_PAGE = 4
PASSAGE_BYTES = 16 * 1024  # its text, its words and their entries in the indexes
VECTOR_WRITES = 4  # the row, its place in the index, and both in the database's log
_FLOAT_BYTES = {Storage.VECTOR: 4, Storage.HALFVEC: 2}
_WRITTEN = {
    Stage.STORED: "what is read of a document",
    Stage.PARSED: "passages",
    Stage.CHUNKED: "vectors",
    Stage.EMBEDDED: "the index",
}


def refuse_full(document: Document, stage: Stage) -> None:
    """Raise DiskFull where the step after `stage` could not be completed.

    The disk of an external database can't be seen here; it reports being full itself.
    """
    needed = needed_bytes(document, stage)
    disk.refuse_full(settings.FILES_DIR, needed, writing=_WRITTEN[stage])


def needed_bytes(document: Document, stage: Stage) -> int:
    """Return an upper estimate of the bytes that the step writes. Runs up to two queries."""
    if stage == Stage.STORED:
        return SCRATCH_BYTES + READ_SHARE * document.size_bytes
    if not settings.DATABASE_IS_EMBEDDED:
        return 0
    passages = document.chunks.count() or document.page_count * PASSAGES_OF_A_PAGE
    vector_bytes = sum(
        encoder.dimensions * _FLOAT_BYTES[Storage(encoder.storage)]
        for encoder in vectors.searched()
    )
    return passages * (PASSAGE_BYTES + VECTOR_WRITES * vector_bytes)


def lacking(error: BaseException, lease: Lease) -> DiskFull | None:
    """Return DiskFull if the error was caused by a full disk, whoever raised it; else None."""
    causes = _causes(error)
    if known := next((cause for cause in causes if isinstance(cause, DiskFull)), None):
        return known
    is_full = any(disk.is_full(cause) or sqlstate(cause) == DISK_FULL for cause in causes)
    if not is_full and not disk.has_run_out(settings.FILES_DIR):
        return None
    document = Document.objects.get(pk=lease.document_id)
    needed = needed_bytes(document, lease.stage)
    return disk.disk_full(settings.FILES_DIR, needed, writing=_WRITTEN[lease.stage])


def _causes(error: BaseException) -> list[BaseException]:
    """Return the error and its causes; stops at a cycle."""
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__
    return causes
