"""`manage.py evaluate run`, `list`, `show`, `compare` and `export`."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from chat.models import Turn
from chat.types import AskedQuestion
from evaluation.management.commands.evaluate import Command
from evaluation.models import QuestionRun, QuestionSet, RunState
from evaluation.question_runs import services
from evaluation.question_runs.services import question_run_execute
from tests.evaluation.question_runs.asking import ITEMS, run_of, stored_set


def evaluate(*arguments: Any) -> str:
    out = io.StringIO()
    call_command(Command(), *map(str, arguments), stdout=out)
    return out.getvalue()


def test_a_run_here_ends_with_its_card(ward: QuestionSet, bob: User) -> None:
    said = evaluate("run", "ward", "--here", "--name", "Monday", "--limit", 3, "--user", "bob")
    run = QuestionRun.objects.get()
    assert (run.name, run.state, run.by, run.is_here) == ("Monday", RunState.DONE, bob, True)
    assert said.startswith(f"Run {run.pk}: 3 questions.\n# Run {run.pk}: Monday\n")
    assert "Done. 3 questions of the set ward, seed 0." in said
    assert "| answered |" in said
    assert "Latency: p50" in said
    assert evaluate("show", run.pk) in said
    listed = evaluate("list")
    assert "3 of 3" in listed
    assert "Monday" in listed


def test_without_here_it_waits_for_the_worker(ward: QuestionSet) -> None:
    said = evaluate("run", ward.pk, "--budget-s", 2.5, "--budget-questions", 3)
    run = QuestionRun.objects.get()
    assert said == (
        f"Run {run.pk} waits for the worker. Follow it with manage.py evaluate show {run.pk}.\n"
    )
    assert (run.state, run.is_here) == (RunState.PENDING, False)
    assert run.frozen["budget"] == {"questions": 3, "seconds": 2.5, "tokens": 0}
    assert "Waiting. 4 questions of the set ward" in evaluate("show", run.pk)


def test_an_interrupted_run_is_taken_up_again(
    ward: QuestionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = services.turn_ask  # type: ignore[attr-defined]

    def interrupted(asked: AskedQuestion) -> Turn:
        if Turn.objects.exists():
            raise KeyboardInterrupt
        turn: Turn = ask(asked)
        return turn

    monkeypatch.setattr(services, "turn_ask", interrupted)
    with pytest.raises(KeyboardInterrupt):
        evaluate("run", "ward", "--here")
    run = QuestionRun.objects.get()
    assert run.state == RunState.CANCELLED
    assert run.results.filter(state="done").count() == 1
    monkeypatch.setattr(services, "turn_ask", ask)
    assert "4 done" in evaluate("run", "--resume", run.pk, "--here")
    assert Turn.objects.count() == 5
    assert "4 done" in evaluate("run", "--measure-again", run.pk, "--here")
    assert Turn.objects.count() == 5


def test_two_runs_are_compared_item_by_item(ward: QuestionSet) -> None:
    first, second = run_of(ward), run_of(ward, limit=3, seed=1)
    for run in (first, second):
        question_run_execute(run)
    second.results.filter(question__key="a-right").update(outcome="wrong", scores={"full": 0.0})
    lines = evaluate("compare", first.pk, second.pk).splitlines()
    assert lines[0] == "Differences are second minus first, over the 3 items that both asked."
    assert lines[4].startswith("| answered | +0.0000 |")
    full = next(line for line in lines if line.startswith("| full |"))
    assert full.startswith("| full | -0.5000 | -1.0000 to +0.0000 |")
    assert full.endswith("| 0 | 1 | 2 |")
    assert "- seed: 0, then 1" in lines
    assert "- a-right: right, then wrong" in lines


def test_a_run_is_exported(ward: QuestionSet, tmp_path: Path) -> None:
    run = run_of(ward)
    question_run_execute(run)
    assert evaluate("export", run.pk, "--out", tmp_path / "out") == (
        f"Written to {tmp_path / 'out'}\n"
    )
    written = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert written["question_set"] == {"name": "ward", "digest": ward.digest}
    assert written["frozen"] == run.frozen
    assert [item["key"] for item in written["items"]] == [item.key for item in ITEMS]
    assert written["items"][0]["turn"] == str(run.results.get(place=1).turn_id)
    assert written["card"]["measures"]["full"]["n"] == 2
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "| a-right | Right |" in report
    with pytest.raises(CommandError, match="is not empty"):
        evaluate("export", run.pk, "--out", tmp_path / "out")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("run",), "Name one question set"),
        (("run", "theatre"), r"There is no question set theatre\. Question sets: \d+ \(ward\)\."),
        (("run", "999"), "There is no question set 999"),
        (("run", "ward", "--limit", "-1"), "--limit must be at least 0"),
        (("run", "ward", "--budget-s", "-1"), "--budget-s must be at least 0"),
        (("run", "ward", "--budget-s", "nan"), "--budget-s must be at least 0"),
        (("run", "ward", "--measures", "luck"), "There is no measure luck"),
        (("run", "ward", "--asker", "nobody"), "There is no active user nobody"),
        (("run", "ward", "--resume", "1"), "with a run and without a question set"),
        (("run", "--resume", "999"), "There is no run 999"),
        (("show",), "Name 1 run by number"),
        (("show", "9" * 30), "Name 1 run by number"),
        (("show", "999"), "There is no run 999"),
        (("compare", "998", "999"), "There is no run 998"),
        (("list", "1"), "list takes no arguments"),
    ],
)
def test_what_does_not_fit_is_said(
    ward: QuestionSet, arguments: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        evaluate(*arguments)
    assert not QuestionRun.objects.exists()


def test_two_sets_of_one_name_are_told_apart_by_number(ward: QuestionSet) -> None:
    other = stored_set(ITEMS[:1])
    with pytest.raises(CommandError, match="2 question sets have the name ward"):
        evaluate("run", "ward")
    evaluate("run", other.pk)
    assert QuestionRun.objects.get().question_set == other
