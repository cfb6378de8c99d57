"""Test indexing in this process: its result, resuming, and fencing by the lease."""

from __future__ import annotations

import logging
import signal
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db import InternalError, connection
from django.db.models.functions import Now
from pytest_django import Settings

from corpus.encoders.batches import BATCH, embedded_text
from corpus.encoders.registry import get_embedder
from corpus.indexing import jobs
from corpus.indexing.leases import Lease, LeaseLost
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
from tests.processes import running, wait_until


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


@pytest.mark.django_db
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


@pytest.mark.django_db
def test_statistics_are_those_of_ts_stat() -> None:
    indexed(guideline("# One", sections=3), "one.md")
    indexed(guideline("# Two", sections=9), "two.md")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT word, ndoc FROM ts_stat('SELECT search_vector FROM corpus_chunk') ORDER BY word"
        )
        expected = cursor.fetchall()
    counted = Lexeme.objects.filter(document_frequency__gt=0).order_by("lexeme")
    assert sorted(counted.values_list("lexeme", "document_frequency")) == sorted(expected)


@pytest.mark.django_db
def test_indexing_again_gives_the_same_bytes_and_counts_nothing_twice() -> None:
    document = indexed(guideline(sections=20))
    before, totals = derived(document), IndexStatistics.objects.values().get()
    document_reindex(document, by=None)
    document_index(document.pk)
    assert derived(document) == before
    assert IndexStatistics.objects.values().get() == totals


class Broken(Exception):
    """Raised in place of a crash."""


@pytest.mark.django_db
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


@pytest.mark.django_db
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


@pytest.mark.django_db
def test_what_other_settings_made_is_made_again(settings: Settings) -> None:
    document = indexed(guideline(sections=10))
    settings.CHUNK_TOKENS = 60
    Job.objects.update(state=JobState.PENDING, stage=Stage.EMBEDDED, attempts=0)
    old = document.index_fingerprint
    document_index(document.pk)
    document.refresh_from_db()
    assert document.index_fingerprint != old
    assert not document.chunks.filter(tokens__gt=60).exists()


@pytest.mark.django_db
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


@pytest.mark.django_db
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


@pytest.mark.django_db
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


@pytest.mark.django_db
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


def test_a_lease_is_kept_alive_while_one_call_takes_long_but_not_for_ever(
    own_database: str, settings: Settings
) -> None:
    settings.JOB_LEASE_S = 2
    lease = jobs.claim(ingest().pk)
    assert lease is not None
    lease.run(lambda: time.sleep(3), limit_s=60)
    lease.hold()
    with pytest.raises(LeaseLost):
        lease.run(lambda: time.sleep(60), limit_s=0)


@pytest.mark.slow
def test_a_worker_that_wakes_up_after_its_lease_writes_nothing(
    own_database: str, tmp_path: Path, poisonable: None
) -> None:
    document = ingest("# POISON: slow 4\n\n" + guideline(sections=3))
    log = tmp_path / "zombie.log"
    call = f"from corpus.services.indexing import document_index; document_index({document.pk})"
    with running("shell", "-v", "0", "-c", call, log=log) as zombie:
        wait_until(lambda: Job.objects.get().state == JobState.RUNNING, "the job runs")
        time.sleep(0.5)
        zombie.send_signal(signal.SIGSTOP)
        Job.objects.update(lease_until=Now() - timedelta(seconds=1))
        assert jobs.sweep() == jobs.Swept(requeued=1)
        document_index(document.pk)
        finished, made = Job.objects.values().get(), derived(document)
        zombie.send_signal(signal.SIGCONT)
        assert zombie.wait(60) == 0
    assert "the lease was lost, nothing was written" in log.read_text()
    assert Job.objects.values().get() == finished
    assert (finished["state"], finished["attempts"]) == (JobState.DONE, 2)
    assert derived(document) == made


def test_each_vector_is_what_the_encoder_alone_makes_of_the_passage(db: None) -> None:
    """To the byte as stored (half precision), whatever else is in its batch."""
    document = ingest(guideline(sections=40))
    document_index(document.pk)
    chunks = list(document.chunks.order_by("index"))
    assert len(chunks) > 2 * BATCH
    embedder = get_embedder()
    for chunk in chunks:
        alone = embedder.encode([embedded_text(chunk)])[0]
        stored = alone.astype(np.float16).astype(np.float32)
        assert vector_of(chunk).tobytes() == stored.tobytes()
    made = derived(document)
    document_reindex(document, by=None)
    document_index(document.pk)
    assert derived(document) == made
