"""A run whose processes are killed at random asks each item once, with undisturbed results."""

import os
import random
import signal
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from chat.models import Channel, Turn
from evaluation.models import QuestionResult, QuestionRun, ResultState, RunState
from evaluation.question_runs.services import question_run_execute
from tests.chat.guidelines import publish_guideline
from tests.dying.dying_run import MOMENTS
from tests.evaluation.question_runs.asking import executed, run_of
from tests.processes import ROOT

pytestmark = pytest.mark.slow

QUESTIONS = 5  # four items, one of which follows another question


def killed(run: QuestionRun, moment: str, count: int) -> None:
    """Execute a run in a process that is killed, and end its lease, as time would."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.dying.dying_run", str(run.pk), moment, str(count)],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        check=False,
    )
    assert process.returncode == -signal.SIGKILL, (moment, count)
    held = QuestionResult.objects.filter(run=run, state=ResultState.RUNNING)
    held.update(lease_until=Now() - timedelta(seconds=1))


def test_two_processes_at_once_ask_each_item_once(own_database: str) -> None:
    publish_guideline(picture=False)
    run = run_of()
    command = [sys.executable, "-m", "tests.dying.dying_run", str(run.pk), "never", "0"]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    both = [subprocess.Popen(command, cwd=ROOT, env=environment) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    run.refresh_from_db()
    assert run.state == RunState.DONE
    assert set(run.results.values_list("state", "attempts")) == {(ResultState.DONE, 1)}
    assert Turn.objects.count() == QUESTIONS


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_killed_at_three_points_each_item_is_there_once(own_database: str, seed: int) -> None:
    publish_guideline(picture=False)
    run = run_of()
    chance = random.Random(seed)
    moments = list(MOMENTS)
    chance.shuffle(moments)
    for moment in moments:
        killed(run, moment, 1 if moment == moments[-1] else chance.randint(1, 2))
    question_run_execute(run)
    assert run.state == RunState.DONE
    results = list(run.results.all())
    assert {result.state for result in results} == {ResultState.DONE}
    assert [result.turn_id for result in results] == [result.turn_key for result in results]
    assert Turn.objects.filter(channel=Channel.EVALUATION).count() == QUESTIONS
    undisturbed = executed(run.question_set)
    names = ("question__key", "outcome", "scores")
    assert list(run.results.values_list(*names)) == list(undisturbed.results.values_list(*names))
