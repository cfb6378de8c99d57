"""Runs of multiple-choice questions: with retrieval, by the model alone, and with failures."""

import io
import json
from collections.abc import Iterator
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from chat.models import Turn
from corpus.models import Document
from evaluation.choices.accuracy import (
    ALONE,
    FAILED,
    WITH,
    Labelled,
    accuracy_lines,
    read_accuracies,
    set_accuracies,
)
from evaluation.choices.model_alone import AWAY, BUILT_IN, IDENTIFIES, UNUSABLE
from evaluation.models import QuestionResult, QuestionRun
from evaluation.question_runs.export import run_export
from evaluation.question_runs.selectors import card_read
from evaluation.question_runs.services import question_run_execute
from evaluation.question_sets.types import Item, ItemKind
from tests.chat.guidelines import DOSE
from tests.evaluation.question_runs.asking import run_of, stored_set
from tests.llm.contents import as_content, verbatim
from tests.llm.prompts import Shown, shown_in
from tests.llm.server import (
    Answer,
    Endpoint,
    asked_of,
    drips,
    endpoint,
    hangs,
    replies,
    resets,
    status,
)
from tests.llm.sites import generate_by

STEM = "What is the dose of demonstracillin for adults with pneumonia?"
OTHER = "Which dose of demonstracillin do adults with pneumonia get by mouth?"
OPTIONS = ("250 mg every 6 hours", "500 mg by mouth every 8 hours", "1 g once daily")
ALONE_SAYS = {STEM: "A", OTHER: "B"}


def choice(key: str, stem: str, label: str = "B", **fields: Any) -> Item:
    kind = ItemKind.MULTIPLE_CHOICE
    return Item(key, stem, kind, options=OPTIONS, gold_label=label, **fields)


ITEMS = (
    choice("medqa/1", STEM, category="medqa"),
    choice("mmlu/1", OTHER, category="mmlu"),
    choice("mmlu/2", "Which metal has the highest boiling point?", category="mmlu"),
)


def writer(shown: Shown) -> str:
    """Choose B if there are passages; otherwise the option in `ALONE_SAYS`, or C."""
    if shown.passages:
        said = [verbatim(DOSE).as_json(shown)] if DOSE in str(shown.passages) else []
        return as_content(said, option="B")
    return json.dumps({"option": ALONE_SAYS.get(shown.question, "C")})


def failing_alone(fault: Answer) -> Answer:
    """Answer from passages, and with `fault` if there are none."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        has_passages = bool(shown_in(asked_of(handler)).passages)
        (replies(writer) if has_passages else fault)(handler)

    return answer


@pytest.fixture
def server(guideline: Document, settings: LazySettings) -> Iterator[Endpoint]:
    with endpoint(replies(writer)) as state:
        generate_by(settings, state.url)
        yield state


def executed(*items: Item, **order: Any) -> QuestionRun:
    order = {"measures": (), "model_alone": True} | order
    run = run_of(stored_set(items or ITEMS), **order)
    question_run_execute(run)
    return run


def result(run: QuestionRun, key: str) -> QuestionResult:
    return run.results.get(question__key=key)


def test_both_ways_are_measured_and_compared_by_set(server: Endpoint) -> None:
    """With retrieval B, B and refused; alone A, B and C; B is right each time."""
    run = executed()
    scores = {r.question.key: (r.scores[WITH], r.scores[ALONE]) for r in run.results.all()}
    assert scores == {"medqa/1": (1, 0), "mmlu/1": (1, 1), "mmlu/2": (0, 0)}
    figures = {each.name: each for each in card_read(run).accuracies}
    assert figures["all"].with_retrieval.mean == pytest.approx(2 / 3)
    assert figures["all"].alone is not None
    assert figures["all"].alone.mean == pytest.approx(1 / 3)
    assert figures["all"].difference is not None
    assert figures["all"].difference.mean == pytest.approx(1 / 3)
    assert (figures["medqa"].left_out, figures["mmlu"].with_retrieval.n) == (0, 2)
    alone = [shown for shown in map(shown_in, server.asked) if not shown.passages]
    assert len(alone) == 3
    assert all(tuple(shown.options.values()) == OPTIONS for shown in alone)
    assert all(DOSE not in shown.prompt for shown in alone)


def test_the_choice_and_its_evidence_are_kept_and_seen(
    server: Endpoint, client: Client, admin_user: User, tmp_path: Path
) -> None:
    run = executed()
    found = result(run, "medqa/1")
    assert found.detail["option"] == "B"
    assert found.detail["claims"][0]["quotes"] == [DOSE]
    assert found.detail["alone"] == {"option": "A", "model": "writer", "failure": ""}
    assert found.tokens == 240
    run_export(run, tmp_path / "out")
    (first, *_) = json.loads((tmp_path / "out" / "run.json").read_text())["items"]
    assert (first["options"], first["gold_label"]) == (list(OPTIONS), "B")
    assert first["detail"]["alone"]["option"] == "A"
    report = (tmp_path / "out" / "report.md").read_text()
    assert "| medqa/1 | Right | B | B | A |" in report
    assert "| medqa | 1.0000 | 0.0000 | +1.0000 |" in report
    client.force_login(admin_user)
    page = client.get(reverse("admin:evaluation_questionresult_change", args=[found.pk]))
    assert f"Option chosen: B) {OPTIONS[1]}" in page.content.decode()
    assert f"never shown to who asks: A) {OPTIONS[0]}" in page.content.decode()
    card = client.get(reverse("admin:evaluation_questionrun_change", args=[run.pk]))
    assert "Options and labels" in card.content.decode()
    assert "<td>medqa</td><td>1.0000</td><td>0.0000</td>" in card.content.decode()


def test_what_the_model_says_alone_is_no_turn(server: Endpoint) -> None:
    executed(ITEMS[0])
    turn = Turn.objects.get()
    assert turn.option == "B"
    assert len(server.asked) == 2
    assert "A) 250 mg" in turn.question  # as an option
    assert not turn.claims.filter(text__contains="250 mg").exists()


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (status(503), AWAY),
        (status(401), AWAY),
        (resets(), AWAY),
        (replies(lambda shown: "Perhaps the second."), UNUSABLE),
        (replies(lambda shown: '{"option": "F"}'), UNUSABLE),
        (replies(lambda shown: '{"option": null}'), UNUSABLE),
    ],
)
def test_what_fails_alone_has_no_value(
    server: Endpoint, monkeypatch: pytest.MonkeyPatch, fault: Answer, why: str
) -> None:
    monkeypatch.setattr("core.llm.client.FIRST_WAIT_S", 0.0)
    server.default = failing_alone(fault)
    run = executed(ITEMS[0])
    found = result(run, "medqa/1")
    assert (run.state, found.scores[WITH]) == ("done", 1)
    assert ALONE not in found.scores
    assert found.detail["not_run"][ALONE] == why
    assert found.detail["alone"]["failure"].startswith("gave no answer (endpoint 1 (writer): ")
    assert "CANARY" not in json.dumps(found.detail)
    (whole,) = card_read(run).accuracies
    assert (whole.alone, whole.with_retrieval.mean) == (None, 1)


@pytest.mark.parametrize("fault", [hangs(), drips(writer)])
def test_a_slow_model_is_given_up(server: Endpoint, settings: LazySettings, fault: Answer) -> None:
    server.default = failing_alone(fault)
    settings.ANSWER_TIMEOUT_S = 5.0
    run = executed(ITEMS[0])
    found = result(run, "medqa/1")
    assert found.detail["not_run"][ALONE] == AWAY


def test_the_built_in_reader_has_no_answer_alone(guideline: Document) -> None:
    run = executed()
    assert run.frozen["model_alone"] == {"prompt_and_models": ""}
    card = card_read(run)
    assert card.not_run[ALONE] == {BUILT_IN: 3}
    assert card.accuracies[0].alone is None
    assert card.accuracies[0].with_retrieval.n == 3


def test_it_is_asked_alone_only_where_that_is_wanted(server: Endpoint) -> None:
    found = result(executed(ITEMS[0], model_alone=False), "medqa/1")
    assert "alone" not in found.detail
    assert all(shown_in(request).passages for request in server.asked)


def test_what_identifies_a_patient_is_sent_to_nobody(
    server: Endpoint, settings: LazySettings
) -> None:
    settings.IDENTIFIERS = "block"
    run = executed(choice("x", "Mr John Smith, born 04/05/1961, NHS 943 476 5919: which dose?"))
    assert result(run, "x").detail["not_run"][ALONE] == IDENTIFIES
    assert server.asked == []


def test_yes_no_questions_are_asked_by_their_labels(server: Endpoint) -> None:
    server.default = replies(lambda shown: '{"option": "maybe"}')
    item = Item("1", "Does tungsten boil?", ItemKind.YES_NO, gold_label="maybe")
    found = result(executed(item), "1")
    assert found.scores[ALONE] == 1


def test_the_command_asks_for_it(guideline: Document) -> None:
    stored_set(ITEMS[:1])
    call_command("evaluate", "run", "ward", "--model-alone", stdout=io.StringIO())
    assert QuestionRun.objects.get().frozen["model_alone"] is not None


def test_the_form_asks_for_it(guideline: Document, client: Client, admin_user: User) -> None:
    client.force_login(admin_user)
    sent = {"question_set": stored_set(ITEMS[:1]).pk, "limit": 0, "seed": 0, "budget_s": 0}
    client.post(reverse("admin:evaluation_questionrun_add"), {**sent, "model_alone": "on"})
    assert QuestionRun.objects.get().frozen["model_alone"] is not None


def item(
    part: str, retrieved: float | None, alone: float | None, *, failed: bool = False
) -> Labelled:
    known = {WITH: retrieved, ALONE: alone, FAILED: float(failed)}
    return Labelled(part, {name: value for name, value in known.items() if value is not None})


def test_two_sets_with_their_difference() -> None:
    """medqa: 3 of 4 with retrieval, 1 of 4 alone; mmlu: 1 of 2 and 2 of 2."""
    medqa = [item("medqa", a, b) for a, b in [(1, 1), (1, 0), (1, 0), (0, 0)]]
    mmlu = [item("mmlu", a, b) for a, b in [(1, 1), (0, 1)]]
    whole, first, second = set_accuracies([*medqa, *mmlu])
    assert (whole.name, first.name, second.name) == ("all", "medqa", "mmlu")
    assert whole.alone
    assert first.alone
    assert second.alone
    assert (whole.with_retrieval.mean, whole.alone.mean) == pytest.approx((4 / 6, 3 / 6))
    assert (first.with_retrieval.mean, first.alone.mean) == pytest.approx((3 / 4, 1 / 4))
    assert (second.with_retrieval.mean, second.alone.mean) == pytest.approx((1 / 2, 1))
    differences = [each.difference.mean for each in (whole, first, second) if each.difference]
    assert differences == pytest.approx([1 / 6, 2 / 4, -1 / 2])
    assert whole.difference
    assert (whole.difference.better, whole.difference.worse, whole.difference.n) == (2, 1, 6)
    assert whole.difference.low < 0 < whole.difference.high
    assert [each.left_out for each in (whole, first, second)] == [0, 0, 0]


def test_a_refusal_is_wrong_and_what_failed_is_in_neither() -> None:
    """Items: both right; a refusal (0) and right; a failure; no reply of the model; no label."""
    (whole,) = set_accuracies(
        [
            item("", 1, 1),
            item("", 0, 1),
            item("", 0, 1, failed=True),
            item("", 1, None),
            item("", None, 0),
        ]
    )
    assert whole.alone
    assert whole.difference
    assert (whole.with_retrieval.mean, whole.alone.mean) == pytest.approx((1 / 2, 2 / 2))
    assert whole.difference.mean == pytest.approx(-1 / 2)
    assert whole.difference.n == 2
    assert whole.left_out == 3


def test_ties_have_no_difference_and_nothing_has_no_figure() -> None:
    (tied,) = set_accuracies([item("", 1, 1), item("", 0, 0)])
    assert tied.difference
    assert (tied.difference.mean, tied.difference.low, tied.difference.high) == (0, 0, 0)
    assert tied.difference.p == 1
    assert set_accuracies([]) == ()
    whole, none, _ = set_accuracies([item("a", 1, None), item("b", 1, 1)])
    assert (none.name, none.with_retrieval.n, none.left_out) == ("a", 0, 1)
    assert none.cells == ("a", "-", "-", "-", "-", "-", "0", "1")
    assert whole.left_out == 1


def test_without_the_model_alone_every_answer_counts() -> None:
    (whole,) = set_accuracies(
        [item("", 1, None), item("", 0, None), item("", 0, None, failed=True)]
    )
    assert whole.with_retrieval.mean == pytest.approx(1 / 2)
    assert whole.with_retrieval.n == 2
    assert (whole.alone, whole.difference, whole.left_out) == (None, None, 1)
    assert whole.cells[1:6] == ("0.5000", "-", "-", "-", "-")


def test_it_is_stored_and_written_down() -> None:
    found = set_accuracies([item("a", 1, 0), item("b", 1, 1)])
    assert read_accuracies([asdict(each) for each in found]) == found
    lines = list(accuracy_lines(found))
    assert lines[0].startswith("| set | with retrieval | model alone | difference |")
    assert lines[2].startswith("| all | 1.0000 | 0.5000 | +0.5000 |")
    assert list(accuracy_lines(())) == []
