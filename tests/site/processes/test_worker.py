"""Test the worker as it runs, killed in every way that happens, also under runs of questions."""

import contextlib
import signal
from pathlib import Path

import psutil
import pytest
from pytest_django import Settings

from chat.audit.heads import sign_head
from corpus import selectors
from corpus.encoders.registry import active_encoders
from corpus.models import Document, Job, JobState, Stage, WorkerHeartbeat
from corpus.services.documents import document_reindex
from corpus.services.encoders import encoders_are_building, encoders_sync
from corpus.services.indexing import document_index
from evaluation.models import QuestionRun, ResultState, RunState
from evaluation.question_runs.services import question_run_cancel, question_run_resume
from medrag_site import doctor
from tests.chat.guidelines import publish_guideline
from tests.corpus.documents import derived, guideline, ingest
from tests.corpus.encoders import tiny_models
from tests.dying import poison_settings
from tests.evaluation.question_runs.asking import ITEMS, run_of, stored_set
from tests.processes import (
    family_of,
    in_processes,
    kill_all,
    running,
    start,
    survivors,
    wait_until,
    words_of,
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("own_database")]

SECTIONS = 96  # six batches
UNDISTURBED: list[tuple[object, ...]] = []  # filled once, the same for every database
ONE_PROCESS = in_processes(1)
QUEUE = "medrag_site.processes.cluster"


def job(document: Document) -> Job:
    return Job.objects.get(document=document)


def is_parsing(document: Document) -> bool:
    found = job(document)
    return (found.state, found.stage) == (JobState.RUNNING, Stage.STORED)


def is_embedding(document: Document) -> bool:
    found = job(document)
    return found.stage == Stage.CHUNKED and 16 <= found.done < found.total


def queue(supervisor: int) -> list[psutil.Process]:
    return [p for p in family_of(supervisor) if QUEUE in words_of(p)]


def busy_process(supervisor: int) -> psutil.Process:
    """Return the queue process: the parser's parent, else the largest, with the model loaded."""
    family = family_of(supervisor)
    for process in family:
        if any("poison_parser" in word for word in words_of(process)):
            parent = process.parent()
            assert parent is not None
            return parent
    _, *queue = family  # without the supervisor, which may be larger than a new process
    return max(queue, key=lambda process: process.memory_info().rss)


@pytest.mark.parametrize(
    "victim", ["family", pytest.param("busy process", marks=pytest.mark.exhaustive)]
)
def test_killing_it_in_mid_work_changes_nothing_in_the_end(
    victim: str, tmp_path: Path, settings: Settings
) -> None:
    """Killed while it parses, then while it embeds; the third attempt resumes and finishes."""
    log = tmp_path / "worker.log"
    document = ingest("# POISON: slow 2\n\n" + guideline(sections=SECTIONS))
    worker = start("worker", log=log, **ONE_PROCESS)
    try:
        for moment in (is_parsing, is_embedding):
            wait_until(lambda: moment(document), moment.__name__)  # noqa: B023
            family = family_of(worker.pid)
            if victim == "family":
                kill_all(worker.pid)
                worker.wait()
                assert survivors(family) == []
                worker = start("worker", log=log, **ONE_PROCESS)
            else:
                busy_process(worker.pid).kill()
        wait_until(lambda: job(document).finished_at is not None, "it has ended")
    finally:
        worker.terminate()
        worker.wait(30)
    ended = job(document)
    assert (ended.state, ended.attempts) == (JobState.DONE, 3), ended.last_error
    disturbed = derived(document)
    assert len({key for key, *_ in disturbed}) == len(disturbed) >= SECTIONS
    if not UNDISTURBED:
        settings.PARSER_COMMAND = poison_settings.PARSER_COMMAND
        document_reindex(document, by=None)
        document_index(document.pk)
        UNDISTURBED.extend(derived(document))
    assert disturbed == UNDISTURBED


def test_poison_is_parked_after_three_attempts_while_good_documents_go_on(tmp_path: Path) -> None:
    poison = {
        "worker_stopped": ingest("# POISON: kill-worker\n\nText.\n", "kills-worker.md"),
        "parser_timeout": ingest("# POISON: hang\n\nText.\n", "hangs.md"),
        "parser_killed": ingest("# POISON: die\n\nText.\n", "dies.md"),
    }
    good = ingest(guideline(sections=2), "good.md")
    with running("worker", log=tmp_path / "worker.log") as worker:
        wait_until(lambda: job(good).state == JobState.DONE, "the good one is done")
        wait_until(lambda: Job.objects.filter(state=JobState.FAILED).count() == 3, "three failed")
        family = family_of(worker.pid)
        worker.terminate()
        assert worker.wait(30) == 0
        assert survivors(family) == []
    for code, document in poison.items():
        failed = job(document)
        assert (failed.state, failed.attempts, failed.error_code) == (JobState.FAILED, 3, code)
        assert "3 times" in failed.last_error


# Both signals have one handler; `test_supervisor` sends both.
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.exhaustive)]
)
def test_a_stop_leaves_no_process_and_counts_no_attempt(
    number: signal.Signals, tmp_path: Path
) -> None:
    document = ingest("# POISON: hang\n\nText.\n")
    with running("worker", log=tmp_path / "worker.log", MEDRAG_PARSING="timeout_s=600") as worker:
        wait_until(lambda: job(document).state == JobState.RUNNING, "the job runs")
        wait_until(selectors.worker_is_alive, "the worker says that it is well")
        family = family_of(worker.pid)
        worker.send_signal(number)
        assert worker.wait(30) == 0
        assert survivors(family) == []
    assert (job(document).state, job(document).attempts) == (JobState.PENDING, 0)
    assert WorkerHeartbeat.objects.count() == 0


@pytest.mark.exhaustive  # `test_supervisor` kills `serve`, `test_fork_servers` who parses
def test_nothing_outlives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    document = ingest("# POISON: slow 60\n\nText.\n")
    worker = start("worker", log=tmp_path / "worker.log", MEDRAG_PARSING="timeout_s=600")
    wait_until(lambda: job(document).state == JobState.RUNNING, "the job runs")
    family = family_of(worker.pid)
    assert len(family) >= 4  # supervisor, its processes, the child that parses
    worker.kill()
    worker.wait()
    assert survivors(family) == []


@pytest.mark.exhaustive  # waits for the watchdog
def test_a_process_that_stands_still_is_started_again(tmp_path: Path) -> None:
    """The queue is suspended, as if it waited for a lock whose owner was killed."""
    with running("worker", log=tmp_path / "worker.log", **ONE_PROCESS) as worker:
        wait_until(lambda: len(queue(worker.pid)) > 8, "the queue runs")
        wait_until(selectors.worker_is_alive, "the worker says that it is well")
        stopped = queue(worker.pid)
        for process in stopped:
            process.suspend()
        document = ingest("# POISON: die\n\nText.\n")
        wait_until(lambda: job(document).attempts > 0, "it is begun")
        assert survivors(stopped) == []
        assert WorkerHeartbeat.objects.get().detail["restarts"] == 1
    assert "work has been waiting" in (tmp_path / "worker.log").read_text()


@pytest.mark.parametrize(
    "victim", ["its sentinel", pytest.param("an idle worker of it", marks=pytest.mark.exhaustive)]
)
def test_a_queue_that_lost_a_process_goes_on(victim: str, tmp_path: Path) -> None:
    """Such a queue may look alive and take no task."""
    with running("worker", log=tmp_path / "worker.log", **ONE_PROCESS) as worker:
        wait_until(lambda: len(queue(worker.pid)) > 8, "the queue runs")
        main = queue(worker.pid)[0]
        (sentinel,) = main.children()
        (sentinel if victim == "its sentinel" else sentinel.children()[0]).kill()
        document = ingest("# Dosing\n\nGive 5 mg.\n")
        wait_until(lambda: job(document).state == JobState.DONE, "the document is read")
    assert job(document).attempts == 1


def test_a_job_that_takes_too_long_ends_its_process(tmp_path: Path) -> None:
    """Even in native code, which no time-out of a queue can interrupt."""
    document = ingest("# POISON: slow 60\n\nText.\n")
    with running(
        "worker", log=tmp_path / "worker.log", MEDRAG_TEST_JOB_TIMEOUT_S="2", **ONE_PROCESS
    ):
        wait_until(lambda: job(document).attempts > 1, "it was ended and is tried again")
    assert "status -14" in (tmp_path / "worker.log").read_text()


def test_new_vectors_are_made_beside_the_work_and_taken_over(
    tmp_path: Path, settings: Settings
) -> None:
    document = ingest(guideline(sections=3))
    document_index(document.pk)
    model = tiny_models.transformer(tmp_path / "tiny")
    configured = tmp_path / "encoders.toml"
    configured.write_text(f'[tiny]\nmodel = "{model}"\npooling = "mean"\n')
    settings.ENCODERS = str(configured)
    assert encoders_sync().made == ("tiny",)
    with running("worker", log=tmp_path / "worker.log", MEDRAG_ENCODERS=str(configured)) as worker:
        wait_until(lambda: not encoders_are_building(), "the new vectors are searched")
        family = family_of(worker.pid)
    assert [encoder.name for encoder in active_encoders()] == ["tiny"]
    assert survivors(family) == []
    assert "Traceback" not in (tmp_path / "worker.log").read_text()


def test_signed_heads_that_are_gone_are_told_to_staff_and_stop_no_work(
    tmp_path: Path, settings: Settings
) -> None:
    document = ingest("# Dosing\n\nGive 5 mg.\n")
    sign_head()
    settings.AUDIT_HEADS_FILE.unlink()
    with running("worker", log=tmp_path / "worker.log"):
        wait_until(selectors.worker_faults, "the worker says what it can't do")
        wait_until(lambda: job(document).state == JobState.DONE, "the document is read")
        (fault,) = selectors.worker_faults()
        found = {finding.name: finding for finding in doctor.examine()}["worker"]
    assert "gone" in fault
    assert "audit sign --anew" in fault
    assert (found.ok, found.detail) == (False, fault)
    assert fault in (tmp_path / "worker.log").read_text()


ITEM = ITEMS[0]


def many(count: int) -> QuestionRun:
    items = [
        type(ITEM)(f"q{n:03}", f"{ITEM.question} ({n})", ITEM.kind, patterns=ITEM.patterns)
        for n in range(count)
    ]
    return run_of(stored_set(tuple(items)))


def done(run: QuestionRun) -> int:
    return run.results.filter(state=ResultState.DONE).count()


def state(run: QuestionRun) -> str:
    run.refresh_from_db()
    return run.state


def asking_process(worker: int) -> psutil.Process | None:
    for process in family_of(worker):
        with contextlib.suppress(psutil.Error):  # it has just ended
            if words_of(process)[-2:] == ["medrag_site.processes.child", "evaluating"]:
                return process
    return None


def test_a_file_is_indexed_meanwhile_and_a_stop_gives_the_item_back(tmp_path: Path) -> None:
    publish_guideline(picture=False)
    run = many(400)
    with running("worker", log=tmp_path / "worker.log", **in_processes(1)) as worker:
        wait_until(lambda: done(run) >= 3, "some are asked")
        document = ingest(guideline(sections=2), "meanwhile.md")
        wait_until(lambda: Job.objects.get(document=document).state == JobState.DONE, "it is")
        assert done(run) < 400
        question_run_cancel(run)
        wait_until(lambda: asking_process(worker.pid) is None, "nobody asks")
        question_run_resume(run)
        wait_until(lambda: state(run) == RunState.RUNNING, "it goes on")
        worker.terminate()
        assert worker.wait(30) == 0
    assert not run.results.filter(state=ResultState.RUNNING).exists()
    assert set(run.results.filter(turn=None).values_list("attempts", flat=True)) == {0}
