"""Test that documents and sign-ins are logged in the transaction that changes them."""

import datetime
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.dispatch import Signal
from django.http import HttpRequest
from django.test import Client

from chat.audit import log as audit
from chat.audit.log import AuditError
from chat.audit.receivers import DOCUMENT_ACTIONS
from chat.models import AuditEvent
from corpus.models import Chunk, Collection, Document, Job, JobState, Lifecycle
from corpus.services.collections import collection_save
from corpus.services.documents import document_retry
from corpus.services.lifecycle import (
    document_publish,
    document_reinstate,
    document_return,
    document_submit,
    document_withdraw,
)
from corpus.services.metadata import document_edit
from corpus.services.passages import chunk_disable, chunk_enable
from medrag_site.groups import PUBLISHERS
from tests.people import in_groups

TODAY = datetime.date(2026, 1, 1)


@pytest.fixture
def document(db: None) -> Document:
    shelf = Collection.objects.create(slug="a", name="A")
    return Document.objects.create(
        sha256="e" * 64,
        collection=shelf,
        title="Secret title",
        filename="a.pdf",
        size_bytes=1,
        version="2",
        lifecycle=Lifecycle.REVIEW,
    )


@pytest.mark.parametrize(("action", "signal"), DOCUMENT_ACTIONS.items())
def test_each_signal_of_a_document_is_recorded(
    document: Document, alice: User, action: str, signal: Signal
) -> None:
    with transaction.atomic():
        signal.send(Document, document=document, actor=alice)
    event = AuditEvent.objects.get()
    assert (event.action, event.subject) == (action, f"document:{document.pk}")
    assert event.actor == f"user:{alice.pk}:alice"
    assert json.loads(event.payload) == {
        "id": document.pk,
        "lifecycle": "REVIEW",
        "sha256": "e" * 64,
        "version": "2",
    }


def test_a_publication_and_a_withdrawal_by_the_service(document: Document, alice: User) -> None:
    publisher = in_groups(alice, PUBLISHERS)
    document_publish(document, by=publisher, today=TODAY)
    document_withdraw(document, by=None, reason="Recalled.")
    actions = [(event.action, event.actor) for event in AuditEvent.objects.all()]
    assert actions == [
        ("document.published", f"user:{alice.pk}:alice"),
        ("document.withdrawn", "system"),
    ]


def test_a_signal_outside_a_transaction_is_refused(own_database: str) -> None:
    shelf = Collection.objects.create(slug="a", name="A")
    document = Document.objects.create(sha256="e" * 64, collection=shelf, size_bytes=1)
    with pytest.raises(AuditError):
        DOCUMENT_ACTIONS["document.published"].send(Document, document=document, actor=None)


def test_a_failed_document_leaves_its_code(document: Document) -> None:
    with transaction.atomic():
        DOCUMENT_ACTIONS["document.failed"].send(
            Document, document=document, actor=None, code="encrypted"
        )
    assert json.loads(AuditEvent.objects.get().payload)["code"] == "encrypted"


def test_sign_in_and_out_are_recorded(alice: User) -> None:
    browser = Client()
    assert browser.login(request=HttpRequest(), username="alice", password="alice-secret")
    browser.logout()
    events = [(event.action, event.subject) for event in AuditEvent.objects.all()]
    assert events == [
        ("user.signed_in", f"user:{alice.pk}"),
        ("user.signed_out", f"user:{alice.pk}"),
    ]


def test_a_failed_sign_in_names_the_account_and_never_what_was_typed(alice: User) -> None:
    for name in ("alice", "my-password-in-the-wrong-box", "my-password-in-the-wrong-box"):
        assert authenticate(HttpRequest(), username=name, password="another-secret") is None
    known, *unknown = AuditEvent.objects.all()
    assert (known.action, known.subject) == ("user.sign_in_failed", f"user:{alice.pk}")
    assert [event.subject for event in unknown] == ["", ""]
    assert unknown[0].payload == unknown[1].payload != known.payload
    everything = "".join(event.payload + event.actor for event in AuditEvent.objects.all())
    assert "password" not in everything
    assert "secret" not in everything


def test_a_sign_in_that_cannot_be_recorded_does_not_happen(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AuditError("The log is full.")

    monkeypatch.setattr(audit, "record", fail)
    browser = Client(raise_request_exception=False)
    response = browser.post("/sign-in/", {"username": "alice", "password": "alice-secret"})
    assert response.status_code == 500
    assert "_auth_user_id" not in browser.session


def test_what_somebody_wrote_is_not_in_the_log_but_can_be_proved(
    document: Document, alice: User
) -> None:
    publisher = in_groups(alice, PUBLISHERS)
    for reason in ("The table is misread.", "The table is misread.", "Another."):
        document_return(document, by=publisher, reason=reason)
        document_submit(document, by=publisher)
    returned = AuditEvent.objects.filter(action="document.returned").order_by("seq")
    first, second, third = [json.loads(event.payload) for event in returned]
    assert (first["reason_chars"], third["reason_chars"]) == (21, 8)
    assert first["reason_hmac"] == second["reason_hmac"] != third["reason_hmac"]
    assert "misread" not in "".join(event.payload for event in AuditEvent.objects.all())


def test_an_edit_leaves_the_names_of_the_fields_only(document: Document, alice: User) -> None:
    document_edit(document, by=alice, changes={"title": "Public title", "issuer": "Somebody"})
    event = AuditEvent.objects.get()
    assert (event.action, event.subject) == ("document.edited", f"document:{document.pk}")
    assert json.loads(event.payload)["fields"] == ["issuer", "title"]
    assert 'title"' in event.payload
    assert "Public" not in event.payload + event.subject
    assert "Somebody" not in event.payload


def test_a_passage_that_is_disabled_and_enabled_leaves_its_key(
    document: Document, alice: User
) -> None:
    chunk = document.chunks.create(
        key=f"{document.sha256}_p1_c0", index=0, page=1, text="Text", spans=[], tokens=1
    )
    chunk_disable(chunk, by=alice, reason="Wrong dose.")
    chunk_enable(chunk, by=alice)
    disabled, enabled = AuditEvent.objects.order_by("seq")
    assert [disabled.action, enabled.action] == ["chunk.disabled", "chunk.enabled"]
    for event in (disabled, enabled):
        assert event.subject == f"document:{document.pk}"
        assert json.loads(event.payload)["chunk"] == chunk.key
    assert json.loads(disabled.payload)["reason_chars"] == 11
    assert "Wrong" not in disabled.payload + enabled.payload


def test_a_change_of_rights_leaves_who_has_them_from_now_on(
    document: Document, alice: User
) -> None:
    team = Group.objects.create(name="Haematology")
    collection_save(
        document.collection, by=alice, changes={}, rights={"searchers": [team], "publishers": []}
    )
    event = AuditEvent.objects.get()
    assert event.action == "collection.changed"
    assert event.subject == f"collection:{document.collection_id}"
    assert json.loads(event.payload) == {
        "fields": ["searchers"],
        "id": document.collection_id,
        "publishers": [],
        "searchers": [team.pk],
        "uploaders": [],
    }


def steps(document: Document, user: User) -> dict[str, Callable[[], object]]:
    """Return a call for each logged change, in an order in which all are possible."""
    chunk = document.chunks.create(key="k", index=0, page=1, text="Text", spans=[], tokens=1)
    Job.objects.create(document=document, state=JobState.FAILED)
    return {
        "document.edited": lambda: document_edit(document, by=user, changes={"issuer": "A"}),
        "document.returned": lambda: document_return(document, by=user, reason="No."),
        "document.retried": lambda: document_retry(document, by=user),
        "document.submitted": lambda: document_submit(document, by=user),
        "document.published": lambda: document_publish(document, by=user, today=TODAY),
        "chunk.disabled": lambda: chunk_disable(chunk, by=user, reason="No."),
        "chunk.enabled": lambda: chunk_enable(chunk, by=user),
        "collection.changed": lambda: collection_save(
            document.collection, by=user, changes={"name": "New"}
        ),
        "document.withdrawn": lambda: document_withdraw(document, by=user, reason="No."),
        "document.reinstated": lambda: document_reinstate(document, by=user, reason="Wrong one."),
    }


def test_nothing_happens_to_the_corpus_without_its_row(
    document: Document, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the log can't be written, each step is refused and changes nothing."""
    user = in_groups(alice, PUBLISHERS)
    tables: tuple[Any, ...] = (Document, Collection, Chunk, Job)

    def stored() -> list[Any]:
        return [row for model in tables for row in model.objects.order_by("pk").values()]

    def fail(*_: object, **__: object) -> None:
        raise AuditError("The log is full.")

    for action, step in steps(document, user).items():
        before = stored()
        with monkeypatch.context() as patch:
            patch.setattr(audit, "record", fail)
            with pytest.raises(AuditError):
                step()
        assert stored() == before, action
        step()
        assert AuditEvent.objects.latest("seq").action == action
        assert stored() != before, action
