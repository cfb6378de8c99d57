"""Question runs over the API: allowed by role and scope, as in the administration."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from chat.models import AuditEvent
from evaluation import api
from evaluation.api import RunDetails, RunListed
from evaluation.models import QuestionRun
from evaluation.question_runs.selectors import card_read
from evaluation.question_runs.services import question_run_execute
from medrag_site.accounts import AUDITORS, CLINICIANS, EVALUATORS, PUBLISHERS, REVIEWERS, STAFF
from tests.chat.api.api_calls import assert_problem, get, post, signed_in
from tests.chat.guidelines import QUESTION, publish_guideline
from tests.evaluation.question_runs.asking import run_of, stored_set
from tests.people import person

RUNS = "/api/v1/evaluations"
MAY = {EVALUATORS, STAFF, AUDITORS}


@pytest.fixture
def run(db: None) -> QuestionRun:
    return run_of()


@pytest.fixture
def evaluator(db: None) -> Client:
    return signed_in(person("evaluator", EVALUATORS))


@pytest.mark.parametrize("group", [CLINICIANS, STAFF, PUBLISHERS, EVALUATORS, AUDITORS, REVIEWERS])
def test_they_are_for_who_may_see_them_in_the_administration(run: QuestionRun, group: str) -> None:
    client = signed_in(person("somebody", group))
    before = AuditEvent.objects.count()
    for address in (RUNS, f"{RUNS}/{run.pk}"):
        response = get(client, address)
        assert response["Cache-Control"] == "no-store"
        if group in MAY:
            assert response.status_code == 200
            event = AuditEvent.objects.latest("seq")
            assert (event.action, event.actor.rpartition(":")[2]) == ("read", "somebody")
        else:
            assert_problem(response, 403)
            assert AuditEvent.objects.count() == before


def test_it_takes_a_token_of_the_scope_to_read(run: QuestionRun) -> None:
    for address in (RUNS, f"{RUNS}/{run.pk}"):
        assert_problem(get(Client(), address), 401)
    client = signed_in(person("evaluator", EVALUATORS), "ask", "documents")
    assert_problem(get(client, RUNS), 403, "`read`")


def test_a_run_has_its_result_card_and_no_question(evaluator: Client, run: QuestionRun) -> None:
    publish_guideline(picture=False)
    question_run_execute(run)
    response = get(evaluator, f"{RUNS}/{run.pk}")
    told = response.json()
    assert told["card"] == json.loads(json.dumps(card_read(run).as_json()))
    assert told["card"]["measures"]["answered"]["n"] == told["items"] == told["ended"] == 4
    assert (told["state"], told["by"], told["asker"]) == ("done", None, None)
    assert told["started_with"]["configuration"] == run.frozen["configuration"]
    assert QUESTION not in response.content.decode()
    assert "500" not in json.dumps(told["card"])


def test_a_long_run_that_goes_on_has_no_card(
    evaluator: Client, run: QuestionRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert get(evaluator, f"{RUNS}/{run.pk}").json()["card"]["measures"] == {}
    monkeypatch.setattr("evaluation.question_runs.selectors.MAX_COMPUTED", -1)
    assert get(evaluator, f"{RUNS}/{run.pk}").json()["card"] is None


def test_what_is_not_there_is_a_problem(evaluator: Client, run: QuestionRun) -> None:
    for number in (run.pk + 1, 10**30):
        assert_problem(get(evaluator, f"{RUNS}/{number}"), 404)
    assert_problem(get(evaluator, RUNS, page="2"), 400)
    assert_problem(get(evaluator, RUNS, cursor="x"), 404)
    assert_problem(post(evaluator, RUNS, {}), 405)


def test_the_latest_stands_first_over_pages(
    evaluator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api.LatestRun, "page_size", 1)
    questions = stored_set()
    keys = [run_of(questions).pk for _ in range(2)]
    first = get(evaluator, RUNS).json()
    second = evaluator.get(first["next"]).json()
    found = [row["id"] for page in (first, second) for row in page["results"]]
    assert found == keys[::-1]


def test_the_examples_are_what_is_given(run: QuestionRun) -> None:
    listed: Any = api._LISTED[0].value
    assert set(listed) == set(RunListed().fields)
    assert set(api._READ[0].value) == set(RunDetails().fields)
