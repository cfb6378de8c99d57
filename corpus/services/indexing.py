"""Index a document, from stored bytes to searchable passages, in resumable steps.

    STORED -> PARSED -> CHUNKED -> EMBEDDED -> INDEXED

Each step ends with one transaction that holds the lease and advances the stage. Nothing slow (a
child process, a model) runs inside a transaction. The result depends on the bytes only: batches are
aligned by chunk index, so that a restart computes the same batches and vectors.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import Error, transaction
from django.db.models.functions import Now

from core.database_availability import is_away, retry_until_available
from core.disk import DiskFull
from core.errors import MedragError
from core.language.configurations import configuration_of
from core.language.en.short_forms.defined import defined_in
from core.leases import FREE
from corpus import files
from corpus.chunking.cutting import Order, Passage
from corpus.encoders import vectors
from corpus.encoders.batches import IncompleteDocument
from corpus.encoders.registry import encoder_facts, load_early
from corpus.encoders.types import Embedder
from corpus.indexing import context_lines, jobs, statistics
from corpus.indexing import disk_space as room
from corpus.indexing.leases import Lease, LeaseLost, Preempted
from corpus.indexing.recipe import chunk_settings, fingerprint, site_recipe
from corpus.indexing.rows import METADATA_FIELDS, chunk_rows, page_row, take_over
from corpus.models import Chunk, Document, Job, JobState, Page, Stage
from corpus.parsing.engines import artifacts_for
from corpus.parsing.types import ParsedDocument
from corpus.review.corrections import CorrectedPage
from corpus.review.disabled_passages import still_disabled
from corpus.review.versions import signature
from corpus.review.words_found import lines_misread, looks_keep
from corpus.sandbox import parent as sandbox
from corpus.services.corrections import pages_correct, pages_corrected
from corpus.services.embedding import document_embed, reading_embedder
from corpus.services.lifecycle import (
    document_hold_back,
    document_hold_misread,
    documents_supersede_due,
    lock_for_succession,
)
from corpus.services.passages import passages_write
from corpus.services.summaries import summaries_draft, summaries_keep
from corpus.signals import document_indexed
from corpus.statements import STATEMENTS_VERSION

logger = logging.getLogger(__name__)

WRITE_LIMIT_S = 300.0  # of a transaction with all rows of a document
ROOM_PAUSE_S = 30.0  # until a full disk is looked at again
_OUR_CODE = str(Path(__file__).resolve().parents[2] / "corpus")

Step = Callable[[Document, Lease], Stage]


def document_index(document_id: int | None = None) -> bool:
    """Run a document's job as far as possible and record the result. Never raises.

    Without an id it runs the first due job (`corpus.indexing.jobs.claim`). Returns whether there
    was one.

    Of unexpected errors it logs and stores type and place, never the text, which may quote the
    document.
    """
    lease = None
    try:
        lease = retry_until_available(lambda: jobs.claim(document_id))
        if lease is not None:
            document_id = lease.document_id
            _attempt(lease)
    except Preempted:
        logger.info("document %s waits for shorter work", document_id)
    except LeaseLost:
        logger.warning("document %s: the lease was lost, nothing was written", document_id)
    except Error as error:  # the lease runs out, and the sweep takes over
        logger.error("document %s: %s", document_id, describe(error))
    return lease is not None


def _attempt(lease: Lease) -> None:
    try:
        _run(lease)
    except (Preempted, LeaseLost):
        raise
    except Exception as error:  # noqa: BLE001  any parser's or model's: the job must not hang
        if is_away(error):
            _when_it_is_back(lease)
        elif lack := room.lacking(error, lease):
            _wait_for_room(lease, lack)
        else:
            jobs.attempt_failed(lease, **_failure(error, lease))


def _failure(error: Exception, lease: Lease) -> dict[str, Any]:
    """Return code and sentence of an error, and whether a retry may help."""
    if isinstance(error, MedragError):
        code = str(getattr(error, "code", type(error).__name__))
        return {"code": code, "reason": error.sentence, "retryable": error.retryable}
    if isinstance(error, ImproperlyConfigured):
        return {"code": "configuration", "reason": str(error), "retryable": False}
    logger.error("document %s: %s", lease.document_id, describe(error))
    reason = (
        f"An unexpected error ({type(error).__name__}) stopped it while it was being "
        f"{jobs.STEP_NAMES[lease.stage]}. The worker's log says where."
    )
    return {"code": "unexpected", "reason": reason, "retryable": True}


def _when_it_is_back(lease: Lease) -> None:
    """Requeue the document when the database that went away answers again."""
    logger.warning("document %s: the database went away, waiting for it", lease.document_id)
    reason = f"The database went away while it was being {jobs.STEP_NAMES[lease.stage]}."

    def end() -> None:
        if jobs.database_restarted(lease):
            jobs.requeue_uncounted(lease, code="database_away", reason=reason)
        else:
            jobs.attempt_failed(lease, code="database_away", reason=reason, retryable=True)

    retry_until_available(end)


def _wait_for_room(lease: Lease, error: DiskFull) -> None:
    def end() -> bool:
        return jobs.requeue_uncounted(
            lease, code=error.code, reason=error.sentence, after_s=ROOM_PAUSE_S
        )

    if retry_until_available(end):
        logger.error("document %s: %s", lease.document_id, error.sentence)


def describe(error: BaseException) -> str:
    """Return an error's type, database code and place in our code, but not its text."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f.filename.startswith(_OUR_CODE)] or list(frames)
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "an unknown place"
    code = getattr(error.__cause__, "sqlstate", None)
    return f"{type(error).__name__}{f' {code}' if code else ''} at {place}"


def _run(lease: Lease) -> None:
    if lease.stage in (Stage.CHUNKED, Stage.EMBEDDED):
        document = Document.objects.get(pk=lease.document_id)
        if document.index_fingerprint != fingerprint(document, site_recipe(encoder_facts())):
            lease.stage = Stage.PARSED  # settings changed since: cut and embed it again
    while lease.stage != Stage.INDEXED:
        jobs.yield_to_due(lease)
        document = Document.objects.get(pk=lease.document_id)
        room.refuse_full(document, lease.stage)
        lease.stage = _STEPS[lease.stage](document, lease)


def _parse(document: Document, lease: Lease) -> Stage:
    artifacts = artifacts_for(document.read_with)
    load_early()  # while the child works
    with files.scratch_folder() as folder, files.document_on_disk(document.sha256) as path:
        parsed = sandbox.parse_in_child(
            path,
            media_type=document.media_type,
            output_dir=folder,
            limits=_limits(),
            on_progress=lease.progress,
            on_start=lambda: lease.lap("start"),
            command=settings.PARSER_COMMAND or sandbox.CHILD,
            docling_artifacts=artifacts,
        )
        _refuse_gaps(parsed)
    lease.lap("parse")
    with transaction.atomic():
        lease.hold(
            WRITE_LIMIT_S,
            stage=Stage.PARSED,
            done=len(parsed.pages),
            total=len(parsed.pages),
            timings=lease.timings,
        )
        document = Document.objects.select_for_update().get(pk=document.pk)
        take_over(document, parsed)
        known, seen = lines_misread(document), lines_misread(document, looked=True)
        _take_out(document)
        had_pages, _ = document.pages.all().delete()
        Page.objects.bulk_create(page_row(document, page) for page in parsed.pages)
        document.signature = signature(page.text for page in parsed.pages)
        document.short_forms = defined_in("\n".join(page.text for page in parsed.pages))
        document.save(
            update_fields=[
                *("title", "page_count", "engine", "signature", "short_forms"),
                *METADATA_FIELDS.values(),
            ]
        )
        if had_pages:
            looks_keep(document, seen)
            document_hold_misread(document, known=known)
        else:
            document_hold_back(document)
    lease.lap("write")
    return Stage.PARSED


def _limits() -> sandbox.Limits:
    """Return the limits of one file for each of its two steps in a child process."""
    return sandbox.Limits(
        max_pages=settings.PARSE_MAX_PAGES,
        memory_mb=settings.PARSE_MEMORY_MB,
        # Less, so that a file that computes for ever is told from a busy machine.
        cpu_s=max(1, settings.PARSE_TIMEOUT_S * 4 // 5),
        wall_s=settings.PARSE_TIMEOUT_S,
    )


def _take_out(document: Document) -> None:
    """Remove a document's passages from search and statistics, to be replaced.

    Called in the transaction that stores their replacements: until then the old ones are found.
    Disabled ones stay until it is known which new ones inherit that.
    """
    was_indexed = Document.objects.filter(pk=document.pk, indexed_at__isnull=False)
    if was_indexed.update(indexed_at=None):
        statistics.subtract(document.pk)
    document.summaries.all().delete()
    document.chunks.filter(disabled_at=None).delete()


def _chunk(document: Document, lease: Lease) -> Stage:
    embedder = reading_embedder(lease)
    pages = pages_corrected(document)
    passages = _passages(document, pages, embedder, lease)
    if not passages:
        raise IncompleteDocument(
            "No text was found to cut into passages.",
            hint="None of it is searched. Check that the file opens and shows text.",
        )
    if context_lines.is_configured():
        drafts = context_lines.with_lines(
            [passage.draft for passage in passages],
            title=document.title,
            count_tokens=embedder.count_tokens,
            lease=lease,
        )
        passages = [
            replace(passage, draft=draft) for passage, draft in zip(passages, drafts, strict=True)
        ]
    made_by = fingerprint(document, site_recipe(encoder_facts()))
    lease.lap("chunk")
    with transaction.atomic():
        lease.hold(
            WRITE_LIMIT_S,
            stage=Stage.CHUNKED,
            done=0,
            total=len(passages),
            timings=lease.timings,
        )
        _take_out(document)
        pages_correct(document, pages)
        rows = chunk_rows(document, passages)
        _keep_disabled(document, rows)
        passages_write(rows, passages)
        Document.objects.filter(pk=document.pk).update(
            index_fingerprint=made_by,
            statements_version=STATEMENTS_VERSION,
            search_configuration=configuration_of(document.language),
        )
    lease.lap("write")
    return Stage.CHUNKED


def _keep_disabled(document: Document, rows: Sequence[Chunk]) -> None:
    """Disable the new passages that correspond to disabled old ones."""
    disabled = list(document.chunks.filter(disabled_at__isnull=False).order_by("index"))
    document.chunks.all().delete()
    stays = still_disabled([chunk.text for chunk in disabled], [row.text for row in rows])
    for new, old in stays.items():
        for name in ("disabled_at", "disabled_by_id", "disabled_reason"):
            setattr(rows[new], name, getattr(disabled[old], name))


def _passages(
    document: Document, pages: Sequence[CorrectedPage], embedder: Embedder, lease: Lease
) -> list[Passage]:
    """Cut the pages in a child process."""
    with files.scratch_folder() as folder:
        order = Order(
            pages=tuple(asdict(made.page) for made in pages),
            title=document.title,
            population=document.population,
            sha256=document.sha256,
            settings=chunk_settings(embedder),
            counter=embedder.token_counter(folder),
        )
        return sandbox.cut_in_child(
            order,
            output_dir=folder,
            limits=_limits(),
            on_progress=lease.progress,
            command=settings.PARSER_COMMAND or sandbox.CHILD,
        )


def _finish(document: Document, lease: Lease) -> Stage:
    summaries = summaries_draft(document, run=lease.run)
    lease.lap("embed")
    recipe = site_recipe(encoder_facts())
    with transaction.atomic():
        # Its row first: who edits it holds that, and then looks whether a job is at work.
        document = lock_for_succession(document)
        if document.index_fingerprint != fingerprint(document, recipe):
            return Stage.PARSED  # its title, population or language was edited since
        encoders = vectors.searched_to_the_end()
        is_replaced = any(summary.encoder not in encoders for summary in summaries)
        if is_replaced or any(vectors.lacking(e, document.chunks.all()) for e in encoders):
            return Stage.CHUNKED  # another encoder took over since it was embedded
        lease.hold(
            state=JobState.DONE,
            stage=Stage.INDEXED,
            finished_at=Now(),
            error_code="",
            last_error="",
            **FREE,
        )
        if document.chunks.filter(search_vector=None).exists():
            raise IncompleteDocument("Some passages have no words.", hint="Index it again.")
        summaries_keep(document, summaries)
        statistics.add(document.pk)
        Document.objects.filter(pk=document.pk).update(indexed_at=Now())
        document_indexed.send(Document, document=document, actor=None)
        documents_supersede_due(document, by=document.published_by)
        lease.lap("finish")
        Job.objects.filter(pk=lease.job_id).update(timings=lease.timings)
    return Stage.INDEXED


_STEPS: dict[Stage, Step] = {
    Stage.STORED: _parse,
    Stage.PARSED: _chunk,
    Stage.CHUNKED: document_embed,
    Stage.EMBEDDED: _finish,
}


def _refuse_gaps(parsed: ParsedDocument) -> None:
    """Reject an incomplete document: a missing page may hold the contraindication."""
    numbers = [page.number for page in parsed.pages]
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        raise IncompleteDocument(
            "Some pages could not be read, so this document is not searched.",
            hint="Press Read again, or save the file again and upload it.",
            retryable=True,
        )
