"""Question runs in the administration: evaluators start and control them, nobody deletes one."""

import json
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from evaluation.admin.question_results import items_by
from evaluation.models import QuestionRun, QuestionSet, RunState
from evaluation.question_runs.freezing import RunOrder
from evaluation.question_runs.selectors import trend_of
from evaluation.question_runs.services import (
    question_run_cancel,
    question_run_create,
    question_run_execute,
)
from medrag_site.groups import AUDITORS, CLINICIANS, EVALUATORS, PUBLISHERS, STAFF
from tests.chat.guidelines import DOSE
from tests.chat.web.pages import lacking
from tests.corpus.admin.test_admin import member
from tests.evaluation.question_runs.asking import ITEMS, executed, run_of, stored_set

RUNS = "admin:evaluation_questionrun_changelist"
RESULTS = "admin:evaluation_questionresult_changelist"
ADD = "admin:evaluation_questionrun_add"


def run_page(run: QuestionRun) -> str:
    return reverse("admin:evaluation_questionrun_change", args=[run.pk])


def steer(client: Client, run: QuestionRun, what: str) -> Any:
    address = reverse(f"admin:evaluation_questionrun_{what}", args=[run.pk])
    return client.post(address, follow=True)


def test_an_evaluator_starts_a_run(evaluator: Client, ward: QuestionSet, bob: User) -> None:
    assert "Start a run" in evaluator.get(reverse(RUNS)).text
    assert lacking(evaluator.get(reverse(ADD)).text, "ward", "No judge is configured") == []
    given = {"question_set": ward.pk, "name": "Monday", "limit": 3, "seed": 7, "budget_s": 60}
    page = evaluator.post(reverse(ADD), given, follow=True)
    run = QuestionRun.objects.get()
    assert page.redirect_chain[-1][0] == run_page(run)
    assert (run.name, run.state, run.by, run.asker) == ("Monday", RunState.PENDING, bob, None)
    assert (run.frozen["items"], run.frozen["seed"]) == (3, 7)
    assert run.frozen["budget"]["seconds"] == 60
    assert "is started. Questions: 3." in page.text
    assert LogEntry.objects.get().get_edited_object() == run


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"question_set": ""}, "This field is required."),
        ({"question_set": "999999"}, "Select a valid choice."),
        ({"limit": "-1"}, "greater than or equal to 0"),
        ({"budget_s": "nan"}, "Enter a number."),
        ({"measures": ["luck"]}, "Select a valid choice."),
    ],
)
def test_what_does_not_fit_is_an_error_of_the_form(
    evaluator: Client, ward: QuestionSet, given: dict[str, Any], sentence: str
) -> None:
    fits = {"question_set": ward.pk, "limit": 1, "seed": 0, "budget_s": 0}
    page = evaluator.post(reverse(ADD), {**fits, **given})
    assert page.status_code == 200
    assert sentence in page.text
    assert not QuestionRun.objects.exists()


def test_a_set_without_questions_is_said_beside_the_form(evaluator: Client, db: None) -> None:
    given = {"question_set": stored_set(()).pk, "limit": 0, "seed": 0, "budget_s": 0}
    assert "has no questions" in evaluator.post(reverse(ADD), given).text


def test_progress_is_shown_and_asked_for_again(evaluator: Client, ward: QuestionSet) -> None:
    run = run_of(ward)
    question_run_execute(run, on_item=lambda: question_run_cancel(run))
    QuestionRun.objects.update(state=RunState.RUNNING)
    run.results.filter(state="done").update(duration_ms=1000, judged_ms=0)
    for address in (reverse(RUNS), run_page(run)):
        page = evaluator.get(address).text
        assert lacking(page, "1 of 4 (25 %), about 0:03 left", "Look again") == []
        # A refresh would interrupt reading.
        assert len(lacking(page, "A command asks it", 'http-equiv="refresh"')) == 2
    assert 'hx-trigger="load delay:5s' in evaluator.get(run_page(run)).text
    QuestionRun.objects.update(is_here=True)
    assert f"evaluate run --resume {run.pk}" in evaluator.get(run_page(run)).text
    run.results.filter(state="done").update(judged_ms=60_000)  # a slow judge
    assert "about 3:0" in evaluator.get(reverse(RUNS)).text
    QuestionRun.objects.update(state=RunState.DONE)
    for address in (reverse(RUNS), run_page(run)):
        assert "Look again" not in evaluator.get(address).text


def test_it_is_cancelled_and_resumed(evaluator: Client, ward: QuestionSet) -> None:
    run = run_of(ward)
    assert "Cancel after this item" in evaluator.get(run_page(run)).text
    assert "The run ends after the present question." in steer(evaluator, run, "cancel").text
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    assert "ended already" in steer(evaluator, run, "cancel").text
    assert ">Resume" in evaluator.get(run_page(run)).text.replace('value="', ">")
    assert "It goes on." in steer(evaluator, run, "resume").text
    question_run_execute(run)
    assert "This run is finished" in steer(evaluator, run, "resume").text
    assert LogEntry.objects.count() == 2
    address = reverse("admin:evaluation_questionrun_cancel", args=[run.pk])
    assert evaluator.get(address).status_code == 405
    missing = reverse("admin:evaluation_questionrun_cancel", args=[10**9])
    assert evaluator.post(missing).status_code == 404


def test_what_no_judge_judged_is_measured_again(evaluator: Client, ward: QuestionSet) -> None:
    run = run_of(ward, measures=("ragas_faithfulness",))
    assert 'value="Measure again"' not in evaluator.get(run_page(run)).text
    question_run_execute(run)
    assert 'value="Measure again"' in evaluator.get(run_page(run)).text
    assert "The missing measures are computed." in steer(evaluator, run, "measure_again").text
    run.refresh_from_db()
    assert run.state == RunState.PENDING
    assert "Only a finished run" in steer(evaluator, run, "measure_again").text


def test_the_result_card(evaluator: Client, ward: QuestionSet) -> None:
    run = executed(ward)
    plots = reverse("admin:evaluation_questionrun_plots", args=[run.pk])
    expected = (
        '<th scope="row">answered</th><td>0.7500</td>',
        "No value: the question has no patterns (1 item): outcome by patterns",
        "Latency: p50",
        "If it answered only above a confidence",
        f'src="{plots}"',
    )
    assert lacking(evaluator.get(run_page(run)).text, *expected) == []
    picture = evaluator.get(plots)
    assert picture["Content-Type"] == "image/svg+xml"
    assert b"Risk and coverage" in picture.content
    assert "75.0%" in evaluator.get(reverse(RUNS)).text
    evaluator.logout()
    assert evaluator.get(plots).status_code == 302


def test_items_are_listed_the_worst_first_and_filtered(
    evaluator: Client, ward: QuestionSet
) -> None:
    run = executed(ward)
    for query, found in (
        (f"?run__id__exact={run.pk}", ["b-wrong", "a-right", "d-follows", "c-refused"]),
        ("?outcome__exact=wrong", ["b-wrong"]),
        ("?question__kind__exact=unanswerable", ["c-refused"]),
        ("?q=a-right", ["a-right"]),
        ("?state__exact=failed", []),
    ):
        page = evaluator.get(reverse(RESULTS) + query)
        assert [each.question.key for each in page.context["cl"].result_list] == found, query


def test_what_only_measures_tell_apart_is_listed_by_them(
    evaluator: Client, ward: QuestionSet
) -> None:
    run = run_of(ward)
    for key, scores in (
        (
            "a-right",
            {"claim_recall": 0.5, "ragas_faithfulness": 0.6, "ragas_answer_correctness": 0.8},
        ),
        ("b-wrong", {"ragas_faithfulness": 0.9, "ragas_answer_correctness": 0.25}),
        ("c-refused", {}),
        ("d-follows", {"claim_recall": 0.0}),
    ):
        run.results.filter(question__key=key).update(outcome="uncompared", scores=scores)
    page = evaluator.get(reverse(RESULTS))
    found = [each.question.key for each in page.context["cl"].result_list]
    assert found == ["d-follows", "b-wrong", "a-right", "c-refused"]
    assert '<td class="field-ragas_answer_correctness">0.25</td>' in page.text
    run.results.filter(question__key="d-follows").update(outcome="right")
    page = evaluator.get(reverse(RESULTS))  # a right label does not hide a measure of 0
    assert [each.question.key for each in page.context["cl"].result_list] == found
    by_faithfulness = evaluator.get(items_by(run, "ragas_faithfulness"))
    found = [each.question.key for each in by_faithfulness.context["cl"].result_list]
    assert found[:2] == ["a-right", "b-wrong"]


def test_items_and_runs_are_filtered_by_measures(evaluator: Client, ward: QuestionSet) -> None:
    run, other = run_of(ward), run_of(ward)
    for key, value in (("a-right", 0.9), ("b-wrong", 0.2), ("d-follows", 0.5)):
        kept = run.results.filter(question__key=key)
        kept.update(scores={"ragas_context_recall": value})
    mean = {"mean": 0.53, "low": 0.2, "high": 0.9, "n": 3}
    QuestionRun.objects.filter(pk=run.pk).update(
        metrics={"measures": {"ragas_context_recall": mean}}
    )

    def listed(name: str, band: str, **more: Any) -> list[str]:
        page = evaluator.get(reverse(name), {"ragas_context_recall": band, **more})
        return [str(each) for each in page.context["cl"].result_list]

    of_run = {"run__id__exact": run.pk}
    assert listed(RESULTS, "low", **of_run) == [f"2. {ITEMS[1].question}"]
    assert listed(RESULTS, "middle", **of_run) == [f"4. {ITEMS[3].question}"]
    assert listed(RESULTS, "high", **of_run) == [f"1. {ITEMS[0].question}"]
    assert listed(RESULTS, "none", **of_run) == [f"3. {ITEMS[2].question}"]
    assert listed(RUNS, "middle") == [str(run)]
    assert listed(RUNS, "none") == [str(other)]
    assert '<td class="field-ragas_context_recall">0.53</td>' in evaluator.get(reverse(RUNS)).text
    assert "o=9" in items_by(run, "ragas_answer_correctness")


def test_measures_are_drawn_by_item_and_over_runs(evaluator: Client, ward: QuestionSet) -> None:
    run, other = run_of(ward), run_of(ward)
    mean = {"mean": 0.53, "low": 0.2, "high": 0.9, "n": 3}
    for each, judge in ((run, "one"), (other, "two")):
        question_run_execute(each)
        each.results.filter(place=1).update(scores={"ragas_context_recall": 0.4})
        each.metrics["measures"]["ragas_context_recall"] = mean
        each.metrics["judged_by"] = [{"name": "ragas", "fingerprint": judge}]
        each.save()
    page = evaluator.get(run_page(run)).text
    assert "over the runs of this set" in page
    assert f"{items_by(run, 'ragas_context_recall')}".replace("&", "&amp;") in page
    for what in ("plots", "trend"):
        picture = evaluator.get(reverse(f"admin:evaluation_questionrun_{what}", args=[run.pk]))
        assert picture["Content-Type"] == "image/svg+xml"
        assert b"RAGAS context recall" in picture.content
    assert [(point.run, point.is_comparable) for point in trend_of(run)] == [
        (run.pk, True),
        (other.pk, False),
    ]


def item_page(run: QuestionRun, key: str) -> str:
    result = run.results.get(question__key=key)
    return reverse("admin:evaluation_questionresult_change", args=[result.pk])


def test_an_item_stands_beside_what_is_known_of_it(
    evaluator: Client, ward: QuestionSet, mallory: User
) -> None:
    run = executed(ward)
    page = evaluator.get(item_page(run, "a-right")).text
    full = '<th scope="row">full</th><td>1.0000</td>'
    source = "Pneumonia in adults, page 1"
    assert lacking(page, "<p>500 mg</p>", f"<blockquote>{DOSE}", source, full) == []
    assert "The stored turn" not in page
    assert "Stored turn" not in evaluator.get(reverse(RESULTS)).text
    assert "Refused: " in evaluator.get(item_page(run, "c-refused")).text
    assert "What is the dose of demonstracillin?" in evaluator.get(item_page(run, "d-follows")).text
    auditor = member(mallory, AUDITORS)
    turn = reverse("admin:chat_turn_change", args=[run.results.get(place=1).turn_id])
    assert turn in auditor.get(item_page(run, "a-right")).text
    assert turn in auditor.get(reverse(RESULTS)).text
    assert auditor.get(turn).status_code == 200


def test_what_somebodys_rights_found_is_read_by_them_and_auditors(
    evaluator: Client, ward: QuestionSet, alice: User, mallory: User
) -> None:
    run = question_run_create(ward, RunOrder(), by=None, asker=alice)
    question_run_execute(run)
    page = evaluator.get(item_page(run, "a-right")).text
    assert DOSE not in page
    assert "with the rights of alice" in page
    for reader in (member(alice, EVALUATORS), member(mallory, AUDITORS)):
        assert DOSE in reader.get(item_page(run, "a-right")).text


def test_a_run_is_exported(evaluator: Client, ward: QuestionSet, alice: User) -> None:
    run = executed(ward)
    assert "Export as JSON lines" in evaluator.get(run_page(run)).text
    address = reverse("admin:evaluation_questionrun_export", args=[run.pk])
    assert evaluator.get(address).status_code == 405
    page = evaluator.post(address)
    assert f'filename="run-{run.pk}.jsonl"' in page["Content-Disposition"]
    first, *items = map(json.loads, page.getvalue().splitlines())
    assert first["card"]["measures"]["answered"]["n"] == len(items) == 4
    assert items[0]["detail"]["claims"][0]["text"] == DOSE
    assert LogEntry.objects.get().get_change_message() == "Exported."
    closed = question_run_create(ward, RunOrder(), by=None, asker=alice)
    assert "Export as JSON lines" not in evaluator.get(run_page(closed)).text
    address = reverse("admin:evaluation_questionrun_export", args=[closed.pk])
    assert evaluator.post(address).status_code == 403


@pytest.mark.parametrize("group", [AUDITORS, STAFF, PUBLISHERS, CLINICIANS])
def test_others_start_and_steer_nothing(bob: User, ward: QuestionSet, group: str) -> None:
    client, run = member(bob, group), run_of(ward)
    reads = 200 if group in (AUDITORS, STAFF) else 403
    pictures = [
        reverse(f"admin:evaluation_questionrun_{what}", args=[run.pk])
        for what in ("plots", "trend")
    ]
    for address in (reverse(RUNS), reverse(RESULTS), run_page(run), *pictures):
        assert client.get(address).status_code == reads
    compared = reverse("admin:evaluation_questionrun_compare", args=[run.pk, run.pk])
    assert client.get(compared).status_code == (302 if reads == 200 else 403)  # it is not done
    assert client.post(reverse(ADD), {"question_set": ward.pk}).status_code == 403
    for what in ("cancel", "resume", "measure_again"):
        assert steer(client, run, what).status_code == 403
    run.refresh_from_db()
    assert run.state == RunState.PENDING
    if reads == 200:
        assert "Cancel after this item" not in client.get(run_page(run)).text


def test_nobody_changes_or_deletes_one(bob: User, ward: QuestionSet) -> None:
    client, run = member(bob, EVALUATORS), run_of(ward)
    User.objects.filter(pk=bob.pk).update(is_superuser=True)
    result = run.results.first()
    assert result is not None
    for model, row in (("questionrun", run.pk), ("questionresult", result.pk)):
        for action in ("change", "delete"):
            address = reverse(f"admin:evaluation_{model}_{action}", args=[row])
            assert client.post(address, {"name": "x"}).status_code == 403
    assert QuestionRun.objects.get().name == "ward"


def test_two_runs_are_compared(evaluator: Client, ward: QuestionSet) -> None:
    first, second = run_of(ward), run_of(ward)
    for run in (first, second):
        question_run_execute(run)
    second.results.filter(question__key="a-right").update(outcome="wrong", scores={"full": 0.0})

    def chosen(*runs: QuestionRun) -> Any:
        given = {"action": "compare_two", "_selected_action": [run.pk for run in runs]}
        return evaluator.post(reverse(RUNS), given, follow=True)

    same = "They were started with the same settings, guidelines and models."
    assert same in chosen(second, first).text
    QuestionRun.objects.filter(pk=second.pk).update(
        frozen=second.frozen | {"answers": second.frozen["answers"] | {"mode": "other"}}
    )
    page = chosen(second, first).text
    assert same not in page
    rows = (
        f"answers.mode</th><td>{first.frozen['answers']['mode']}</td><td>other</td>",
        "full</th><td>-0.5000</td>",
        "a-right</th><td>right</td><td>wrong</td>",
    )
    assert lacking(page, *(f'<th scope="row">{row}' for row in rows)) == []
    assert "Choose exactly two runs" in chosen(first).text
    assert "No question was asked in both" in chosen(first, run_of(ward)).text


def test_the_pages_cost_a_fixed_number_of_queries(
    evaluator: Client, ward: QuestionSet, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    runs = [run_of(ward) for _ in range(4)]
    question_run_execute(runs[0])
    pages = (reverse(RUNS), reverse(RESULTS), run_page(runs[0]), item_page(runs[0], "a-right"))
    for address in pages:
        with django_assert_max_num_queries(12):
            assert evaluator.get(address).status_code == 200
