"""Question runs: asked like a clinician's questions, each once, cancelled, resumed, budgeted."""

import json
from collections import Counter
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.db.models.functions import Now

from chat.ask import turn_ask
from chat.models import AuditEvent, Channel, Conversation, Turn
from chat.pipeline.admission import Busy
from chat.selectors import conversations_of
from chat.types import AskedQuestion
from core.errors import MedragError
from corpus.models import Document
from corpus.selectors import answers_citing
from evaluation.measures.measure import MEASURES
from evaluation.models import QuestionResult, QuestionRun, ResultState, RunState
from evaluation.question_runs import services
from evaluation.question_runs.card_words import without_lines
from evaluation.question_runs.comparing import runs_of_questions_compared
from evaluation.question_runs.freezing import Budget, RunOrder
from evaluation.question_runs.leases import claim
from evaluation.question_runs.measuring import UnknownMeasure
from evaluation.question_runs.plots import plots_svg
from evaluation.question_runs.selectors import (
    card_read,
    question_runs_listed,
    rows_of,
    run_lines,
    run_progress,
    runs_due,
)
from evaluation.question_runs.services import (
    question_run_cancel,
    question_run_create,
    question_run_execute,
    question_run_resume,
)
from evaluation.question_sets.types import Item, ItemKind
from tests.evaluation.question_runs.asking import ITEMS, executed, listed, run_of, stored_set
from tests.llm.__main__ import judge
from tests.llm.server import endpoint, status
from tests.models import set_model

pytestmark = pytest.mark.usefixtures("guideline")


def outcomes(run: QuestionRun) -> dict[str, str]:
    return dict(run.results.values_list("question__key", "outcome"))


def test_every_item_is_asked_and_judged_by_what_is_known_of_it() -> None:
    run = executed()
    assert (run.state, run.note) == (RunState.DONE, "")
    assert run.started_at
    assert run.finished_at
    assert outcomes(run) == {
        "a-right": "right",
        "b-wrong": "wrong",
        "c-refused": "right",
        "d-follows": "uncompared",
    }
    card = card_read(run)
    assert card.states == {ResultState.DONE: 4}
    assert card.measures["answered"].mean == pytest.approx(3 / 4)
    assert card.measures["full"].mean == pytest.approx(1 / 2)
    assert card.measures["full"].n == 2
    assert card.measures["unanswerable refused"].n == 1
    assert card.not_run["outcome by patterns"] == {"the question has no patterns": 1}
    assert "label accuracy, answered" not in card.measures
    assert 0 < card.latency_ms["p50"] <= card.latency_ms["p95"]


def test_what_a_measure_needs_is_kept_with_the_result(guideline: Document) -> None:
    run = executed()
    result = run.results.get(question__key="a-right")
    assert result.turn is not None
    assert result.turn_id == result.turn_key
    (claim, *_) = result.detail["claims"]
    assert "500 mg" in claim["text"]
    assert claim["quotes"]
    assert result.detail["passages"] == [f"{guideline.sha256}_p1_c0"]
    assert result.detail["confidence"] == result.turn.confidence
    assert result.duration_ms == result.turn.duration_ms
    assert (result.tokens, result.attempts, result.lease_token) == (0, 1, None)


def test_what_it_was_started_with_is_frozen(bob: User) -> None:
    order = RunOrder(limit=2, seed=5, budget=Budget(questions=1))
    run = question_run_create(stored_set(), order, by=bob)
    frozen = run.frozen
    assert (frozen["items"], frozen["seed"], frozen["measures"]) == (2, 5, list(MEASURES))
    assert frozen["budget"] == {"questions": 1, "seconds": 0.0, "tokens": 0}
    assert frozen["corpus"]["documents"] == 1
    assert len(frozen["configuration"]) == 16
    assert len(frozen["concepts"]) == 16
    assert "chat/generation/prompts/answer_v1.txt" in frozen["prompts"]
    assert frozen["models"]["generator"]
    assert run.by == bob


def test_the_seed_decides_the_sample() -> None:
    question_set = stored_set()

    def keys(seed: int) -> list[str]:
        run = run_of(question_set, limit=2, seed=seed)
        return list(run.results.values_list("question__key", flat=True))

    samples = [keys(seed) for seed in range(6)]
    assert keys(3) == samples[3]
    assert all(sample == sorted(sample) and len(sample) == 2 for sample in samples)
    assert len(set(map(tuple, samples))) > 1


def test_runs_are_no_conversations_of_clinicians(guideline: Document, alice: User) -> None:
    """Nobody acted on their answers: they are in no clinician's list, and in no recall."""
    run = question_run_create(stored_set(), RunOrder(), by=alice, asker=alice)
    question_run_execute(run)
    assert set(Turn.objects.values_list("channel", "user")) == {(Channel.EVALUATION, alice.pk)}
    conversation = Conversation.objects.get()
    assert conversation.user is None
    assert conversation.turns.count() == 2
    assert not conversations_of(alice).exists()
    assert not conversations_of(alice, words="demonstracillin").exists()
    assert answers_citing(guideline) == []
    events = AuditEvent.objects.filter(subject__startswith="turn:")
    payloads = [json.loads(each) for each in events.values_list("payload", flat=True)]
    assert [each["channel"] for each in payloads] == [Channel.EVALUATION] * 5


def test_a_run_is_cancelled_after_the_item_that_is_asked_and_resumed() -> None:
    run = run_of()
    question_run_execute(run, on_item=lambda: question_run_cancel(run))
    assert run.state == RunState.CANCELLED
    assert Counter(run.results.values_list("state", flat=True)) == {"done": 1, "pending": 3}
    assert card_read(run).measures["answered"].n == 1
    first = run.results.get(state=ResultState.DONE).turn_id
    question_run_resume(run)
    question_run_execute(run)
    assert run.state == RunState.DONE
    assert run.results.filter(state=ResultState.DONE).count() == 4
    assert run.results.filter(turn=first).exists()
    assert card_read(run).measures["answered"].n == 4


@pytest.mark.parametrize(
    ("budget", "asked", "note"),
    [
        (Budget(questions=2), 2, "Done in part: its budget of 2 questions is used up."),
        (Budget(seconds=0.001), 1, "Done in part: its budget of 0.001 seconds is used up."),
        (Budget(tokens=5), 4, ""),  # no language model is asked here
    ],
)
def test_a_budget_ends_it_in_part(budget: Budget, asked: int, note: str) -> None:
    run = executed(budget=budget)
    assert (run.state, run.note) == (RunState.DONE, note)
    assert run.results.filter(state=ResultState.DONE).count() == asked
    assert card_read(run).measures["answered"].n == asked


def test_what_can_not_be_asked_is_parked_and_the_others_go_on() -> None:
    too_long = Item("z", "x" * 100_000, ItemKind.UNLABELLED)
    run = executed(stored_set((*ITEMS, too_long)))
    failed = run.results.get(state=ResultState.FAILED)
    assert (failed.question.key, failed.attempts) == ("z", 1)
    assert "characters" in failed.failure
    assert run.state == RunState.DONE
    assert card_read(run).states == {"done": 4, "failed": 1}


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception, times: int) -> list[str]:
    """Make the first `times` questions fail; return the list that records each question."""
    asked: list[str] = []
    ask = turn_ask

    def ask_or_fail(question: AskedQuestion) -> Turn:
        asked.append(question.text)
        if len(asked) <= times:
            raise error
        return ask(question)

    monkeypatch.setattr(services, "turn_ask", ask_or_fail)
    monkeypatch.setattr(services, "PAUSE_S", 0.0)
    return asked


def test_an_item_is_tried_three_times_after_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = failing(monkeypatch, RuntimeError("no such part"), 3)
    run = executed(stored_set(ITEMS[:1]))
    failed = run.results.get()
    assert (failed.state, failed.attempts) == (ResultState.FAILED, 3)
    assert failed.failure == "RuntimeError: no such part"
    assert len(asked) == 3
    QuestionRun.objects.update(state=RunState.FAILED)
    question_run_resume(run)
    question_run_execute(run)
    assert run.results.get().state == ResultState.DONE


def test_where_nothing_can_be_asked_the_run_fails_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failing(monkeypatch, MedragError("The shelf is closed.", retryable=True), 99)
    run = executed()
    assert run.state == RunState.FAILED
    assert run.note == "5 items in a row failed. The shelf is closed."


def test_where_too_many_ask_no_attempt_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, Busy(3.0), 7)
    run = run_of(stored_set(ITEMS[:1]))
    ended: list[str] = []
    question_run_execute(run, on_item=lambda: ended.append(run.results.get().state))
    assert ended == [ResultState.DONE]
    assert run.results.get().attempts == 1
    assert run.state == RunState.DONE


def test_what_ends_the_process_gives_the_item_back(monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, KeyboardInterrupt(), 1)  # type: ignore[arg-type]
    run = run_of()
    with pytest.raises(KeyboardInterrupt):
        question_run_execute(run)
    assert set(run.results.values_list("state", "attempts")) == {("pending", 0)}


def test_a_turn_that_another_process_stored_meanwhile_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ask_second(question: AskedQuestion) -> Turn:
        turn_ask(question)
        raise IntegrityError

    monkeypatch.setattr(services, "turn_ask", ask_second)
    run = executed(stored_set(ITEMS[:1]))
    result = run.results.get()
    assert (result.state, result.turn) == (ResultState.DONE, Turn.objects.get())


def test_whose_lease_was_lost_writes_nothing() -> None:
    run = run_of()
    QuestionRun.objects.update(state=RunState.RUNNING)
    late = claim(run.pk)
    assert late is not None
    QuestionResult.objects.update(lease_until=Now() - timedelta(seconds=1))
    question_run_execute(run)
    first = run.results.get(pk=late.row.pk)
    assert (first.state, first.attempts) == (ResultState.DONE, 2)
    assert not late.end(state=ResultState.PENDING)
    late.failed("late", is_final=True)
    late.give_back()
    assert set(run.results.values_list("state", flat=True)) == {ResultState.DONE}


def test_an_item_that_its_process_died_of_is_parked() -> None:
    run = run_of()
    past = Now() - timedelta(seconds=1)
    first = run.results.order_by("place")[:1].get()
    QuestionResult.objects.filter(pk=first.pk).update(
        state=ResultState.RUNNING, attempts=3, lease_until=past
    )
    question_run_execute(run)
    first.refresh_from_db()
    assert (first.state, first.turn) == (ResultState.FAILED, None)
    assert "stopped 3 times" in first.failure


def test_each_item_is_measured_by_its_claims() -> None:
    """Also: reasons for missing values, and measures of refusal over the run."""
    with pytest.raises(UnknownMeasure, match="no measure length"):
        run_of(stored_set(ITEMS[:1], name="one"), measures=("length",))
    run = executed()
    card = card_read(run)
    assert card.measures["claim_faithfulness"].mean == 1  # word for word from the passage
    assert card.measures["claim_faithfulness"].n == 3
    assert card.not_run["claim_faithfulness"] == {"the question was refused": 1}
    assert card.not_run["ragas_faithfulness"] == {"not run: no judge is configured": 4}
    assert [judge["name"] for judge in card.judged_by] == ["checker"]
    assert (card.selective["answered"], card.selective["refused"]) == (3, 1)
    assert card.selective["auroc_answerable"] is not None
    assert "dangerous" not in card.measures
    assert card.not_run["dangerous"] == {"the question has no patterns of dangerous answers": 3}
    lines = "\n".join(run_lines(run))
    assert "Claims judged by checker" in lines
    assert "name a judge by [judge] in the file of MEDRAG_MODELS" in lines
    assert "| 0.50 |" in lines
    picture = plots_svg(card, list(rows_of(run)))
    assert picture.startswith(b"<?xml")
    assert picture == plots_svg(card, list(rows_of(run)))


def test_values_of_two_judges_are_not_compared(settings: LazySettings) -> None:
    ward = stored_set(ITEMS[:1])
    measures = ("claim_recall", "ragas_faithfulness")
    first = executed(ward, measures=measures)
    with endpoint(judge) as server:
        set_model(settings, "judge", server.url, model="judge-1")
        second = executed(ward, measures=measures)
    found = runs_of_questions_compared(first, second)
    assert "claim_recall" not in found.differences
    assert found.differences["answered"].n == 1
    assert found.left_out == {
        "judged by another judge in each run": ["claim_recall"],
        "without a value in the first run": ["ragas_faithfulness"],
    }
    assert "claim_recall" in runs_of_questions_compared(first, first).differences


def test_the_latest_run_is_listed_first(db: None) -> None:
    ward = stored_set()
    runs = [run_of(ward) for _ in range(8)]
    assert list(question_runs_listed()) == runs[::-1]
    assert question_runs_listed().ordered


def test_a_judge_that_refuses_says_so_and_what_to_do(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No measure is counted as 0, and no reason is given as if the answer were missing."""
    monkeypatch.setattr("evaluation.measures.configured.WAIT_S", 0)
    with endpoint(status(401)) as server:
        set_model(settings, "judge", server.url, model="judge-1")
        run = executed(stored_set(ITEMS[:1]))
    card = card_read(run)
    assert (card.states, card.measures["answered"].n) == ({"done": 1}, 1)
    assert not {"claim_recall", "ragas_context_recall"} & card.measures.keys()
    lines = without_lines(card)
    (claims,) = (line for line in lines if "claim recall" in line)
    assert claims.startswith("Failed: the judge gave no answer (endpoint 1 (judge-1)")
    assert "No claim was shown" not in claims
    assert any(line.startswith("Failed: the judge answered with status 401") for line in lines)
    assert lines[-1].endswith("measure the run again: nothing is asked anew.")
    assert "right answers against others: not known without answers of both kinds." in "\n".join(
        run_lines(run)
    )


def test_progress_and_what_waits_for_the_worker() -> None:
    question_set = stored_set()
    run, _ = run_of(question_set), run_of(question_set, is_here=True)
    assert list(runs_due()) == [run]
    assert run_progress(listed(run)).rest_s is None
    question_run_cancel(run)
    assert not runs_due().exists()
