"""Test indexing in this process: its result, resuming, and fencing by the lease."""

import logging
from typing import Any

import numpy as np
import pytest
from django.db import InternalError
from pytest_django import Settings

from corpus.encoders.batches import BATCH, embedded_text
from corpus.encoders.registry import get_embedder
from corpus.indexing import jobs
from corpus.indexing.leases import Lease
from corpus.indexing.rows import pages_of
from corpus.models import Chunk, Document, IndexStatistics, Job, JobState, Lexeme, Stage
from corpus.parsing.types import ParsedDocument
from corpus.sandbox import parent as sandbox
from corpus.services import indexing
from corpus.services.documents import document_reindex
from corpus.services.indexing import document_index
from tests.corpora import forget_vectors, vector_of
from tests.corpus.documents import derived, guideline, ingest
from tests.dying import poison_settings

pytestmark = pytest.mark.django_db


@pytest.fixture
def poisonable(settings: Settings) -> None:
    """Let files say how their parser misbehaves."""
    settings.PARSER_COMMAND = poison_settings.PARSER_COMMAND


def indexed(text: str, filename: str = "g.md", **fields: str) -> Document:
    document = ingest(text, filename, **fields)
    document_index(document.pk)
    document.refresh_from_db()
    assert document.indexed_at is not None, document.job.last_error
    return document


def test_a_document_becomes_pages_passages_vectors_and_statistics() -> None:
    document = indexed(guideline("# Gentamicin once daily", sections=20))
    assert (document.title, document.page_count) == ("Gentamicin once daily", 1)
    assert document.engine
    assert len(document.index_fingerprint) == 64
    assert (document.job.state, document.job.stage) == (JobState.DONE, Stage.INDEXED)
    assert document.job.lease_token is None
    chunks = list(document.chunks.all())
    pages = {page.number: page.text for page in pages_of(document)}
    for index, chunk in enumerate(chunks):
        assert chunk.key == f"{document.sha256}_p{chunk.page}_c{index}"
        quoted = [pages[page][start:end] for page, start, end in chunk.spans]
        assert chunk.text == "\n".join(quoted)
        assert abs(float(np.linalg.norm(vector_of(chunk))) - 1) < 1e-3
        assert chunk.length > 0
    totals = IndexStatistics.objects.get()
    assert (totals.chunks, totals.total_length) == (len(chunks), sum(c.length for c in chunks))
    assert Lexeme.objects.get(lexeme="gentamicin").document_frequency == len(chunks)


def test_indexing_again_gives_the_same_bytes_and_counts_nothing_twice() -> None:
    document = indexed(guideline(sections=20))
    before, totals = derived(document), IndexStatistics.objects.values().get()
    document_reindex(document, by=None)
    document_index(document.pk)
    assert derived(document) == before
    assert IndexStatistics.objects.values().get() == totals


class Broken(Exception):
    """Raised in place of a crash."""


@pytest.mark.parametrize("after", [Stage.STORED, Stage.PARSED, Stage.CHUNKED, Stage.EMBEDDED])
def test_an_attempt_goes_on_from_the_step_that_is_finished(
    after: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = ingest(guideline(sections=20))
    steps: list[Stage] = []

    def recorded(stage: Stage, step: indexing.Step) -> indexing.Step:
        def run(document: Document, lease: Lease) -> Stage:
            steps.append(stage)
            if stage == after and lease.attempt == 1:
                raise Broken
            return step(document, lease)

        return run

    wrapped = {stage: recorded(stage, step) for stage, step in indexing._STEPS.items()}
    monkeypatch.setattr(indexing, "_STEPS", wrapped)
    document_index(document.pk)
    document_index(document.pk)
    stages = list(indexing._STEPS)
    begun = stages.index(after)
    assert steps == stages[: begun + 1] + stages[begun:]
    assert Job.objects.get().state == JobState.DONE


def test_vectors_that_are_there_are_kept_and_the_rest_comes_in_the_same_batches() -> None:
    document = indexed(guideline(sections=40))
    before = derived(document)
    assert len(before) > 2 * BATCH
    gone = Chunk.objects.filter(index__gte=BATCH, index__lt=BATCH + 5)
    forget_vectors(gone.values_list("pk", flat=True))
    gone.update(search_vector=None, length=0)
    Job.objects.update(state=JobState.PENDING, stage=Stage.CHUNKED, attempts=0)
    document_index(document.pk)
    assert derived(document) == before


def test_what_other_settings_made_is_made_again(settings: Settings) -> None:
    document = indexed(guideline(sections=10))
    settings.CHUNK_TOKENS = 60
    Job.objects.update(state=JobState.PENDING, stage=Stage.EMBEDDED, attempts=0)
    old = document.index_fingerprint
    document_index(document.pk)
    document.refresh_from_db()
    assert document.index_fingerprint != old
    assert not document.chunks.filter(tokens__gt=60).exists()


def test_an_unexpected_error_is_named_by_type_and_place_and_never_quoted(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(document: Document, lease: Lease) -> Stage:
        raise ValueError("canary: the patient's potassium")

    monkeypatch.setitem(indexing._STEPS, Stage.STORED, fail)
    document = ingest()
    with caplog.at_level(logging.DEBUG):
        for _ in range(3):
            document_index(document.pk)
    job = Job.objects.get()
    assert (job.state, job.attempts, job.error_code) == (JobState.FAILED, 3, "unexpected")
    assert "(ValueError)" in job.last_error
    assert "canary" not in job.last_error + caplog.text
    assert "ValueError at indexing.py" in caplog.text


def test_a_claim_that_the_database_refuses_is_no_work_done(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Otherwise the worker's loop would try again at once, and fill the log."""

    def refuse(document_id: int | None = None) -> None:
        raise InternalError("no room")

    ingest()
    with monkeypatch.context() as patched:
        patched.setattr(jobs, "claim", refuse)
        assert document_index() is False
    assert "InternalError" in caplog.text
    assert document_index() is True
    assert document_index() is False


def test_a_title_that_staff_gave_meanwhile_is_kept(
    poisonable: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = ingest("# POISON: slow 0\n\nText.\n")
    original = sandbox.parse_in_child

    def edited_meanwhile(*args: Any, **kwargs: Any) -> ParsedDocument:
        Document.objects.update(title="As staff call it", version="2")
        return original(*args, **kwargs)

    monkeypatch.setattr(sandbox, "parse_in_child", edited_meanwhile)
    document_index(document.pk)
    document.refresh_from_db()
    assert (document.title, document.version) == ("As staff call it", "2")


@pytest.mark.parametrize(("poison", "code"), [("die", "parser_killed"), ("hang", "parser_timeout")])
def test_a_parser_that_misbehaves_fails_its_document_after_three_attempts(
    poison: str, code: str, poisonable: None, settings: Settings
) -> None:
    settings.PARSE_TIMEOUT_S = 1
    document = ingest(f"# POISON: {poison}\n\nText.\n")
    for _ in range(4):  # the last finds nothing to do
        document_index(document.pk)
    job = Job.objects.get()
    assert (job.state, job.attempts, job.error_code) == (JobState.FAILED, 3, code)
    assert job.last_error.endswith("It was tried 3 times.")


def test_each_vector_is_what_the_encoder_alone_makes_of_the_passage() -> None:
    """To the byte as stored (half precision), whatever else is in its batch."""
    document = indexed(guideline(sections=40))
    chunks = list(document.chunks.order_by("index"))
    assert len(chunks) > 2 * BATCH
    for chunk in chunks:
        alone = get_embedder().encode([embedded_text(chunk)])[0]
        stored = alone.astype(np.float16).astype(np.float32)
        assert vector_of(chunk).tobytes() == stored.tobytes()
