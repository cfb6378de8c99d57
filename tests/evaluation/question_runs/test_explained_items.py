"""An item shows what was retrieved and why it scored, and RAGAS reads the export."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from corpus.models import Chunk, Document
from evaluation.models import QuestionRun, RunState
from evaluation.question_runs.export import run_export
from evaluation.question_runs.services import (
    RunError,
    question_run_execute,
    question_run_measure_again,
)
from tests.chat.guidelines import DOSE, NOTE, QUESTION
from tests.evaluation.question_runs.asking import ITEMS, run_of, stored_set
from tests.evaluation.question_runs.test_question_run_admin import item_page, run_page
from tests.llm.__main__ import judge as word_for_word
from tests.llm.scoring import scores
from tests.llm.server import endpoint
from tests.models import set_model

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
    run = run_of(stored_set(ITEMS[:1]), measures=())
    question_run_execute(run)
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
