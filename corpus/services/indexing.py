"""Index a document, from stored bytes to searchable passages, in resumable steps.

    STORED -> PARSED -> CHUNKED -> EMBEDDED -> INDEXED

Each step ends with one transaction that holds the lease and advances the stage. Nothing slow (a
child process, a model) runs inside a transaction. The result depends on the bytes only: batches are
aligned by chunk index, so that a restart computes the same batches and vectors.

What is searched already is answered from until all that replaces it was made: then all steps are
written in one transaction (`_renew`), so that a restart begins again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from django.conf import settings
from django.db import Error, transaction
from django.db.models.functions import Now

from core.database_availability import is_away, retry_until_available
from core.disk import DiskFull
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
from corpus.indexing.failures import describe, failure_of
from corpus.indexing.leases import Lease, LeaseLost, Preempted
from corpus.indexing.recipe import chunk_settings, fingerprint, site_recipe
from corpus.indexing.rows import METADATA_FIELDS, chunk_rows, page_row, take_over
from corpus.models import Chunk, Document, Job, JobState, Page, SectionSummary, Stage
from corpus.parsing.engines import artifacts_for
from corpus.parsing.types import ParsedDocument
from corpus.review.corrections import CorrectedPage
from corpus.review.disabled_passages import still_disabled
from corpus.review.versions import signature
from corpus.review.words_found import lines_misread, looks_keep
from corpus.sandbox import parent as sandbox
from corpus.services.corrections import pages_correct, pages_corrected
from corpus.services.embedding import (
    document_embed,
    passages_embed,
    passages_encode,
    reading_embedder,
)
from corpus.services.lifecycle import (
    document_hold_back,
    document_hold_misread,
    documents_supersede_due,
    lock_for_succession,
)
from corpus.services.passages import passages_write
from corpus.services.summaries import Unsaved, summaries_draft, summaries_keep
from corpus.signals import document_indexed
from corpus.statements import STATEMENTS_VERSION

logger = logging.getLogger(__name__)

WRITE_LIMIT_S = 300.0  # of a transaction with all rows of a document
PAUSE_S = 30.0  # until a full disk, or files that are away, are looked at again

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
        elif isinstance(error, files.FilesUnavailable) and error.retryable:
            _wait_for(lease, error)
        elif lack := room.lacking(error, lease):
            _wait_for(lease, lack)
        else:
            jobs.attempt_failed(lease, **failure_of(error, lease))


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


def _wait_for(lease: Lease, error: DiskFull | files.FilesUnavailable) -> None:
    """Try again later, uncounted, what no fault of the document stopped."""

    def end() -> bool:
        return jobs.requeue_uncounted(
            lease, code=error.code, reason=error.sentence, after_s=PAUSE_S
        )

    if retry_until_available(end):
        logger.error("document %s: %s", lease.document_id, error.sentence)


def _run(lease: Lease) -> None:
    if lease.stage in (Stage.CHUNKED, Stage.EMBEDDED):
        document = Document.objects.get(pk=lease.document_id)
        if document.index_fingerprint != fingerprint(document, site_recipe(encoder_facts())):
            lease.stage = Stage.PARSED  # settings changed since: cut and embed it again
    while lease.stage != Stage.INDEXED:
        jobs.yield_to_due(lease)
        document = Document.objects.get(pk=lease.document_id)
        room.refuse_full(document, lease.stage)
        step = _renew if document.indexed_at is not None else _STEPS[lease.stage]
        lease.stage = step(document, lease)


def _parse(document: Document, lease: Lease) -> Stage:
    parsed = _read(document, lease)
    with transaction.atomic():
        _keep_read(document, parsed, lease)
    lease.lap("write")
    return Stage.PARSED


def _read(document: Document, lease: Lease) -> ParsedDocument:
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
    return parsed


def _keep_read(document: Document, parsed: ParsedDocument, lease: Lease) -> None:
    """Replace a document's pages, and take its passages out, in the caller's transaction."""
    done = total = len(parsed.pages)
    lease.hold(WRITE_LIMIT_S, stage=Stage.PARSED, done=done, total=total, timings=lease.timings)
    document = Document.objects.select_for_update().get(pk=document.pk)
    take_over(document, parsed)
    known, seen = lines_misread(document, settled=True), lines_misread(document, looked=True)
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
    """Remove a document's passages from search and statistics, in the caller's transaction.

    Disabled ones stay until it is known which new ones inherit that.
    """
    was_indexed = Document.objects.filter(pk=document.pk, indexed_at__isnull=False)
    if was_indexed.update(indexed_at=None):
        statistics.subtract(document.pk)
    document.summaries.all().delete()
    document.chunks.filter(disabled_at=None).delete()


def _chunk(document: Document, lease: Lease) -> Stage:
    cut = _cut(document, pages_corrected(document), lease)
    with transaction.atomic():
        _keep_cut(document, cut, lease)
    lease.lap("write")
    return Stage.CHUNKED


@dataclass(frozen=True)
class _Cut:
    pages: Sequence[CorrectedPage]
    passages: Sequence[Passage]
    made_by: str


def _cut(document: Document, pages: Sequence[CorrectedPage], lease: Lease) -> _Cut:
    embedder = reading_embedder(lease)
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
    lease.lap("chunk")
    return _Cut(pages, passages, fingerprint(document, site_recipe(encoder_facts())))


def _keep_cut(document: Document, cut: _Cut, lease: Lease) -> list[Chunk]:
    """Replace a document's passages, in the caller's transaction; return the new rows."""
    total = len(cut.passages)
    lease.hold(WRITE_LIMIT_S, stage=Stage.CHUNKED, done=0, total=total, timings=lease.timings)
    _take_out(document)
    pages_correct(document, cut.pages)
    rows = chunk_rows(document, cut.passages)
    _keep_disabled(document, rows)
    document.chunks.all().delete()
    passages_write(rows, cut.passages)
    Document.objects.filter(pk=document.pk).update(
        index_fingerprint=cut.made_by,
        statements_version=STATEMENTS_VERSION,
        search_configuration=configuration_of(document.language),
    )
    return rows


def _keep_disabled(document: Document, rows: Sequence[Chunk]) -> None:
    """Disable the new passages that correspond to disabled old ones."""
    disabled = list(document.chunks.filter(disabled_at__isnull=False).order_by("index"))
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
    with transaction.atomic():
        return _search_it(lock_for_succession(document), summaries, lease)


def _search_it(document: Document, summaries: Sequence[SectionSummary], lease: Lease) -> Stage:
    """Have a document searched, in a transaction that locked it; else return what is not current.

    Its row is locked first: who edits it holds that, and then looks whether a job is at work.
    """
    if document.index_fingerprint != fingerprint(document, site_recipe(encoder_facts())):
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


def _renew(document: Document, lease: Lease) -> Stage:
    """Make all that replaces a searched document's passages, then exchange them at once.

    Returns the stage to begin again from if the document or the encoders changed meanwhile.
    """
    begun = Stage.STORED if lease.stage == Stage.STORED else Stage.PARSED
    parsed = None
    if begun == Stage.STORED:
        parsed = _read(document, lease)
        take_over(document, parsed)
    lease.stage = Stage.PARSED
    pages = None if parsed is None else [page_row(document, page) for page in parsed.pages]
    cut = _cut(document, pages_corrected(document, pages), lease)
    lease.stage = Stage.CHUNKED
    rows = chunk_rows(document, cut.passages)
    _keep_disabled(document, rows)
    made = passages_encode(rows, cut.passages, lease)
    summaries = summaries_draft(document, Unsaved(rows, cut.passages, made), run=lease.run)
    lease.lap("embed")
    with transaction.atomic():
        lock_for_succession(document)
        if parsed is not None:
            _keep_read(document, parsed, lease)
        passages_embed(_keep_cut(document, cut, lease), made)
        document = Document.objects.get(pk=document.pk)
        reached = _search_it(document, summaries, lease)
        if reached != Stage.INDEXED:
            transaction.set_rollback(True)
    return reached if reached == Stage.INDEXED else begun


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
