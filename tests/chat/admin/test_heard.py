"""Test that lists for corpus staff tell the reason of a refusal as their reader may know it."""

import html

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from chat.models import Reason, Turn
from corpus.models import Document
from medrag_site.groups import STAFF
from tests.chat.guidelines import NEAR, ask
from tests.corpora import publish
from tests.corpus.admin.test_admin import member
from tests.people import narrow

GAPS = reverse("admin:chat_feedback_gaps")


@pytest.fixture
def staff(bob: User) -> Client:
    return member(bob, STAFF)


def gap(alice: User, document: Document) -> Turn:
    """Store a refusal whose reason rests on a document."""
    turn = ask(alice, NEAR)
    turn.trace["documents"] = [{"sha256": document.sha256}]
    turn.pk, turn.reason = None, Reason.ONLY_OUT_OF_DATE
    turn._state.adding = True
    turn.pk = Turn._meta.pk.get_default()
    turn.save(force_insert=True)
    return turn


def told(client: Client) -> str:
    return html.unescape(client.get(GAPS).content.decode())


def test_a_reason_that_rests_on_a_closed_guideline_is_told_as_the_neutral_one(
    staff: Client, alice: User, guideline: Document
) -> None:
    secret = publish("# Secret\nGive nothing.", collection="closed")
    gap(alice, secret)
    assert str(Reason.ONLY_OUT_OF_DATE.label) in told(staff)
    narrow(secret.collection, "searchers", "Ward")
    page = told(staff)
    assert str(Reason.ONLY_OUT_OF_DATE.label) not in page
    assert page.count(str(Reason.WEAK_EVIDENCE.label)) == 2


def test_many_take_no_more_queries(staff: Client, alice: User, guideline: Document) -> None:
    counts = []
    for _ in range(2):
        gap(alice, guideline)
        told(staff)
        with CaptureQueriesContext(connection) as queries:
            told(staff)
        counts.append(len(queries))
    assert counts[0] == counts[1]
