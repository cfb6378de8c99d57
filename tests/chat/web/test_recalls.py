"""Test that whoever got an answer that was recalled is told, until the answer's page was opened."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.conversations import conversation_share
from chat.models import AuditEvent, Conversation, Turn
from corpus.models import Document, Lifecycle
from corpus.services.lifecycle import document_reinstate, document_withdraw
from tests.chat.guidelines import DOSE, QUESTION, ask, publish_guideline
from tests.chat.web.pages import text_of, thread
from tests.people import narrow

NOTICE = "Do not use: a guideline was withdrawn that an answer of yours cites."
WITHDRAWN = "Do not use this answer: a guideline that it cites was withdrawn."
LISTED = reverse("chat:conversations")


@pytest.fixture
def turn(alice: User, guideline: Document) -> Turn:
    return ask(alice)


@pytest.fixture
def recalled(turn: Turn, guideline: Document) -> Turn:
    document_withdraw(guideline, by=None, reason="Harm was reported.")
    return turn


def copied(page: str) -> str:
    return page.split("<template id=")[1].partition(">")[2]


def test_the_asker_is_told_until_the_answer_was_opened(clinician: Client, recalled: Turn) -> None:
    home = clinician.get("/")
    assert NOTICE in text_of(home)
    assert f'href="{thread(recalled.conversation_id)}#turn-{recalled.pk}"' in home.content.decode()
    assert text_of(home).index(NOTICE) < text_of(home).index("Ask the guidelines")
    clinician.head(thread(recalled.conversation_id))
    assert NOTICE in text_of(clinician.get("/"))  # a HEAD shows nobody anything

    page = text_of(clinician.get(thread(recalled.conversation_id)))
    assert NOTICE in page
    assert page.index(WITHDRAWN) < page.index("Harm was reported.") < page.index(DOSE)
    stored = Conversation.objects.get()
    assert stored.recalls_seen_at is not None
    assert stored.updated_at == getattr(recalled.conversation, "updated_at", None)
    assert AuditEvent.objects.filter(action="conversation.recalls_seen").count() == 1

    assert NOTICE not in text_of(clinician.get("/"))
    again = text_of(clinician.get(thread(recalled.conversation_id)))
    assert NOTICE not in again
    assert WITHDRAWN in again
    assert AuditEvent.objects.filter(action="conversation.recalls_seen").count() == 1


def test_past_questions_mark_it_for_as_long_as_it_is_recalled(
    clinician: Client, alice: User, recalled: Turn, guideline: Document
) -> None:
    other = Conversation.objects.create(user=alice, title="Not answered")
    for _ in range(2):
        clinician.get(thread(recalled.conversation_id))
        assert clinician.get(LISTED).content.count(b">Recalled<") == 1
        assert clinician.get(thread(other.pk)).content.count(b">Recalled<") == 1
    document_reinstate(guideline, by=None, reason="Checked.")
    assert b">Recalled<" not in clinician.get(LISTED).content


def test_a_second_recall_is_told_again(
    clinician: Client, recalled: Turn, guideline: Document
) -> None:
    clinician.get(thread(recalled.conversation_id))
    document_reinstate(guideline, by=None, reason="Checked.")
    assert NOTICE not in text_of(clinician.get("/"))
    document_withdraw(guideline, by=None, reason="Harm again.")
    # As it is outside a test, where each change has a transaction, and a time, of its own.
    Document.objects.filter(pk=guideline.pk).update(withdrawn_at=timezone.now())
    assert NOTICE in text_of(clinician.get("/"))


def test_nobody_else_is_told(colleague: Client, recalled: Turn) -> None:
    assert recalled.conversation is not None and recalled.user is not None
    conversation_share(recalled.conversation, by=recalled.user)
    page = text_of(colleague.get(thread(recalled.conversation_id, "shared")))
    assert WITHDRAWN in page  # whoever reads the answer learns its state
    assert NOTICE not in page + text_of(colleague.get("/"))
    assert Conversation.objects.get().recalls_seen_at is None


def test_an_asker_who_lost_the_right_to_read_it_is_told_without_its_words(
    clinician: Client, colleague: Client, recalled: Turn, guideline: Document
) -> None:
    narrow(guideline.collection, "searchers", "Chest ward")
    assert NOTICE in text_of(clinician.get("/"))
    page = text_of(clinician.get(thread(recalled.conversation_id)))
    assert WITHDRAWN in page
    assert guideline.title not in page and "Harm was reported." not in page
    assert recalled.conversation is not None and recalled.user is not None
    conversation_share(recalled.conversation, by=recalled.user)
    shared = colleague.get(thread(recalled.conversation_id, "shared"))
    assert WITHDRAWN not in text_of(shared)


def test_a_copied_answer_says_first_that_it_has_ended(
    clinician: Client, turn: Turn, guideline: Document
) -> None:
    address = thread(turn.conversation_id)
    assert copied(clinician.get(address).content.decode()).startswith(QUESTION)
    newer = publish_guideline(title="Pneumonia in adults, revised")
    Document.objects.filter(pk=guideline.pk).update(
        lifecycle=Lifecycle.SUPERSEDED, superseded_by=newer
    )
    said = copied(clinician.get(address).content.decode())
    assert said.startswith(WITHDRAWN.replace("withdrawn", "superseded") + "\n")
    assert NOTICE not in text_of(clinician.get("/"))  # superseding recalls nothing
    Document.objects.filter(pk=guideline.pk).update(lifecycle=Lifecycle.WITHDRAWN)
    assert copied(clinician.get(address).content.decode()).startswith(f"{WITHDRAWN}\n{QUESTION}")


def test_many_recalls_cost_as_many_queries_as_one(
    clinician: Client,
    alice: User,
    guideline: Document,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    turns = [ask(alice) for _ in range(7)]
    with django_assert_num_queries(7):
        clinician.get("/")
    document_withdraw(guideline, by=None, reason="Harm was reported.")
    with django_assert_num_queries(7):
        page = text_of(clinician.get("/"))
    assert f"{len(turns)} answers in all" in page
