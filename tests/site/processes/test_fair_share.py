"""Test the order of long and short jobs in one queue, and that no job waits for ever."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from django.db import connection

from corpus.indexing import jobs
from corpus.indexing.leases import LeaseLost, Preempted
from corpus.models import Document, Job, JobState, Stage
from tests.corpus.documents import derived, guideline, ingest
from tests.processes import in_processes, running, wait_until

LONG, SHORT = 336, 2  # sections; 21 batches, and one
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def finished() -> list[str]:
    """Return the names of documents in the order in which their jobs were done."""
    done = Job.objects.filter(state=JobState.DONE).order_by("finished_at", "pk")
    return list(done.values_list("document__filename", flat=True))


def ingest_long(name: str) -> Document:
    """Upload a document that counts as large as a book for the queue, whatever its length."""
    document = ingest(guideline(f"# Guide {name}", sections=LONG), name)
    Document.objects.filter(pk=document.pk).update(size_bytes=10 * 2**20)
    return document


def ingest_short(*names: str) -> None:
    for name in names:
        ingest(guideline(f"# Guide {name}", sections=SHORT), name)


@pytest.mark.slow
@pytest.mark.exhaustive  # the next test, in every run, has the same order and gives way besides
@pytest.mark.parametrize("workers", [1, 2])
def test_short_files_of_a_batch_are_done_before_the_long_ones(
    workers: int, own_database: str, tmp_path: Path
) -> None:
    long = [f"long-{n}.md" for n in range(workers)]
    for name in long:
        ingest_long(name)
    short = [f"short-{n}.md" for n in range(5)]
    ingest_short(*short)
    with running("worker", log=tmp_path / "worker.log", **in_processes(workers, lease_s=120)):
        wait_until(lambda: len(finished()) == len(long) + len(short), "all are done", 240)
    assert set(finished()[: len(short)]) == set(short)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_a_short_file_passes_the_long_ones_that_hold_every_worker(
    workers: int, own_database: str, tmp_path: Path
) -> None:
    long = [ingest_long(f"long-{n}.md") for n in range(workers)]
    with running("worker", log=tmp_path / "worker.log", **in_processes(workers, lease_s=120)):
        held = Job.objects.filter(state=JobState.RUNNING, stage=Stage.CHUNKED, done__gt=0)
        wait_until(lambda: held.count() == workers, "each worker embeds a long one")
        ingest_short("short-0.md", "short-1.md", "short-2.md")
        wait_until(lambda: len(finished()) == workers + 3, "all are done", 240)
    assert set(finished()[:3]) == {"short-0.md", "short-1.md", "short-2.md"}
    for document in long:
        job = Job.objects.get(document=document)
        assert (job.state, job.attempts) == (JobState.DONE, 1)
        assert len({key for key, *_ in derived(document)}) >= LONG


@pytest.mark.django_db
def test_a_long_job_that_has_waited_is_passed_by_nobody() -> None:
    long, early, late = (ingest(f"# {name}\n\nGive it.\n") for name in ("Long", "Early", "Late"))
    minutes_in_bytes = round(timedelta(minutes=10) / jobs.PACE_OF_TEXT)
    Document.objects.filter(pk=long.pk).update(size_bytes=minutes_in_bytes)
    for document, minutes in ((long, 0), (early, 9), (late, 11)):
        Job.objects.filter(document=document).update(enqueued_at=BEGIN + timedelta(minutes=minutes))
    order = [lease.document_id for lease in iter(jobs.claim, None)]
    assert order == [early.pk, long.pk, late.pk]


@pytest.mark.django_db
def test_a_job_gives_way_to_what_is_due_before_it_and_keeps_its_place() -> None:
    long = ingest("# Long\n\nGive it.\n")
    Document.objects.filter(pk=long.pk).update(size_bytes=2**20)
    lease = jobs.claim()
    assert lease is not None
    short = ingest("# Short\n\nGive it.\n")
    Job.objects.update(enqueued_at=BEGIN)
    with pytest.raises(Preempted):
        jobs.yield_to_due(lease)
    waiting = Job.objects.get(document=long)
    assert (waiting.state, waiting.attempts, waiting.enqueued_at) == (JobState.PENDING, 0, BEGIN)
    with pytest.raises(LeaseLost):
        lease.hold()
    first, second = jobs.claim(), jobs.claim()
    assert first is not None and second is not None
    assert (first.document_id, second.document_id) == (short.pk, long.pk)
    jobs.yield_to_due(second)  # nobody waits


def test_a_job_that_is_held_locked_is_not_given_way_to(own_database: str) -> None:
    """Else the worker would requeue and claim its own job again and again until it is free."""
    ingest("# Long\n\nGive it.\n")
    Document.objects.update(size_bytes=2**20)
    lease = jobs.claim()
    assert lease is not None
    short = ingest("# Short\n\nGive it.\n")
    Job.objects.update(enqueued_at=BEGIN)
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            other.set_autocommit(False)
            cursor.execute("SELECT FROM corpus_job WHERE document_id = %s FOR UPDATE", [short.pk])
            jobs.yield_to_due(lease)
            other.rollback()
    finally:
        other.close()
    with pytest.raises(Preempted):
        jobs.yield_to_due(lease)


@dataclass(frozen=True)
class Arrival:
    """A job: when it arrives and how long it takes, both in seconds of one worker."""

    at_s: int
    takes_s: int


def in_order_of_arrival(jobs_: Sequence[Arrival]) -> list[Fraction]:
    """Return the time from arrival to end of each job, first come, first served."""
    free = Fraction(0)
    ends = []
    for one in jobs_:
        free = max(free, Fraction(one.at_s)) + one.takes_s
        ends.append(free - one.at_s)
    return ends


def in_equal_parts(jobs_: Sequence[Arrival]) -> list[Fraction]:
    """Return the same times where all present jobs share the worker equally."""
    left = [Fraction(one.takes_s) for one in jobs_]
    ends = [Fraction(-1)] * len(jobs_)
    now, waiting, active = Fraction(0), list(range(len(jobs_))), list[int]()
    while waiting or active:
        if not active:
            now = max(now, Fraction(jobs_[waiting[0]].at_s))
        while waiting and jobs_[waiting[0]].at_s <= now:
            active.append(waiting.pop(0))
        step = min(left[one] for one in active) * len(active)
        if waiting:
            step = min(step, jobs_[waiting[0]].at_s - now)
        now += step
        for one in list(active):
            left[one] -= step / len(active)
        for one in [one for one in active if left[one] == 0]:
            active.remove(one)
            ends[one] = now - jobs_[one].at_s
    return ends


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(6))
def test_no_job_takes_twice_its_fair_share(seed: int) -> None:
    """With `claim` alone and no interruption; giving way only makes it fairer."""
    dice = random.Random(seed)
    arrivals = sorted(
        (Arrival(dice.randrange(600), dice.choice((1, 2, 5, 20, 120, 400))) for _ in range(24)),
        key=lambda one: one.at_s,
    )
    made = [ingest(f"# Guide {n}\n\nGive it.\n") for n in range(len(arrivals))]
    for document, one in zip(made, arrivals, strict=True):
        size = round(timedelta(seconds=one.takes_s) / jobs.PACE_OF_TEXT)
        Document.objects.filter(pk=document.pk).update(size_bytes=size)
        Job.objects.filter(document=document).update(
            state=JobState.DONE, enqueued_at=BEGIN + timedelta(seconds=one.at_s)
        )
    place = {document.pk: at for at, document in enumerate(made)}
    took = [0] * len(made)
    now = 0
    for _ in made:
        here = [d.pk for d, one in zip(made, arrivals, strict=True) if one.at_s <= now]
        unserved = [pk for pk in here if not took[place[pk]]]
        if not unserved:
            now = min(one.at_s for one, done in zip(arrivals, took, strict=True) if not done)
            unserved = [
                d.pk
                for d, one in zip(made, arrivals, strict=True)
                if one.at_s <= now and not took[place[d.pk]]
            ]
        Job.objects.filter(document__in=unserved).update(state=JobState.PENDING)
        lease = jobs.claim()
        assert lease is not None
        Job.objects.filter(pk=lease.job_id).update(state=JobState.DONE, lease_token=None)
        at = place[lease.document_id]
        now += arrivals[at].takes_s
        took[at] = now - arrivals[at].at_s
    fair = zip(in_order_of_arrival(arrivals), in_equal_parts(arrivals), strict=True)
    for one, mine, shares in zip(arrivals, took, fair, strict=True):
        assert mine <= 2 * max(shares), (one, mine, shares)
