"""Test that indexing goes on after the database or a full disk has interrupted it."""

import logging
import re
from io import BytesIO
from pathlib import Path

import pytest
from django.db import connection

from core import disk
from core.database_availability import retry_until_available
from core.disk import DiskFull
from corpus.encoders.backends.openvino_model import converted
from corpus.encoders.types import EncoderUnusable
from corpus.indexing.leases import Lease
from corpus.models import Document, Job, JobState, Stage
from corpus.services import indexing
from corpus.services.documents import collection_default, document_ingest
from corpus.services.indexing import document_index
from tests.corpus.documents import guideline, ingest
from tests.corpus.encoders import tiny_models


def job(document: Document) -> Job:
    return Job.objects.get(document=document)


def end_own_connection(*_: object) -> Stage:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    raise AssertionError("the connection is still there")


def end_with_the_server(*_: object) -> Stage:
    Job.objects.update(started_at="2001-01-01T00:00Z")  # before the running server started
    return end_own_connection()


@pytest.mark.parametrize(("end", "attempts"), [(end_own_connection, 1), (end_with_the_server, 0)])
def test_a_connection_that_is_lost_costs_an_attempt_only_if_the_server_lived_on(
    own_database: str, end: indexing.Step, attempts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the server goes on, this very document may have killed its backend process."""
    document = ingest(guideline())
    with monkeypatch.context() as patched:
        patched.setitem(indexing._STEPS, Stage.PARSED, end)
        document_index(document.pk)
    stopped = job(document)
    assert (stopped.state, stopped.stage) == (JobState.PENDING, Stage.PARSED)
    assert (stopped.attempts, stopped.error_code) == (attempts, "database_away")
    document_index(document.pk)
    assert (job(document).state, job(document).attempts) == (JobState.DONE, attempts + 1)
    assert job(document).last_error == ""


def test_a_connection_that_was_lost_before_the_work_is_no_end_of_it(own_database: str) -> None:
    tried: list[int] = []

    def call() -> int:
        tried.append(1)
        if len(tried) == 1:
            end_own_connection()
        return Document.objects.count()

    assert retry_until_available(call) == 0
    assert len(tried) == 2


def fill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every disk look full."""
    monkeypatch.setattr(disk, "RESERVE_BYTES", 2**60)


@pytest.mark.parametrize("stage", [Stage.STORED, Stage.PARSED, Stage.CHUNKED, Stage.EMBEDDED])
def test_a_full_disk_is_told_in_words_and_the_document_waits_for_room(
    own_database: str,
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    document = ingest(guideline(sections=3))
    with monkeypatch.context() as patched:
        if stage == Stage.STORED:
            fill(patched)
        else:
            before = list(indexing._STEPS)[list(indexing._STEPS).index(stage) - 1]
            step = indexing._STEPS[before]

            def last_step(document: Document, lease: Lease) -> Stage:
                reached = step(document, lease)
                fill(patched)
                return reached

            patched.setitem(indexing._STEPS, before, last_step)
        for _ in range(4):
            document_index(document.pk)
    waiting = job(document)
    assert (waiting.state, waiting.stage, waiting.attempts) == (JobState.PENDING, stage, 0)
    assert waiting.error_code == "disk_full"
    (line,) = [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR]  # told once
    for said in (waiting.last_error, line.removeprefix(f"document {document.pk}: ")):
        assert re.match(r"Disk full .*: [\d.]+ GB are needed, [\d.]+ GB are free in ", said)
    document_index(document.pk)
    assert (job(document).state, job(document).last_error) == (JobState.DONE, "")


def test_a_disk_that_fills_up_in_mid_work_is_told_in_the_same_words(
    own_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*_: object) -> Stage:
        Path("/dev/full").write_text("x")
        raise AssertionError("there was room")

    document = ingest(guideline())
    monkeypatch.setitem(indexing._STEPS, Stage.CHUNKED, write)
    document_index(document.pk)
    waiting = job(document)
    assert (waiting.state, waiting.attempts) == (JobState.PENDING, 0)
    assert waiting.error_code == "disk_full"
    assert "writing vectors: " in waiting.last_error


def test_an_encoder_that_has_no_room_says_how_much_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_models.transformer(tmp_path / "tiny")
    fill(monkeypatch)
    with pytest.raises(EncoderUnusable, match="Disk full"):
        converted(model, pooling="mean", kept_in=tmp_path / "kept")


class NoRoom(BytesIO):
    """An upload whose bytes are written to a full device."""

    def read(self, size: int | None = -1) -> bytes:
        Path("/dev/full").write_bytes(super().read(size))
        raise AssertionError("there was room")


@pytest.mark.django_db
def test_an_upload_that_has_no_room_is_refused_in_words() -> None:
    document = Document(collection=collection_default())
    with pytest.raises(DiskFull) as caught:
        document_ingest(document, upload=NoRoom(b"text"), uploaded_by=None)
    assert not Document.objects.exists()
    assert "upload it again" in caught.value.sentence
