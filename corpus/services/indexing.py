"""From stored bytes to searchable passages, in steps that can be interrupted and go on.

    STORED -> PARSED -> CHUNKED -> EMBEDDED -> INDEXED

Each step ends in one transaction that holds the lease and moves the stage. Nothing slow (a child
process, a model) runs inside a transaction. The result depends on the bytes alone: batches are
aligned by chunk index, so that a restart computes the same batches and the same vectors.
"""

from __future__ import annotations

import hashlib
import json
import logging
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Now

from corpus import files, jobs, statistics
from corpus.chunking import CHUNKER_VERSION, ChunkDraft, ChunkSettings, split
from corpus.embedding import Embedder, Vectors, get_embedder
from corpus.errors import MedragError
from corpus.filenames import title_from
from corpus.jobs import Lease, LeaseLost
from corpus.models import Chunk, Document, JobState, Page, Stage
from corpus.parsing import sandbox, serialise
from corpus.parsing.clean import clean_line
from corpus.parsing.types import Page as ParsedPage
from corpus.parsing.types import ParsedDocument
from corpus.search_text import normalise

logger = logging.getLogger(__name__)

BATCH = 16  # chunks encoded together: chunks 16k to 16k + 15 by index, always
MODEL_LOAD_LIMIT_S = 300.0  # after that the lease is no longer kept alive, and runs out
MODEL_LOAD_HEAD_START_S = 60.0  # importing torch holds the interpreter lock
CHUNKING_LIMIT_S = 300.0
BATCH_LIMIT_S = 180.0
# What a file may say of itself, and where that goes when staff left it blank.
METADATA_FIELDS = {"source": "issuer", "url": "source_url", "licence": "licence"}

_OUR_CODE = str(Path(__file__).resolve().parents[2] / "corpus")

Step = Callable[[Document, Lease], Stage]


class IncompleteDocument(MedragError):
    """A part of the document is missing from what was made of it: none of it may be searched."""

    code = "incomplete"


def document_index(document_id: int) -> None:
    """Take the document's job as far as it goes, and record how it ended. Never raises.

    What it logs and stores of an unexpected error is its type and place, never its text, which
    may quote the document.
    """
    try:
        lease = jobs.claim(document_id)
        if lease is not None:
            _attempt(lease)
    except LeaseLost:
        logger.warning("document %s: the lease was lost, nothing was written", document_id)
    except DatabaseError as error:  # the lease runs out, and the sweep takes over
        logger.error("document %s: %s", document_id, describe(error))


def _attempt(lease: Lease) -> None:
    try:
        _run(lease)
    except LeaseLost:
        raise
    except MedragError as error:
        code = str(getattr(error, "code", type(error).__name__))
        jobs.attempt_failed(lease, code=code, reason=error.sentence, retryable=error.retryable)
    except ImproperlyConfigured as error:
        jobs.attempt_failed(lease, code="configuration", reason=str(error), retryable=False)
    except Exception as error:  # noqa: BLE001  any parser's or model's: the job must not hang
        logger.error("document %s: %s", lease.document_id, describe(error))
        reason = (
            f"An unexpected error ({type(error).__name__}) stopped it while it was being "
            f"{jobs.STEP_NAMES[lease.stage]}. The worker's log says where."
        )
        jobs.attempt_failed(lease, code="unexpected", reason=reason, retryable=True)


def describe(error: BaseException) -> str:
    """The error's type, the database's code for it, and where in our own code; not its text."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f.filename.startswith(_OUR_CODE)] or list(frames)
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "an unknown place"
    code = getattr(error.__cause__, "sqlstate", None)
    return f"{type(error).__name__}{f' {code}' if code else ''} at {place}"


def _run(lease: Lease) -> None:
    if lease.stage in (Stage.CHUNKED, Stage.EMBEDDED):
        document = Document.objects.get(pk=lease.document_id)
        if document.index_fingerprint != _fingerprint(document, _embedder(lease)):
            lease.stage = Stage.PARSED  # settings changed since: cut and embed it again
    while lease.stage != Stage.INDEXED:
        document = Document.objects.get(pk=lease.document_id)
        lease.stage = _STEPS[lease.stage](document, lease)


def _parse(document: Document, lease: Lease) -> Stage:
    with files.scratch_folder() as folder:
        parsed = sandbox.parse_in_child(
            files.document_path(document.sha256),
            media_type=document.media_type,
            output_dir=folder,
            limits=sandbox.Limits(
                max_pages=settings.PARSE_MAX_PAGES,
                memory_mb=settings.PARSE_MEMORY_MB,
                cpu_s=settings.PARSE_TIMEOUT_S,
                wall_s=settings.PARSE_TIMEOUT_S,
            ),
            on_progress=lease.progress,
            command=settings.PARSER_COMMAND or sandbox.CHILD,
            docling_artifacts=_artifacts(),
        )
        _refuse_gaps(parsed)
        files.keep_page_images(document.sha256, folder / "pages")
    with transaction.atomic():
        lease.hold(stage=Stage.PARSED, done=len(parsed.pages), total=len(parsed.pages))
        document = Document.objects.select_for_update().get(pk=document.pk)
        _describe_document(document, parsed)
        document.pages.all().delete()
        Page.objects.bulk_create(_page_row(document, page) for page in parsed.pages)
        document.save(update_fields=["title", "page_count", "engine", *METADATA_FIELDS.values()])
    return Stage.PARSED


def _embedder(lease: Lease) -> Embedder:
    """The encoder, which the first call in a process has to load."""
    with lease.kept_alive(MODEL_LOAD_LIMIT_S, head_start_s=MODEL_LOAD_HEAD_START_S):
        embedder = get_embedder()
    lease.hold()
    return embedder


def _chunk(document: Document, lease: Lease) -> Stage:
    embedder = _embedder(lease)
    with lease.kept_alive(CHUNKING_LIMIT_S):
        drafts = split(
            pages_of(document),
            title=document.title,
            population=document.population,
            sha256=document.sha256,
            settings=_chunk_settings(embedder),
            count_tokens=embedder.count_tokens,
        )
        fingerprint = _fingerprint(document, embedder)
    if not drafts:
        raise IncompleteDocument(
            "No text was found to cut into passages.",
            hint="Check that the file opens and shows text.",
        )
    with transaction.atomic():
        lease.hold(stage=Stage.CHUNKED, done=0, total=len(drafts))
        document.chunks.all().delete()
        Chunk.objects.bulk_create((_chunk_row(document, d) for d in drafts), batch_size=500)
        Document.objects.filter(pk=document.pk).update(index_fingerprint=fingerprint)
    return Stage.CHUNKED


def _embed(document: Document, lease: Lease) -> Stage:
    embedder = _embedder(lease)
    chunks = Chunk.objects.filter(document=document)
    total = chunks.count()
    unembedded = chunks.filter(embedding=None).values_list("index", flat=True)
    for first in sorted({index // BATCH * BATCH for index in unembedded}):
        rows = list(chunks.filter(index__gte=first, index__lt=first + BATCH).order_by("index"))
        with lease.kept_alive(BATCH_LIMIT_S):
            vectors = embedder.encode([f"{row.context}\n{row.text}" for row in rows])
        _refuse_bad_vectors(vectors, len(rows))
        with transaction.atomic():
            lease.hold(done=min(first + BATCH, total), total=total)
            _write_vectors(rows, vectors)
    with transaction.atomic():
        lease.hold(stage=Stage.EMBEDDED, done=total, total=total)
    return Stage.EMBEDDED


def _finish(document: Document, lease: Lease) -> Stage:
    with transaction.atomic():
        lease.hold(
            state=JobState.DONE,
            stage=Stage.INDEXED,
            finished_at=Now(),
            error_code="",
            last_error="",
            lease_token=None,
            lease_until=None,
        )
        unfinished = document.chunks.filter(embedding=None) | document.chunks.filter(
            search_vector=None
        )
        if unfinished.exists():
            raise IncompleteDocument("Some passages have no vector.", hint="Index it again.")
        statistics.add(document.pk)
        Document.objects.filter(pk=document.pk).update(indexed_at=Now())
    return Stage.INDEXED


_STEPS: dict[Stage, Step] = {
    Stage.STORED: _parse,
    Stage.PARSED: _chunk,
    Stage.CHUNKED: _embed,
    Stage.EMBEDDED: _finish,
}

# One statement writes both vectors of a batch: every update of a chunk makes a new entry in the
# HNSW index, and dead entries cost recall.
_WRITE_VECTORS = """
UPDATE corpus_chunk c
SET embedding = v.embedding::vector, search_vector = v.tsv,
    length = (SELECT coalesce(sum(cardinality(u.positions)), 0) FROM unnest(v.tsv) u)
FROM (
    SELECT id, embedding, to_tsvector('english', words) AS tsv
    FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS w(id, embedding, words)
) AS v
WHERE c.id = v.id AND c.embedding IS NULL
"""


def _write_vectors(rows: Sequence[Chunk], vectors: Vectors) -> None:
    texts = ["[" + ",".join(repr(float(x)) for x in vector) + "]" for vector in vectors]
    words = [normalise(f"{row.context}\n{row.text}") for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(_WRITE_VECTORS, [[row.pk for row in rows], texts, words])


def pages_of(document: Document) -> tuple[ParsedPage, ...]:
    """The document's pages as the parser made them, in order. One query."""
    rows = [
        {
            "number": page.number,
            "text": page.text,
            "blocks": page.blocks,
            "width": page.width,
            "height": page.height,
            "ocr_confidence": page.ocr_confidence,
            "doubts": page.doubts,
        }
        for page in document.pages.order_by("number")
    ]
    whole = {"pages": rows, "engine": "", "title": "", "metadata": {}}
    return serialise.from_json(json.dumps(whole)).pages


def _page_row(document: Document, page: ParsedPage) -> Page:
    return Page(
        document=document,
        number=page.number,
        text=page.text,
        blocks=[asdict(block) for block in page.blocks],
        width=page.width,
        height=page.height,
        ocr_confidence=page.ocr_confidence,
        doubts=[asdict(doubt) for doubt in page.doubts],
    )


def _chunk_row(document: Document, draft: ChunkDraft) -> Chunk:
    return Chunk(
        document=document,
        key=draft.key,
        index=draft.index,
        page=draft.page,
        section_path=list(draft.section_path),
        context=draft.context,
        text=draft.text,
        spans=[list(span) for span in draft.spans],
        tokens=draft.tokens,
    )


def _describe_document(document: Document, parsed: ParsedDocument) -> None:
    """Take over what the file says of itself where staff left the default."""
    title = clean_line(parsed.title)[:500]
    if title and document.title == title_from(document.filename):
        document.title = title
    for key, field in METADATA_FIELDS.items():
        value = clean_line(parsed.metadata.get(key, ""))
        limit = getattr(Document._meta.get_field(field), "max_length", 0)
        if value and len(value) <= limit and not getattr(document, field):
            setattr(document, field, value)
    document.page_count = len(parsed.pages)
    document.engine = parsed.engine[:300]


def _refuse_gaps(parsed: ParsedDocument) -> None:
    """Complete or not at all: the page that is missing may hold the contraindication."""
    numbers = [page.number for page in parsed.pages]
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        raise IncompleteDocument(
            "Some pages could not be read, so nothing of this document is searched.",
            hint="Save the file again and upload it, or press Retry.",
            retryable=True,
        )


def _refuse_bad_vectors(vectors: Vectors, count: int) -> None:
    lengths = np.linalg.norm(vectors, axis=1) if len(vectors) == count else np.zeros(1)
    if not np.isfinite(lengths).all() or (abs(lengths - 1) > 1e-3).any():
        raise IncompleteDocument(
            "The encoder gave vectors that can't be searched.",
            hint="Check MEDRAG_EMBEDDER, then press Retry.",
        )


def _chunk_settings(embedder: Embedder) -> ChunkSettings:
    """As set, bounded by what the encoder reads: what it cuts off could never be found."""
    largest = min(settings.CHUNK_MAX_TOKENS, embedder.max_tokens)
    return ChunkSettings(largest, settings.CHUNK_OVERLAP_TOKENS)


def _fingerprint(document: Document, embedder: Embedder) -> str:
    """Of all that decides the chunks and vectors of given bytes."""
    parts = [
        document.engine,
        CHUNKER_VERSION,
        repr(_chunk_settings(embedder)),
        embedder.fingerprint,
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _artifacts() -> Path | None:
    return Path(settings.DOCLING_ARTIFACTS_PATH) if settings.DOCLING_ARTIFACTS_PATH else None
