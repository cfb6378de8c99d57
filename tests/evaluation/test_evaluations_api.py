"""Question runs over the API: allowed by role and scope, as in the administration."""

import json
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from chat.models import AuditEvent
from evaluation.api.guarded import EXAMPLES, Latest
from evaluation.api.items import ItemResponse
from evaluation.api.question_sets import SetResponse
from evaluation.api.runs import RunDetails, RunListed
from evaluation.measures.ragas_judge import RAGAS_STANDARD
from evaluation.models import QuestionRun, QuestionSet
from evaluation.question_runs.freezing import RunOrder
from evaluation.question_runs.selectors import card_read, runs_due
from evaluation.question_runs.services import question_run_create, question_run_execute
from medrag_site.groups import AUDITORS, CLINICIANS, EVALUATORS, PUBLISHERS, REVIEWERS, STAFF
from tests.chat.api.api_calls import assert_problem, get, post, signed_in
from tests.chat.guidelines import QUESTION, publish_guideline
from tests.evaluation.question_runs.asking import run_of, stored_set
from tests.people import person

RUNS, SETS = "/api/v1/evaluations", "/api/v1/question-sets"
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
            assert_problem(response, 403, "`evaluation.view_questionrun`")
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
    assert "500 mg" not in json.dumps(told["card"])


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
    assert_problem(get(evaluator, f"{RUNS}/{run.pk + 1}/items"), 404)


def test_the_latest_stands_first_over_pages(
    evaluator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Latest, "page_size", 1)
    questions = stored_set()
    keys = [run_of(questions).pk for _ in range(2)]
    first = get(evaluator, RUNS).json()
    second = evaluator.get(first["next"]).json()
    found = [row["id"] for page in (first, second) for row in page["results"]]
    assert found == keys[::-1]


def test_the_examples_are_what_is_given(run: QuestionRun) -> None:
    for name, serializer in (
        ("RUNS", RunListed()),
        ("RUN", RunDetails()),
        ("ITEMS", ItemResponse()),
        ("SETS", SetResponse()),
    ):
        assert set(EXAMPLES[name][0].value) == set(serializer.fields)


# Items


def test_an_item_tells_its_measures_contexts_and_verdicts(
    evaluator: Client, run: QuestionRun
) -> None:
    publish_guideline(picture=False)
    question_run_execute(run)
    told = get(evaluator, f"{RUNS}/{run.pk}/items").json()["results"]
    assert [item["place"] for item in told] == [1, 2, 3, 4]
    first, refused = told[0], told[2]
    assert (first["question"], first["outcome"]) == (QUESTION, "right")
    assert first["reference"] == "500 mg"
    assert set(RAGAS_STANDARD) <= set(first["scores"])
    assert all(first["scores"][name] is None for name in RAGAS_STANDARD)
    assert first["not_run"][RAGAS_STANDARD[0]]
    assert "500 mg" in first["answer"] and "500 mg" in first["contexts"][0]["text"]
    parts = first["verdicts"]["claim_faithfulness"]
    assert set(parts[0]) == {"text", "verdict", "reason"}
    assert first["turn"] and refused["answer"] == ""


def test_answers_are_for_the_asker_and_auditors(evaluator: Client) -> None:
    publish_guideline(picture=False)
    asker = person("asker", CLINICIANS)
    run = question_run_create(stored_set(), RunOrder(), by=None, asker=asker)
    question_run_execute(run)
    for client, is_open in ((evaluator, False), (signed_in(person("auditor", AUDITORS)), True)):
        told = get(client, f"{RUNS}/{run.pk}/items").json()["results"][0]
        assert told["scores"]["answered"] == 1.0
        for name in ("answer", "contexts", "verdicts", "turn"):
            assert (told[name] is not None) is is_open


# Runs and sets


def test_a_run_is_queued_for_the_worker(evaluator: Client) -> None:
    questions = stored_set()
    asked = {"question_set": questions.pk, "limit": 2, "seed": 7, "measures": ["claim_recall"]}
    response = post(evaluator, RUNS, asked)
    assert response.status_code == 202
    (run,) = QuestionRun.objects.all()
    assert response["Location"] == f"http://testserver{RUNS}/{run.pk}"
    assert response.json() == get(evaluator, RUNS).json()["results"][0]
    assert (run.state, run.is_here, str(run.by), run.asker) == (
        "pending", False, "evaluator", None,
    )  # fmt: skip
    assert (run.frozen["items"], run.frozen["seed"], run.frozen["measures"]) == (
        2, 7, ["claim_recall"],
    )  # fmt: skip
    assert runs_due().get() == run
    assert LogEntry.objects.get().user == run.by


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"question_set": 2**31 - 1}, "#/question_set"),
        ({"question_set": "1"}, "#/question_set"),
        ({"limit": -1}, "#/limit"),
        ({"measures": ["happiness"]}, "#/measures/0"),
        ({"questions": 5}, "#/questions"),
    ],
)
def test_a_wrong_order_starts_nothing(evaluator: Client, wrong: Any, pointer: str) -> None:
    problem = assert_problem(post(evaluator, RUNS, {"question_set": stored_set().pk} | wrong), 400)
    assert problem["errors"][0]["pointer"] == pointer
    assert not QuestionRun.objects.exists()


def imported(client: Client, content: str, **fields: str) -> Any:
    file = SimpleUploadedFile("ward_3.json", content.encode())
    return client.post(SETS, {"file": file, "form": "plain"} | fields)


ITEMS = '[{"question": "Which dose of demonstracillin?", "expected_answer": "500 mg"}]'


def test_a_set_is_imported_once(evaluator: Client) -> None:
    response = imported(evaluator, ITEMS, version="2026-11")
    assert response.status_code == 201
    told = response.json()
    assert (told["name"], told["version"], told["questions"]) == ("ward 3", "2026-11", 1)
    assert get(evaluator, SETS).json()["results"] == [told]
    assert_problem(imported(evaluator, ITEMS), 409, "has the same questions")
    assert LogEntry.objects.get().user.username == "evaluator"


def test_a_file_that_is_no_set_is_refused(evaluator: Client, settings: LazySettings) -> None:
    assert_problem(imported(evaluator, "[]"), 422, "no question")
    assert_problem(imported(evaluator, ITEMS, form="haiku"), 400)
    settings.UPLOAD_MAX_BYTES = 10
    assert_problem(imported(evaluator, ITEMS), 413, "Nothing was stored")
    assert not QuestionSet.objects.exists()


def test_to_start_and_import_take_the_scope_and_the_right(db: None) -> None:
    reading = signed_in(person("evaluator", EVALUATORS), "read", "ask", "documents")
    staff = signed_in(person("staff", STAFF))
    for client, run_lacks, set_lacks in (
        (reading, "`evaluation`", "`evaluation`"),
        (staff, "`evaluation.add_questionrun`", "`evaluation.add_questionset`"),
    ):
        assert_problem(post(client, RUNS, {"question_set": stored_set_once().pk}), 403, run_lacks)
        assert_problem(imported(client, ITEMS), 403, set_lacks)
    clinician = signed_in(person("clinician", CLINICIANS))
    assert_problem(get(clinician, SETS), 403, "`evaluation.view_questionset`")
    assert_problem(get(clinician, f"{RUNS}/1/items"), 403, "`evaluation.view_questionresult`")
    assert not QuestionRun.objects.exists()


def stored_set_once() -> QuestionSet:
    return QuestionSet.objects.first() or stored_set()
