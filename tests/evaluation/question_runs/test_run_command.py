"""`manage.py evaluate run`, `list`, `show`, `compare` and `export`, and what an item explains."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from chat.models import Turn
from chat.types import AskedQuestion
from corpus.models import Chunk, Document
from evaluation.management.commands.evaluate import Command
from evaluation.models import QuestionRun, QuestionSet, RunState
from evaluation.question_runs import services
from evaluation.question_runs.export import run_export
from evaluation.question_runs.services import (
    RunError,
    question_run_execute,
    question_run_measure_again,
)
from tests.chat.guidelines import DOSE, NOTE, QUESTION
from tests.evaluation.question_runs.asking import ITEMS, executed, run_of, stored_set
from tests.evaluation.question_runs.test_question_run_admin import item_page, run_page
from tests.llm.__main__ import judge as word_for_word
from tests.llm.scoring import scores
from tests.llm.server import endpoint
from tests.models import set_model
from tests.tables import rows


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
    run = executed(ward)
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


@pytest.mark.parametrize(("arguments", "sentence"), rows(__file__, "wrong_commands.jsonl"))
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


PASSAGE = f"{DOSE}\n{NOTE}"
MEASURES = ("claim_faithfulness", "ragas_faithfulness", "ragas_context_precision")


def text_of(response: Any) -> str:
    return str(response.content.decode())


@pytest.fixture
def judged(guideline: Document, settings: LazySettings) -> QuestionRun:
    run = run_of(stored_set(ITEMS[:3]), measures=MEASURES)
    question_run_execute(run)  # without a judge
    Chunk.objects.update(text="Cut otherwise since.")
    with endpoint(scores()) as server:
        set_model(settings, "judge", server.url, model="judge-1")
        question_run_measure_again(run)
        question_run_execute(run)
    return run


def test_an_item_shows_what_was_retrieved_and_why_it_scored(
    evaluator: Client, judged: QuestionRun
) -> None:
    """The passages as they were when the question was asked, also for a judge that came later."""
    page = text_of(evaluator.get(item_page(judged, "a-right")))
    assert "Pneumonia in adults, page 1<blockquote>" in page
    assert "Cut otherwise since." not in page
    assert f"<td>{DOSE}</td><td>supported</td><td>by passage 1</td>" in page
    assert f"<td>{DOSE}</td><td>follows from the passages</td><td>read</td>" in page
    assert "RAGAS faithfulness 1.00: statements that follow from the passages" in page
    result = judged.results.get(question__key="a-right")
    assert [passage["text"] for passage in result.detail["retrieved"]] == [PASSAGE]
    assert result.detail["retrieved"][0]["cosine"] > 0


def test_a_new_judge_replaces_all_values_if_wanted(
    evaluator: Client, judged: QuestionRun, settings: LazySettings
) -> None:
    """Also those that another judge gave; what patterns say, and the answer, stay."""
    result = judged.results.get(question__key="a-right")
    assert result.detail["judged_by"][0]["name"] == "checker"
    with endpoint(word_for_word) as server:
        set_model(settings, "judge", server.url, model="judge-2")
        address = reverse("admin:evaluation_questionrun_judge_again", args=[judged.pk])
        assert "are judged again" in text_of(evaluator.post(address, follow=True))
        question_run_execute(judged)
    after = judged.results.get(question__key="a-right")
    assert [judge["name"] for judge in after.detail["judged_by"]] == ["llm", "ragas"]
    assert all("judge-2" in judge["fingerprint"] for judge in after.detail["judged_by"])
    assert (after.scores, after.turn_id) == (result.scores, result.turn_id)
    assert "judge_again" not in after.detail
    judged.refresh_from_db()
    assert judged.state == RunState.DONE
    names = {judge["name"] for judge in judged.metrics["judged_by"]}
    assert names == {"llm", "ragas"}


def test_a_run_without_measures_of_judges_is_not_judged_again(
    evaluator: Client, guideline: Document
) -> None:
    run = executed(stored_set(ITEMS[:1]), measures=())
    with pytest.raises(RunError, match="no measure of a judge"):
        question_run_measure_again(run, is_all=True)
    assert "Replace all values" not in text_of(evaluator.get(run_page(run)))


def test_ragas_reads_the_export(judged: QuestionRun, evaluator: Client, tmp_path: Path) -> None:
    from ragas import EvaluationDataset  # late: it takes seconds

    run_export(judged, tmp_path)
    address = reverse("admin:evaluation_questionrun_export", args=[judged.pk])
    from_page = tmp_path / "page.jsonl"
    from_page.write_bytes(evaluator.post(address, {"items": "1"}).getvalue())
    for path in (tmp_path / "items.jsonl", from_page):
        found = EvaluationDataset.from_jsonl(path)
        assert len(found) == 3
        right, _, refused = (each.to_dict() for each in found.samples)
        assert right["user_input"] == QUESTION
        assert right["retrieved_contexts"] == [PASSAGE]
        assert right["response"] == DOSE
        assert right["reference"] == "500 mg"
        assert "reference_contexts" not in right
        assert "response" not in refused
