"""Test that an answer with a corrected number says so, and an earlier one that it was misread."""

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from chat.api.answers import turn_payload
from chat.models import Citation, Turn
from chat.replays.replay import turn_replay
from corpus.models import Document
from corpus.services.corrections import correction_make
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_approve
from tests.chat.guidelines import DOSE, QUESTION, ask, publish_guideline
from tests.people import client_of

RIGHT = DOSE.replace("500 mg", "50 mg")
OLD, NEW = "demonstracillin 500 mg", "demonstracillin 50 mg"


def correct(document: Document) -> None:
    """Correct the dose, index the document and publish it again."""
    row = correction_make(
        document, page=1, block=1, cell=None, as_read=DOSE, text=RIGHT, reason="OCR.", by=None
    )
    document_index(document.pk)
    document.refresh_from_db()
    today = document.uploaded_at.date()
    document_approve(document, by=None, today=today, compared=[row.pk])


@pytest.fixture
def guideline(db: None, alice: User) -> tuple[Document, Turn]:
    """Publish a document, answer from it, then correct it; return it and the earlier answer."""
    document = publish_guideline()
    before = ask(alice)
    correct(document)
    return document, before


def cited(turn: Turn, quote: str) -> Citation:
    return Citation.objects.get(claim__turn=turn, quote=quote)


def pages(turn: Turn, citation: Citation, user: User) -> tuple[str, str]:
    """Return the page of the answer, and that of the citation's source."""
    client = client_of(user)
    answer = client.get(f"/conversations/{turn.conversation_id}/").content.decode()
    return answer, client.get(f"/source/citation/{citation.pk}/").content.decode()


def test_the_corrected_number_is_quoted_and_said_to_be_corrected(
    guideline: tuple[Document, Turn], alice: User
) -> None:
    turn = ask(alice)
    answer, source = pages(turn, cited(turn, RIGHT), alice)
    words = f"orrected by staff: the page reads “{NEW}”, “{OLD}” had been read"
    assert answer.count(words) == 2  # beside the claim, and in the text to copy
    assert words in source
    assert 'class="painted"' in source
    assert RIGHT in answer
    found = turn_payload(turn)["claims"][0]["citations"][0]
    assert found["corrected"] == [{"text": NEW, "read": OLD, "is_quoted": True}]
    assert not turn_replay(turn).changed


def test_an_answer_from_before_says_that_it_rests_on_what_was_misread(
    guideline: tuple[Document, Turn], alice: User
) -> None:
    _, turn = guideline
    answer, source = pages(turn, cited(turn, DOSE), alice)
    words = f"isread when this was answered: the page reads “{NEW}”, not “{OLD}”"
    assert words in answer
    assert words in source
    assert 'class="painted"' in source
    found = turn_payload(turn)["claims"][0]["citations"][0]
    assert found["corrected"] == [{"text": NEW, "read": OLD, "is_quoted": False}]
    assert found["quote"] == DOSE
    assert turn_replay(turn).changed


def test_other_words_of_the_page_are_not_marked(
    guideline: tuple[Document, Turn], alice: User
) -> None:
    turn = ask(alice, "When is microbiology called?")
    for claim in turn_payload(turn)["claims"]:
        for one in claim["citations"]:
            assert bool(one["corrected"]) == ("demonstracillin" in one["quote"])


def test_while_it_waits_for_the_second_person_nothing_is_answered_from_it(alice: User) -> None:
    document = publish_guideline()
    correction_make(
        document, page=1, block=1, cell=None, as_read=DOSE, text=RIGHT, reason="OCR.", by=alice
    )
    assert ask(alice, QUESTION).reason
    document_index(document.pk)
    assert ask(alice, QUESTION).reason


def test_it_costs_no_query(
    guideline: tuple[Document, Turn],
    alice: User,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    turn = ask(alice)
    client = client_of(alice)
    with django_assert_max_num_queries(20):
        client.get(f"/conversations/{turn.conversation_id}/")
