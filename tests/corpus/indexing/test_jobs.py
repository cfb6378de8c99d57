"""Test claims, leases and the sweep, by calling them."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.db.models.functions import Now
from pytest_django import DjangoAssertNumQueries, Settings

from corpus.indexing import jobs
from corpus.indexing.leases import BEAT_S, Lease, LeaseLost
from corpus.models import Document, Job, JobState, Stage
from corpus.services.documents import document_reindex
from corpus.signals import document_failed
from tests.corpus.documents import guideline, ingest
from tests.corpus.listening import heard

pytestmark = pytest.mark.django_db


@pytest.fixture
def document() -> Document:
    return ingest()


def job_of(document: Document) -> Job:
    return Job.objects.get(document=document)


def claim(document: Document) -> Lease:
    lease = jobs.claim(document.pk)
    assert lease is not None
    return lease


def expire(document: Document) -> None:
    Job.objects.filter(document=document).update(lease_until=Now() - timedelta(seconds=1))


def test_a_claim_counts_the_attempt_before_the_work(document: Document) -> None:
    lease = claim(document)
    job = job_of(document)
    assert (job.state, job.attempts, job.lease_token) == (JobState.RUNNING, 1, lease.token)
    assert (lease.attempt, lease.stage) == (1, Stage.STORED)


def test_a_lease_names_its_job_and_its_document(document: Document) -> None:
    """Their keys differ after a document was removed, or added without a job."""
    Document.objects.create(collection=document.collection, sha256="a" * 64, size_bytes=1)
    second = ingest(guideline())
    lease = claim(second)
    assert (lease.job_id, lease.document_id) == (job_of(second).pk, second.pk)
    assert lease.job_id != lease.document_id
    lease.hold(stage=Stage.PARSED)
    assert (job_of(second).stage, job_of(document).stage) == (Stage.PARSED, Stage.STORED)


def test_only_one_of_two_claims_succeeds(document: Document) -> None:
    claim(document)
    assert jobs.claim(document.pk) is None


def test_nothing_is_claimed_past_the_last_attempt(document: Document, settings: Settings) -> None:
    Job.objects.filter(document=document).update(attempts=settings.JOB_MAX_ATTEMPTS)
    assert jobs.claim(document.pk) is None


def test_a_lease_that_ran_out_writes_nothing(document: Document) -> None:
    lease = claim(document)
    expire(document)
    with pytest.raises(LeaseLost):
        lease.hold(stage=Stage.PARSED)
    assert job_of(document).stage == Stage.STORED


def test_a_lease_that_another_attempt_took_writes_nothing(document: Document) -> None:
    first = claim(document)
    expire(document)
    jobs.sweep()
    second = claim(document)
    with pytest.raises(LeaseLost):
        first.hold(stage=Stage.PARSED)
    second.hold(stage=Stage.PARSED)
    assert job_of(document).stage == Stage.PARSED


def test_progress_is_written_where_it_moved_a_few_times_a_second_at_most(
    document: Document,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    lease = claim(document)
    began = time.monotonic()
    # seconds since the claim, reported progress, and whether it is written
    for after_s, done, is_written in [
        (0.2, 1, False),  # too soon
        (0.5, 1, True),
        (0.9, 1, False),  # nothing moved
        (1.0, 2, True),
        (1.1, 3, False),
        (1.0 + BEAT_S, 2, True),  # no progress, but the lease has to be renewed
    ]:
        monkeypatch.setattr(time, "monotonic", lambda now=began + after_s: now)
        with django_assert_num_queries(1 if is_written else 0):
            lease.progress(done, 10)
    assert (job_of(document).done, job_of(document).total) == (2, 10)


def test_progress_never_goes_back_over_phases_repeated_steps_and_attempts(
    document: Document,
) -> None:
    seen = [0.0]

    def tell(lease: Lease, **changes: Any) -> None:
        lease.hold(**changes)
        seen.append(job_of(document).progress)

    first = claim(document)
    tell(first, done=6, total=10)
    jobs.attempt_failed(first, code="crash", reason="It crashed.", retryable=True)
    second = claim(document)
    seen.append(job_of(document).progress)
    tell(second, done=1, total=10)
    tell(second, stage=Stage.PARSED, done=10, total=10)
    second.stage = Stage.PARSED
    tell(second, done=10, total=10)
    tell(second, done=0, total=40)  # the lines of context, after the cutting
    tell(second, stage=Stage.CHUNKED, done=0, total=40)
    second.stage = Stage.PARSED  # the title was edited meanwhile
    tell(second, done=0, total=10)
    assert seen == sorted(seen)
    assert seen == pytest.approx([0, 0.15, 0.15, 0.15, 0.25, 0.5, 0.5, 0.5, 0.5])
    second.end(state=JobState.DONE)
    document_reindex(document, by=None)
    assert job_of(document).progress == 0.0


def test_a_failure_that_may_pass_is_queued_again(document: Document) -> None:
    jobs.attempt_failed(claim(document), code="parser_killed", reason="It died.", retryable=True)
    job = job_of(document)
    assert (job.state, job.lease_token) == (JobState.PENDING, None)
    assert (job.error_code, job.last_error) == ("parser_killed", "It died.")
    assert jobs.claim() is not None


def test_a_failure_that_will_not_pass_is_final_at_once(document: Document) -> None:
    jobs.attempt_failed(claim(document), code="encrypted", reason="Locked.", retryable=False)
    assert (job_of(document).state, job_of(document).last_error) == (JobState.FAILED, "Locked.")


def test_the_third_failure_is_final_and_says_so(document: Document) -> None:
    with heard(document_failed, "code") as told:
        for _ in range(3):
            lease = claim(document)
            jobs.attempt_failed(lease, code="parser_killed", reason="It died.", retryable=True)
    job = job_of(document)
    assert (job.state, job.attempts) == (JobState.FAILED, 3)
    assert job.last_error == "It died. It was tried 3 times."
    assert told == ["parser_killed"]


def test_a_sweep_gives_a_dead_workers_job_to_another(document: Document) -> None:
    claim(document)
    assert jobs.sweep() == jobs.Swept()  # the lease still runs
    expire(document)
    assert jobs.sweep() == jobs.Swept(requeued=1)
    assert job_of(document).state == JobState.PENDING
    assert jobs.sweep() == jobs.Swept()


def test_a_sweep_parks_a_job_after_three_deaths_and_names_the_step(document: Document) -> None:
    for _ in range(3):
        claim(document)
        expire(document)
        jobs.sweep()
    job = job_of(document)
    assert (job.state, job.attempts, job.error_code) == (JobState.FAILED, 3, "worker_stopped")
    assert "3 times while this document was being parsed" in job.last_error
    assert jobs.claim() is None


def test_an_idle_sweep_costs_few_queries(
    document: Document, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(4):  # two are savepoints
        jobs.sweep()


def test_a_stop_on_purpose_gives_the_attempt_back(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(jobs.WORKER_VARIABLE, "00112233445566aa")
    lease = claim(document)
    assert jobs.give_back("00112233445566ab", count_attempt=False) == 0
    assert jobs.give_back("00112233445566aa", count_attempt=False) == 1
    assert (job_of(document).state, job_of(document).attempts) == (JobState.PENDING, 0)
    with pytest.raises(LeaseLost):
        lease.hold()


def test_a_process_that_died_loses_its_leases_at_once(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(jobs.WORKER_VARIABLE, "00112233445566aa")
    claim(document)
    jobs.give_back("00112233445566aa", count_attempt=True)
    assert jobs.sweep() == jobs.Swept(requeued=1)
    assert job_of(document).attempts == 1


def test_work_stands_still_only_while_it_waits_and_nobody_works(document: Document) -> None:
    Job.objects.update(enqueued_at=Now() - timedelta(seconds=90))
    assert 89 < jobs.stalled_for_s() < 120
    lease = claim(document)
    assert jobs.stalled_for_s() == 0
    jobs.attempt_failed(lease, code="encrypted", reason="Locked.", retryable=False)
    assert jobs.stalled_for_s() == 0


def test_what_the_databases_own_end_cut_off_counts_no_attempt(document: Document) -> None:
    lease = claim(document)
    assert not jobs.database_restarted(lease)
    Job.objects.update(started_at="2001-01-01T00:00Z")  # before the running server started
    assert jobs.database_restarted(lease)
    assert jobs.requeue_uncounted(lease, code="database_away", reason="It went away.")
    job = job_of(document)
    assert (job.state, job.attempts, job.lease_token) == (JobState.PENDING, 0, None)
    assert (job.error_code, job.last_error) == ("database_away", "It went away.")
    assert jobs.claim() is not None


def test_a_reason_that_is_told_again_is_no_new_one(document: Document) -> None:
    given = [
        jobs.requeue_uncounted(claim(document), code="disk_full", reason="Full.", after_s=30.0)
        for _ in range(5)
    ]
    assert given == [True, False, False, False, False]
    assert job_of(document).attempts == 0


def test_a_job_that_was_put_off_is_taken_when_its_time_has_come(document: Document) -> None:
    jobs.requeue_uncounted(claim(document), code="disk_full", reason="Full.", after_s=30.0)
    assert jobs.claim() is None
    Job.objects.update(enqueued_at=F("enqueued_at") - timedelta(seconds=31))
    lease = jobs.claim()
    assert lease is not None
    assert (lease.document_id, lease.attempt) == (document.pk, 1)


def test_a_lease_that_another_attempt_took_hands_nothing_back(document: Document) -> None:
    first = claim(document)
    expire(document)
    jobs.sweep()
    claim(document)
    with pytest.raises(LeaseLost):
        jobs.requeue_uncounted(first, code="disk_full", reason="Full.")
    assert (job_of(document).state, job_of(document).attempts) == (JobState.RUNNING, 2)


def test_the_time_in_which_the_database_was_away_ends_no_lease(
    document: Document, settings: Settings
) -> None:
    claim(document)
    Job.objects.update(started_at="2001-01-01T00:00Z")  # before the running server started
    expire(document)
    settings.JOB_LEASE_S = 10**8  # longer than the server has run
    assert jobs.sweep() == jobs.Swept()
    settings.JOB_LEASE_S = 0
    assert jobs.sweep() == jobs.Swept(requeued=1)
