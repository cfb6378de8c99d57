"""Test work that is ended from outside: past its limits, or when another worker has the job."""

import signal
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.db import connection
from django.db.models.functions import Now
from pytest_django import Settings

from corpus.chunking import ChunkSettings, split
from corpus.chunking.cutting import Order, passages_of
from corpus.encoders.counting import TokenCounter, estimated_tokens
from corpus.indexing import jobs
from corpus.indexing.leases import LeaseLost
from corpus.models import Document, Job, JobState, Stage
from corpus.parsing.drafts import text_draft, write_page
from corpus.parsing.types import BlockKind, Page, ParseError
from corpus.sandbox import parent as sandbox
from corpus.sandbox.parent import Limits, cut_in_child
from corpus.services.indexing import document_index
from tests.corpus.documents import derived, guideline, ingest
from tests.dying import poison_settings
from tests.processes import running, wait_until, words_of

SHA = "a" * 64


def order_of(pages: Sequence[Page]) -> Order:
    return Order(
        pages=[asdict(page) for page in pages],
        title="Guide",
        population="adults",
        sha256=SHA,
        settings=ChunkSettings(),
        counter=TokenCounter(),
    )


def page_of(text: str) -> Page:
    return write_page(Page(1, "", (), 0.0, 0.0), [text_draft(BlockKind.PARAGRAPH, text)])


def cut(page: Page, folder: Path, limits: Limits) -> Any:
    quiet: Any = {"on_progress": lambda done, total: None}
    return cut_in_child(order_of([page]), output_dir=folder, limits=limits, **quiet)


def refused(text: str, folder: Path, limits: Limits) -> ParseError:
    with pytest.raises(ParseError) as caught:
        cut(page_of(text), folder, limits)
    return caught.value


def test_a_child_cuts_as_the_chunker_does(tmp_path: Path) -> None:
    page = page_of("Give 5 mg per kg once daily. Stop after 3 days. " * 60)
    made = cut(page, tmp_path, Limits())
    drafts = split(
        (page,),
        title="Guide",
        population="adults",
        sha256=SHA,
        settings=ChunkSettings(),
        count_tokens=estimated_tokens,
    )
    assert len(drafts) > 3
    assert made == passages_of(drafts, [page], title="Guide", population="adults")
    assert all(passage.statements for passage in made)


@pytest.mark.parametrize(
    ("times", "limits", "code"),
    [
        (400_000, Limits(cpu_s=1), "parser_timeout"),
        (2_000_000, Limits(memory_mb=100), "parser_memory"),
    ],
)
def test_cutting_past_its_limits_is_ended_with_a_sentence_that_says_so(
    tmp_path: Path, times: int, limits: Limits, code: str
) -> None:
    error = refused("give it now " * times, tmp_path, limits)
    assert (error.code, error.retryable) == (code, code == "parser_memory")
    assert str(error).startswith("Cutting its text into passages ") and error.hint


def test_a_document_that_is_cut_for_too_long_fails_and_nothing_of_it_is_found(
    own_database: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_in_a_second(order: Order, **options: Any) -> Any:
        return cut_in_child(order, **options | {"limits": Limits(cpu_s=1)})

    monkeypatch.setattr(sandbox, "cut_in_child", cut_in_a_second)  # reading has its usual time
    document = ingest("give it now " * 400_000, "line.txt")
    settings.JOB_MAX_ATTEMPTS = 1
    document_index(document.pk)
    job = Job.objects.get()
    assert (job.state, job.stage) == (JobState.FAILED, Stage.PARSED)
    assert job.error_code == "parser_timeout"
    assert not document.chunks.exists()


def take_away(document: Document) -> None:
    """Change the lease's token, as the sweep and another worker do."""
    Job.objects.filter(document=document).update(lease_token=uuid.uuid4())


def children() -> list[psutil.Process]:
    found = psutil.Process().children(recursive=True)
    return [one for one in found if any("poison_parser" in word for word in words_of(one))]


def test_a_lost_lease_kills_the_child_and_nothing_is_written(
    own_database: str, settings: Settings
) -> None:
    settings.PARSER_COMMAND = poison_settings.PARSER_COMMAND
    document = ingest("# POISON: slow 600\n\n" + guideline())

    def work() -> None:
        document_index(document.pk)
        connection.close()

    loser = threading.Thread(target=work)
    loser.start()
    wait_until(children, "the child runs")
    take_away(document)
    loser.join(60)
    assert not loser.is_alive()
    assert children() == []
    job = Job.objects.get()
    assert (job.state, job.stage, job.error_code) == (JobState.RUNNING, Stage.STORED, "")
    assert not document.pages.exists()


def test_a_lost_lease_ends_the_wait_for_a_model(own_database: str, settings: Settings) -> None:
    settings.JOB_LEASE_S = 600  # so that the lease doesn't expire first
    document = ingest()
    lease = jobs.claim(document.pk)
    assert lease is not None
    begun, never = threading.Event(), threading.Event()

    def waits() -> None:
        begun.set()
        take_away_when_begun.join()
        never.wait()

    def takes() -> None:
        begun.wait()
        take_away(document)
        connection.close()

    take_away_when_begun = threading.Thread(target=takes)
    take_away_when_begun.start()
    with pytest.raises(LeaseLost):
        lease.run(waits, limit_s=600)
    never.set()


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
    own_database: str, tmp_path: Path, settings: Settings
) -> None:
    settings.PARSER_COMMAND = poison_settings.PARSER_COMMAND
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
    assert "nothing was written" in log.read_text()
    assert Job.objects.values().get() == finished
    assert (finished["state"], finished["attempts"]) == (JobState.DONE, 2)
    assert derived(document) == made


@pytest.mark.django_db
def test_what_a_call_raises_reaches_whoever_waits_for_it() -> None:
    lease = jobs.claim(ingest().pk)
    assert lease is not None
    with pytest.raises(ZeroDivisionError):
        lease.run(lambda: 1 // 0, limit_s=10)
    assert lease.run(lambda: 7, limit_s=10) == 7
