"""Test attempts that are killed right before and right after every commit of a document.

The result is, byte by byte, that of an undisturbed run, and until then nothing of the document is
found.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db.models.functions import Now
from pytest_django import Settings

from corpus.encoders import vectors as vectors_of
from corpus.encoders.batches import BATCH
from corpus.indexing import jobs
from corpus.models import Document, IndexStatistics, Job, JobState, Lexeme, Lifecycle, Stage
from corpus.services.documents import document_reindex
from corpus.services.indexing import document_index
from tests.corpora import primary
from tests.corpus.documents import derived, guideline, ingest
from tests.dying.dying_worker import AFTER, BEFORE, DURING_PARSING, IN_MID_EMBEDDING
from tests.processes import ROOT

pytestmark = pytest.mark.slow

SECTIONS = 48  # four batches
# When the attempt dies, the stored stage, and the number of vectors.
DEATHS = [
    (DURING_PARSING, Stage.STORED, 0),
    (BEFORE + Stage.PARSED, Stage.STORED, 0),
    (AFTER + Stage.PARSED, Stage.PARSED, 0),
    (BEFORE + Stage.CHUNKED, Stage.PARSED, 0),
    (AFTER + Stage.CHUNKED, Stage.CHUNKED, 0),
    (IN_MID_EMBEDDING, Stage.CHUNKED, 2 * BATCH),
    (BEFORE + Stage.EMBEDDED, Stage.CHUNKED, None),
    (AFTER + Stage.EMBEDDED, Stage.EMBEDDED, None),
    (BEFORE + Stage.INDEXED, Stage.EMBEDDED, None),
    (AFTER + Stage.INDEXED, Stage.INDEXED, None),
]


@contextmanager
def dying_worker() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.dying.dying_worker"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.dying.dying_settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert answer(process) == "ready"
        yield process
    finally:
        process.kill()
        process.wait()


def answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def die(process: subprocess.Popen[str], moment: str, document: Document) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{moment} {document.pk}\n")
    process.stdin.flush()
    assert answer(process) == str(int(signal.SIGKILL)), moment


def found() -> list[str]:
    out = StringIO()
    call_command("search", "gentamicin dose per kg", "--json", stdout=out)
    return [hit["chunk"] for hit in json.loads(out.getvalue())]


def totals() -> tuple[object, ...]:
    lexemes = Lexeme.objects.filter(document_frequency__gt=0).order_by("lexeme")
    return (
        IndexStatistics.objects.values("chunks", "total_length").get(),
        list(lexemes.values_list("lexeme", "document_frequency")),
    )


def test_a_kill_at_any_boundary_changes_nothing_in_the_end(
    own_database: str, settings: Settings
) -> None:
    settings.JOB_MAX_ATTEMPTS = len(DEATHS) + 1
    document = ingest(guideline("# Gentamicin once daily", sections=SECTIONS))
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED)
    with dying_worker() as worker:
        for attempt, (moment, stage, vectors) in enumerate(DEATHS, start=1):
            die(worker, moment, document)
            job = Job.objects.get()
            assert (job.attempts, job.stage) == (attempt, stage), moment
            whole = document.chunks.count()
            embedded = whole - len(vectors_of.lacking(primary(), document.chunks.all()))
            assert embedded == (whole if vectors is None else vectors), moment
            if stage == Stage.INDEXED:
                break
            assert job.state == JobState.RUNNING, moment
            assert found() == [], moment
            Job.objects.update(lease_until=Now() - timedelta(seconds=1))
            assert jobs.sweep() == jobs.Swept(requeued=1)
    job = Job.objects.get()
    assert (job.state, job.lease_token, job.attempts) == (JobState.DONE, None, len(DEATHS))
    assert found()
    disturbed = derived(document), totals()
    assert len(disturbed[0]) > 2 * BATCH
    document_reindex(document, by=None)
    document_index(document.pk)
    assert (derived(document), totals()) == disturbed
