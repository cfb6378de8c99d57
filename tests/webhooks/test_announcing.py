"""Test that events become messages in their transaction, and that no message is clinical."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from chat.models import Reason, Turn
from chat.reviews.feedback import feedback_save
from corpus.models import AnsweringStop, Lifecycle
from corpus.services.indexing import document_index
from corpus.services.lifecycle import (
    document_approve,
    document_reinstate,
    document_supersede,
    document_withdraw,
)
from corpus.services.stops import resume_answering, stop_answering
from medrag_site.groups import PUBLISHERS
from tests.chat.guidelines import QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.corpora import publish
from tests.corpus.documents import guideline as sections_of
from tests.corpus.documents import ingest
from tests.people import in_groups, narrow
from tests.webhooks.receiver import Receiver
from webhooks.models import Delivery, Event
from webhooks.receivers import gap_payload

pytestmark = pytest.mark.django_db
NOWHERE = Receiver(url="https://nowhere.example/")
TODAY = timezone.now().date()


def told(event: Event) -> list[dict[str, Any]]:
    rows = Delivery.objects.filter(event=event).order_by("created_at")
    messages = [json.loads(row.body) for row in rows]
    assert {message["type"] for message in messages} <= {str(event)}
    return [message["data"] for message in messages]


def test_a_guidelines_way_is_told(alice: User) -> None:
    NOWHERE.endpoint()
    NOWHERE.endpoint(is_active=False)
    publisher = in_groups(alice, PUBLISHERS)
    old, new = (
        publish(f"# {name}", title=name, lifecycle=Lifecycle.DRAFT) for name in ("Old", "New")
    )
    for document in (old, new):
        document_approve(document, by=publisher, today=TODAY)
    document_supersede(old, by=publisher, successor=new)
    document_withdraw(new, by=publisher, reason="The dose kills.")
    document_reinstate(old, by=publisher, reason="It was right.")
    assert [data["title"] for data in told(Event.PUBLISHED)] == ["Old", "New", "Old"]
    (superseded,) = told(Event.SUPERSEDED)
    assert (superseded["id"], superseded["state"]) == (old.pk, "SUPERSEDED")
    assert superseded["superseded_by"] == new.sha256
    (withdrawn,) = told(Event.WITHDRAWN)
    assert (withdrawn["sha256"], withdrawn["state"]) == (new.sha256, "WITHDRAWN")
    assert not [row for row in Delivery.objects.all() if "kills" in row.body]
    assert Delivery.objects.count() == 5


def test_what_is_indexed_is_told(alice: User) -> None:
    NOWHERE.endpoint(Event.INDEXED)
    document = ingest(sections_of(sections=1), "told.md")
    document_index(document.pk)
    (data,) = told(Event.INDEXED)
    assert (data["id"], data["state"]) == (document.pk, document.lifecycle)


def test_what_is_undone_is_not_told(alice: User) -> None:
    NOWHERE.endpoint()
    document = publish("# Kept")
    with pytest.raises(RuntimeError), transaction.atomic():
        document_withdraw(document, by=in_groups(alice, PUBLISHERS), reason="A mistake.")
        raise RuntimeError
    assert not Delivery.objects.exists()


def test_a_gap_is_told_once_and_without_words(alice: User) -> None:
    NOWHERE.endpoint()
    publish_guideline(picture=False)
    refused, answered = ask(alice, UNANSWERABLE), ask(alice, QUESTION)
    feedback_save(answered, helpful=False, comment="Too short.")
    feedback_save(refused, helpful=True)
    assert not Delivery.objects.exists()
    for comment in ("", "We need tungsten."):
        feedback_save(refused, helpful=False, comment=comment)
    (data,) = told(Event.GAP)
    assert data == {"id": str(refused.pk), "state": "abstained", "reason": refused.reason}
    assert "tungsten" not in Delivery.objects.get().body


def test_a_reason_that_rests_on_what_is_closed_is_not_sent(alice: User) -> None:
    NOWHERE.endpoint()
    guideline = publish_guideline(picture=False)
    refused = ask(alice, UNANSWERABLE)
    refused.reason = Reason.ONLY_OUT_OF_DATE
    refused.trace["documents"] = [{"sha256": guideline.sha256}]
    assert gap_payload(refused)["reason"] == Reason.ONLY_OUT_OF_DATE
    narrow(guideline.collection, "searchers", "Ward")
    assert gap_payload(refused)["reason"] == Reason.WEAK_EVIDENCE


def test_without_an_endpoint_nothing_is_kept(alice: User) -> None:
    guideline = publish_guideline(picture=False)
    feedback_save(ask(alice, UNANSWERABLE), helpful=False)
    document_withdraw(guideline, by=in_groups(alice, PUBLISHERS), reason="Old.")
    assert Turn.objects.count() == 1
    assert not Delivery.objects.exists()


def test_a_stop_and_its_end_are_told(alice: User) -> None:
    NOWHERE.endpoint(Event.STOPPED, Event.RESUMED)
    guideline = publish_guideline(picture=False)
    kinds: list[dict[str, Any]] = [
        {"document": guideline}, {"collection": guideline.collection}, {}
    ]  # fmt: skip
    for of in kinds:
        made = AnsweringStop(reason="The dose kills", contact="Dr Blue, 4417", **of)
        resume_answering(stop_answering(made, by=alice), by=alice, reason="It was put right")
    stopped = told(Event.STOPPED)
    assert stopped == told(Event.RESUMED)
    assert [(data["sha256"], data["collection"]) for data in stopped] == [
        (guideline.sha256, None), (None, "chest"), (None, None)
    ]  # fmt: skip
    assert {(data["by"], data["contact"]) for data in stopped} == {("alice", "Dr Blue, 4417")}
    assert not [row for row in Delivery.objects.all() if "kills" in row.body]
