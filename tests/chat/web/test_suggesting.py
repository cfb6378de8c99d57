"""Test suggestions while a question is typed, and the offer of another spelling."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from chat.models import Conversation
from chat.replays.replay import turn_replay
from corpus.models import Document
from retrieval.types import Query
from tests.chat.guidelines import QUESTION, UNANSWERABLE, ask
from tests.chat.web.pages import text_of, thread

pytestmark = pytest.mark.usefixtures("guideline")

SUGGEST = reverse("chat:suggest")
MISSPELLED = "How is pneunonia treated in adults?"  # not corrected, only offered


def suggested(client: Client, typed: str) -> str:
    return text_of(client.post(SUGGEST, {"question": typed}))


def test_titles_sections_and_own_answered_questions_are_suggested(
    clinician: Client, alice: User, bob: User, django_assert_num_queries: Any
) -> None:
    ask(alice)
    ask(alice, UNANSWERABLE)
    ask(bob, "Which dose of demonstracillin do adults get for pneumonia?")
    with django_assert_num_queries(4):  # session, user, own questions, headings
        found = suggested(clinician, "pneum")
    assert found == f"{QUESTION} asked before Pneumonia in adults guideline"
    assert suggested(clinician, "pneumonia treatm") == "Pneumonia in adults › Treatment guideline"
    assert suggested(clinician, "tungst") == ""
    assert suggested(clinician, "'); \\ & | ! :*") == ""
    assert suggested(clinician, "p") == ""


def test_nothing_is_suggested_of_what_is_not_open_or_was_deleted(
    clinician: Client, alice: User, guideline: Document
) -> None:
    ask(alice)
    guideline.collection.searchers.add(Group.objects.create(name="Few"))
    Conversation.objects.update(deleted_at=guideline.indexed_at)
    assert suggested(clinician, "pneumonia") == ""


def test_who_is_signed_out_keeps_what_they_typed(client: Client, db: None) -> None:
    response = client.post(SUGGEST, {"question": "pneumonia"}, headers={"hx-request": "true"})
    assert (response.status_code, "HX-Redirect" in response) == (204, False)


@pytest.mark.parametrize(
    ("question", "offer"),
    [
        (MISSPELLED, "has “pneunonia”. Did you mean pneumonia?"),
        ("How is pneumonia treated in adults?", ""),  # held
        ("How is gentamycin given in pneumonia?", ""),  # no document has its right spelling
        ("How are prednisone adults treated?", ""),  # a known word, though in no document
    ],
)
def test_a_word_that_nothing_holds_is_offered_in_another_spelling(
    clinician: Client, alice: User, question: str, offer: str
) -> None:
    turn = ask(alice, question)
    assert turn.question == question
    page = clinician.get(thread(turn.conversation_id))
    assert ("Did you mean" in text_of(page)) == bool(offer)
    assert offer in text_of(page)
    if offer:
        assert 'value="How is pneumonia treated in adults?"' in page.content.decode()


@pytest.mark.parametrize("typed", ["pnuemonia", "pneumona", "Pneummonia"])
def test_a_slip_is_put_right_before_the_search_and_said(
    clinician: Client, alice: User, typed: str
) -> None:
    turn = ask(alice, QUESTION.replace("pneumonia", typed))
    assert typed in turn.question
    assert (turn.standalone, turn.reason) == (QUESTION, "")
    assert turn.trace["spelling"] == {typed.lower(): "pneumonia"}
    page = text_of(clinician.get(thread(turn.conversation_id)))
    assert f"Read as: {QUESTION}" in page
    assert "Did you mean" not in page
    assert not turn_replay(turn).changed


def test_a_question_whose_spelling_cannot_be_looked_at_is_asked_as_it_was_typed(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(query: Query) -> dict[str, str]:
        raise OSError("no vocabulary")

    monkeypatch.setattr("chat.question.understand.spelling_corrected", fails)
    turn = ask(alice)
    assert (turn.standalone, turn.reason, turn.trace["spelling"]) == ("", "", {})


def test_nothing_is_offered_or_put_right_by_what_is_not_open_to_the_reader(
    clinician: Client, alice: User, guideline: Document
) -> None:
    guideline.collection.searchers.add(Group.objects.create(name="Few"))
    page = clinician.get(thread(ask(alice, MISSPELLED).conversation_id))
    assert "Did you mean" not in text_of(page)
    turn = ask(alice, QUESTION.replace("pneumonia", "pnuemonia"))
    assert (turn.standalone, turn.trace["spelling"]) == ("", {})


def test_a_long_conversation_looks_at_its_last_question_only(
    clinician: Client, alice: User
) -> None:
    first = ask(alice, MISSPELLED)
    ask(alice, conversation=first.conversation)
    assert "Did you mean" not in text_of(clinician.get(thread(first.conversation_id)))
