"""Test what an auditor reads in the administration, and that nobody can write there."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from chat.models import AuditEvent, Citation, Turn
from chat.reviews.feedback import feedback_save
from corpus.models import Document
from medrag_site.groups import AUDITORS
from tests.chat.guidelines import DOSE, QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.corpus.admin.test_admin import member


@pytest.fixture
def auditor(bob: User) -> Client:
    return member(bob, AUDITORS)


@pytest.fixture
def turn(alice: User) -> Turn:
    publish_guideline()
    return ask(alice)


def test_a_turn_is_shown_whole(auditor: Client, turn: Turn) -> None:
    content = auditor.get(reverse("admin:chat_turn_change", args=[turn.pk])).content.decode()
    citation = Citation.objects.filter(claim__turn=turn).first()
    assert citation is not None
    assert QUESTION in content
    assert DOSE in content
    assert reverse("chat:citation", args=[citation.pk]) in content
    assert turn.fingerprint in content
    assert '<pre tabindex="0">{\n' in content


def test_a_refusal_is_shown_with_its_reason(auditor: Client, alice: User, turn: Turn) -> None:
    refused = ask(alice, UNANSWERABLE)
    content = auditor.get(reverse("admin:chat_turn_change", args=[refused.pk])).content.decode()
    assert refused.reason in content


def test_an_event_is_shown_with_its_payload_and_hashes(auditor: Client, turn: Turn) -> None:
    event = AuditEvent.objects.get(subject=f"turn:{turn.pk}")
    address = reverse("admin:chat_auditevent_change", args=[event.seq])
    content = auditor.get(address).content.decode()
    assert bytes(event.hash).hex() in content
    assert "&quot;digest&quot;" in content


@pytest.mark.parametrize("name", ["turn", "feedback"])
def test_a_list_does_not_read_the_traces(
    auditor: Client, turn: Turn, name: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    feedback_save(turn, helpful=True)
    with django_assert_max_num_queries(10) as read:
        page = auditor.get(reverse(f"admin:chat_{name}_changelist"))
    assert str(turn.pk) in page.content.decode()
    selected = [query["sql"].partition(" FROM ")[0] for query in read.captured_queries]
    assert [sql for sql in selected if '"chat_turn"."fingerprint"' in sql]
    assert not [sql for sql in selected if '"trace"' in sql or '"nearest"' in sql]


@pytest.mark.parametrize("model", ["turn", "auditevent"])
def test_nobody_writes_here(model: str, auditor: Client, admin_client: Client, turn: Turn) -> None:
    pk = str(turn.pk) if model == "turn" else "1"
    for client in (auditor, admin_client):
        assert client.get(reverse(f"admin:chat_{model}_add")).status_code == 403
        for name in ("change", "delete"):
            address = reverse(f"admin:chat_{model}_{name}", args=[pk])
            assert client.post(address, {"question": "Another", "post": "yes"}).status_code == 403
    assert Turn.objects.get().question == QUESTION


def test_lists_and_labels_say_what_people_call_it(auditor: Client, turn: Turn) -> None:
    feedback_save(turn, helpful=False, comment="Which route?")
    start = auditor.get(reverse("admin:index")).content.decode()
    assert ">Feedback</a>" in start and "Feedbacks" not in start
    assert ">Sign out</button>" in start and "Log out" not in start
    for name, headings in {
        "chat_feedback": ["Given at", "Helpful", "Comment", "Question"],
        "chat_auditevent": ["Number", "Time", "Actor", "Action", "Subject"],
        "chat_turn": ["Asked at", "Asked by", "Question", "Outcome"],
    }.items():
        page = auditor.get(reverse(f"admin:{name}_changelist"))
        content = page.content.decode()
        shown = re.findall(r'<div class="text">(?:<a [^>]*>|<span>)(\w[^<]*)<', content)
        assert shown[: len(headings)] == headings
    said = auditor.get(reverse("admin:chat_feedback_changelist")).content.decode()
    assert reverse("admin:chat_turn_change", args=[turn.pk]) in said and QUESTION in said
    document = Document.objects.get()
    page = auditor.get(reverse("admin:corpus_document_change", args=[document.pk]))
    for label in ("Web address:", "In force from:", "Size in bytes:", "Read by:"):
        assert f"<label>{label}</label>" in page.content.decode()
    documents = auditor.get(reverse("admin:corpus_document_changelist")).content.decode()
    assert "By job" in documents and "By state" not in documents
