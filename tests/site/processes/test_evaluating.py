"""Runs of questions under the real worker, which is killed meanwhile."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
from django.db.models.functions import Now

from chat.models import Channel, Turn
from corpus.models import Job, JobState
from evaluation.models import QuestionResult, QuestionRun, ResultState, RunState
from evaluation.question_runs.services import question_run_cancel, question_run_resume
from tests.chat.guidelines import publish_guideline
from tests.corpus.documents import guideline, ingest
from tests.evaluation.question_runs.asking import ITEMS, run_of, stored_set
from tests.processes import family_of, in_processes, kill_all, running, start, survivors, wait_until

pytestmark = pytest.mark.slow

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
            if process.cmdline()[-2:] == ["medrag_site.processes.background", "evaluating"]:
                return process
    return None


def test_what_is_killed_in_mid_run_changes_nothing_in_the_end(
    own_database: str, tmp_path: Path
) -> None:
    publish_guideline(picture=False)
    run, log = many(120), tmp_path / "worker.log"
    worker = start("worker", log=log)
    try:
        wait_until(lambda: done(run) >= 10, "some are asked", 90)
        asking = asking_process(worker.pid)
        assert asking is not None
        asking.kill()
        before = done(run)
        wait_until(lambda: done(run) > before + 5, "others are asked", 90)
        family = family_of(worker.pid)
        kill_all(worker.pid)
        worker.wait()
        assert survivors(family) == []
        held = QuestionResult.objects.filter(run=run, state=ResultState.RUNNING)
        held.update(lease_until=Now() - timedelta(seconds=1))
        worker = start("worker", log=log)
        wait_until(lambda: state(run) == RunState.DONE, "the run is done", 120)
    finally:
        worker.terminate()
        worker.wait(30)
    assert done(run) == 120
    assert Turn.objects.filter(channel=Channel.EVALUATION).count() == 120


def test_a_file_is_indexed_meanwhile_and_a_stop_gives_the_item_back(
    own_database: str, tmp_path: Path
) -> None:
    publish_guideline(picture=False)
    run = many(400)
    with running("worker", log=tmp_path / "worker.log", **in_processes(1)) as worker:
        wait_until(lambda: done(run) >= 3, "some are asked", 90)
        document = ingest(guideline(sections=2), "meanwhile.md")
        wait_until(lambda: Job.objects.get(document=document).state == JobState.DONE, "it is", 60)
        assert done(run) < 400
        question_run_cancel(run)
        wait_until(lambda: asking_process(worker.pid) is None, "nobody asks", 60)
        question_run_resume(run)
        wait_until(lambda: state(run) == RunState.RUNNING, "it goes on", 60)
        worker.terminate()
        assert worker.wait(30) == 0
    assert not run.results.filter(state=ResultState.RUNNING).exists()
    assert set(run.results.filter(turn=None).values_list("attempts", flat=True)) == {0}
