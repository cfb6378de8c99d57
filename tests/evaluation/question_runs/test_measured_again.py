"""A run measured again asks nothing anew and loses nothing; a judge at work keeps its item."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db.models.functions import Now

from chat.models import Turn
from core.errors import MedragError
from corpus.models import Document
from evaluation.measures.entailment import TIMEOUT_S
from evaluation.measures.measure import Judges
from evaluation.measures.ragas_judge import RagasConfig
from evaluation.models import QuestionResult, QuestionRun, ResultState, RunState
from evaluation.question_runs.freezing import Budget
from evaluation.question_runs.leases import claim
from evaluation.question_runs.measuring import Measured, Measuring
from evaluation.question_runs.selectors import card_read, has_unjudged
from evaluation.question_runs.services import (
    RunError,
    question_run_cancel,
    question_run_execute,
    question_run_measure_again,
)
from tests.evaluation.question_runs.asking import ITEMS, executed, run_of, stored_set
from tests.llm.scoring import scores
from tests.llm.server import endpoint
from tests.models import set_model

pytestmark = pytest.mark.usefixtures("guideline")

JUDGES = "evaluation.question_runs.measuring.site_judges"


@pytest.fixture
def part(guideline: Document) -> QuestionRun:
    """Two of three items were asked, then the budget was used up; no judge was there."""
    run = run_of(
        stored_set(ITEMS[:3]), measures=("ragas_faithfulness",), budget=Budget(questions=2)
    )
    question_run_execute(run)
    assert run.note.startswith("Done in part")
    return run


def states(run: QuestionRun) -> list[str]:
    return list(run.results.order_by("place").values_list("state", flat=True))


def test_where_a_judge_fails_what_the_budget_left_out_is_still_not_asked(
    part: QuestionRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Judges:
        raise RuntimeError("no memory")

    monkeypatch.setattr(JUDGES, broken)
    question_run_measure_again(part)
    question_run_execute(part)
    assert states(part) == [ResultState.DONE, ResultState.DONE, ResultState.PENDING]
    assert Turn.objects.count() == 2
    assert part.state in (RunState.DONE, RunState.FAILED)


def test_while_another_process_measures_what_the_budget_left_out_is_not_asked(
    part: QuestionRun,
) -> None:
    question_run_measure_again(part)
    QuestionRun.objects.update(state=RunState.RUNNING)
    others = claim(part.pk)
    assert others is not None
    looked = iter([False, False, True])
    question_run_execute(part, is_stopping=lambda: next(looked))
    assert states(part) == [ResultState.RUNNING, ResultState.DONE, ResultState.PENDING]
    assert part.state == RunState.RUNNING
    others.give_back()
    question_run_execute(part)
    assert part.note.startswith("Done in part")
    assert card_read(part).states == {ResultState.DONE: 2, ResultState.PENDING: 1}
    assert Turn.objects.count() == 2


def test_an_item_whose_judge_fails_while_the_run_is_cancelled_stays_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = executed(stored_set(ITEMS[:3]), measures=("ragas_faithfulness",))

    def cancelled(self: Measuring, item: object, only: object) -> Measured:
        question_run_cancel(run)
        raise RuntimeError("no memory")

    monkeypatch.setattr(Measuring, "measured", cancelled)
    question_run_measure_again(run)
    question_run_execute(run)
    assert run.state == RunState.CANCELLED
    assert states(run) == [ResultState.DONE] * 3
    assert card_read(run).states == {ResultState.DONE: 3}


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[timedelta]:
    """How long the lease of each item still lasts when its judges begin."""
    found: list[timedelta] = []

    def looked(self: Measuring, item: object, only: object) -> Measured:
        (held,) = QuestionResult.objects.filter(state=ResultState.RUNNING).annotate(now=Now())
        assert held.lease_until is not None
        found.append(held.lease_until - held.now)
        return Measured({}, {}, ())

    monkeypatch.setattr(Measuring, "measured", looked)
    return found


def test_judging_never_shortens_a_lease(settings: LazySettings, left: list[timedelta]) -> None:
    settings.ANSWER_TIMEOUT_S = 100.0
    executed(stored_set(ITEMS[:1]))
    assert left[0] > timedelta(seconds=150)


def test_a_lease_lasts_as_long_as_all_judges_of_an_item_may_take(
    settings: LazySettings, left: list[timedelta]
) -> None:
    set_model(settings, "judge", "http://127.0.0.1:9", model="judge-1")
    executed(stored_set(ITEMS[:1]))
    by_claims_tried_twice = 2 * TIMEOUT_S
    longest = by_claims_tried_twice + RagasConfig().measure_timeout_s
    assert left[0] > timedelta(seconds=longest)


def test_a_run_without_measures_asks_for_no_judge(settings: LazySettings) -> None:
    """Not even for one that may not judge."""
    set_model(settings, "judge", "http://127.0.0.1:9", model="same")
    set_model(settings, "generate", "http://127.0.0.1:9", model="same")
    run = executed(stored_set(ITEMS[:1]), measures=())
    result = run.results.get()
    assert (result.state, result.failure) == (ResultState.DONE, "")


FAITHFULNESS, RECALL = "ragas_faithfulness", "claim_recall"


def measured_without_judge(**order: Any) -> QuestionRun:
    return executed(stored_set(ITEMS[:3]), measures=(RECALL, FAITHFULNESS), **order)


def test_a_judge_that_comes_later_judges_what_was_asked(settings: LazySettings) -> None:
    run = measured_without_judge()
    before = {each.pk: each for each in run.results.all()}
    turns = Turn.objects.count()
    assert has_unjudged(run)
    with endpoint(scores()) as server:
        set_model(settings, "judge", server.url, model="judge-1")
        question_run_measure_again(run)
        question_run_execute(run)
    card = card_read(run)
    assert (run.state, Turn.objects.count()) == (RunState.DONE, turns)
    assert (card.measures[FAITHFULNESS].mean, card.measures[FAITHFULNESS].n) == (1, 2)
    assert card.not_run[FAITHFULNESS] == {"the question was refused": 1}
    assert [judge["name"] for judge in card.judged_by] == ["checker", "ragas"]
    for after in run.results.all():  # earlier results are kept
        was = before[after.pk]
        for name in ("outcome", "turn_id", "tokens", "duration_ms"):
            assert getattr(after, name) == getattr(was, name)
        assert {**after.scores, **was.scores} == after.scores
    assert not has_unjudged(run)
    with pytest.raises(RunError, match="No measure of a judge is missing"):
        question_run_measure_again(run)
    run.refresh_from_db()
    assert run.state == RunState.DONE


def test_what_waits_to_be_measured_again_stays_done_when_that_is_cancelled() -> None:
    run = measured_without_judge()
    question_run_measure_again(run)
    question_run_cancel(run)
    assert run.results.filter(state=ResultState.DONE).count() == 3


def test_an_item_whose_measuring_fails_stays_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    run = measured_without_judge()
    scored = {each.pk: each.scores for each in run.results.all()}

    def broken() -> None:
        raise MedragError("The judge is configured badly.")

    monkeypatch.setattr("evaluation.question_runs.measuring.site_judges", broken)
    question_run_measure_again(run)
    question_run_execute(run)
    assert {each.pk: each.scores for each in run.results.filter(state=ResultState.DONE)} == scored
    assert "configured badly" in run.results.order_by("-failure")[0].failure
