"""Test one turn over the API: read again, rated by who asked, with the scans that it cites."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.api.answers import turn_payload
from chat.models import AuditEvent, Citation, Feedback, Turn
from corpus.models import Document, Page
from medrag_site.groups import AUDITORS
from tests.chat.api.api_calls import QUERY, assert_problem, get, post, signed_in
from tests.chat.guidelines import DOSE, NEAR, QUESTION, ask
from tests.people import client_of, in_groups, narrow, person

pytestmark = pytest.mark.usefixtures("guideline")


def turn_path(pk: object) -> str:
    return f"/api/v1/turns/{pk}"


def feedback_path(pk: object) -> str:
    return f"{turn_path(pk)}/feedback"


@pytest.mark.parametrize("question", [QUESTION, NEAR])
def test_a_turn_is_read_as_it_was_answered(alice: User, question: str) -> None:
    client = signed_in(alice)
    answer = post(client, QUERY, {"question": question}).json()
    response = get(client, turn_path(answer["turn"]))
    turn = Turn.objects.get()
    assert response["Cache-Control"] == "no-store"
    assert response.json() == answer | {
        "question": question,
        "asked_at": turn.created_at.isoformat(),
        "text_removed_at": None,
        "duration_ms": turn.duration_ms,
        "conversation": None,
        "feedback": None,
    }
    event = AuditEvent.objects.get(action="read")
    assert (event.subject, json.loads(event.payload)) == (f"turn:{turn.pk}", {"operation": "turn"})


def test_only_an_auditor_reads_traces(alice: User) -> None:
    turn = ask(alice)
    read = get(signed_in(person("auditor", AUDITORS)), turn_path(turn.pk)).json()
    assert read["trace"] == Turn.objects.get().trace
    assert read["claims"][0]["text"] == DOSE
    assert "trace" not in get(signed_in(alice), turn_path(turn.pk)).json()


def test_an_old_turn_hides_what_is_not_open_any_more(guideline: Document, alice: User) -> None:
    answered, refused = ask(alice), ask(alice, NEAR)
    narrow(guideline.collection, "searchers", "Haematology")
    client = signed_in(alice)
    told = get(client, turn_path(answered.pk))
    assert told.json()["claims"] == []
    assert told.json()["hidden"] == answered.claims.count()
    assert "demonstracillin 500" not in told.content.decode()
    again = get(client, turn_path(refused.pk)).json()
    assert (again["nearest"], again["owner"]) == ([], None)
    assert again["hidden"] == len(refused.nearest)
    client = signed_in(in_groups(alice, "Haematology"))
    assert get(client, turn_path(answered.pk)).json()["hidden"] == 0


def test_feedback_is_kept_replaced_and_logged(alice: User) -> None:
    turn, client = ask(alice), signed_in(alice)
    assert post(client, feedback_path(turn.pk), {"helpful": True}).json() == {
        "helpful": True,
        "comment": "",
    }
    said = {"helpful": False, "comment": "No dose by infusion."}
    assert post(client, feedback_path(turn.pk), said).json() == said
    given = Feedback.objects.get()
    assert (given.helpful, given.comment) == (False, said["comment"])
    assert get(client, turn_path(turn.pk)).json()["feedback"] == said
    event = AuditEvent.objects.filter(action="feedback").latest("seq")
    assert event.subject == f"turn:{turn.pk}"
    assert event.actor.endswith(":alice")
    assert json.loads(event.payload) == {"comment": True, "helpful": False}


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "#/helpful"),
        ({"helpful": "yes"}, "#/helpful"),
        ({"helpful": None}, "#/helpful"),
        ({"helpful": True, "comment": 5}, "#/comment"),
        ({"helpful": True, "comment": "x" * 2001}, "#/comment"),
        ({"helpful": True, "coment": ""}, "#/coment"),
    ],
)
def test_wrong_feedback_is_400(alice: User, body: dict[str, Any], pointer: str) -> None:
    problem = assert_problem(post(signed_in(alice), feedback_path(ask(alice).pk), body), 400)
    assert [error["pointer"] for error in problem["errors"]] == [pointer]
    assert not Feedback.objects.exists()


CONFIDENCES = [
    (None, ""),
    (0.95, "read by OCR"),
    (0.9, "read by OCR"),
    (0.899, "read by OCR, confidence 89 %"),
    (0.71, "read by OCR, confidence 71 %"),
    (0.0, "read by OCR, confidence 0 %"),
]


@pytest.mark.parametrize(("confidence", "words"), CONFIDENCES)
def test_the_answer_and_the_page_say_it(alice: User, confidence: float | None, words: str) -> None:
    Page.objects.update(ocr_confidence=confidence)
    turn = ask(alice)
    client = client_of(alice)
    citation = Citation.objects.filter(claim__turn=turn).first()
    assert citation is not None
    answer = client.get(f"/conversations/{turn.conversation_id}/").content.decode()
    page = client.get(f"/source/citation/{citation.pk}/").content.decode()
    for text in (answer, page):
        assert ("OCR" in text) == bool(words)
        assert words in text
        assert ("OCR, confidence" in text) == ("confidence" in words)


@pytest.mark.parametrize("confidence", [None, 0.71])
def test_the_api_gives_the_number(alice: User, confidence: float | None) -> None:
    Page.objects.update(ocr_confidence=confidence)
    claims = turn_payload(ask(alice))["claims"]
    found = {cited["ocr_confidence"] for claim in claims for cited in claim["citations"]}
    assert found == {confidence}


def test_a_page_that_is_not_there_any_more_is_no_scan(alice: User) -> None:
    turn = ask(alice)
    Page.objects.all().delete()
    cited = turn_payload(turn)["claims"][0]["citations"][0]
    assert cited["ocr_confidence"] is None
