"""Documents and sign-ins leave their row, in the transaction that makes them happen."""

import datetime
import json

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.db import transaction
from django.dispatch import Signal
from django.test import Client

from chat import audit
from chat.audit import AuditError
from chat.models import AuditEvent
from chat.receivers import DOCUMENT_ACTIONS
from corpus.models import Collection, Document, Lifecycle
from corpus.services.lifecycle import document_publish, document_withdraw


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
    document_publish(document, by=alice, today=datetime.date(2026, 1, 1))
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
    assert browser.login(username="alice", password="alice-secret")
    browser.logout()
    events = [(event.action, event.subject) for event in AuditEvent.objects.all()]
    assert events == [
        ("user.signed_in", f"user:{alice.pk}"),
        ("user.signed_out", f"user:{alice.pk}"),
    ]


def test_a_failed_sign_in_names_the_account_and_never_what_was_typed(alice: User) -> None:
    for name in ("alice", "my-password-in-the-wrong-box", "my-password-in-the-wrong-box"):
        assert authenticate(username=name, password="another-secret") is None
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
