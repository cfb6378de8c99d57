"""Test runs of questions under the real worker, which is killed meanwhile."""

import contextlib
from pathlib import Path

import psutil
import pytest

from corpus.models import Job, JobState
from evaluation.models import QuestionRun, ResultState, RunState
from evaluation.question_runs.services import question_run_cancel, question_run_resume
from tests.chat.guidelines import publish_guideline
from tests.corpus.documents import guideline, ingest
from tests.evaluation.question_runs.asking import ITEMS, run_of, stored_set
from tests.processes import family_of, in_processes, running, wait_until, words_of

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
            if words_of(process)[-2:] == ["medrag_site.processes.child", "evaluating"]:
                return process
    return None


def test_a_file_is_indexed_meanwhile_and_a_stop_gives_the_item_back(
    own_database: str, tmp_path: Path
) -> None:
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
