"""Many files at once, each with a message of its own."""

from typing import Any

import pytest
from django.contrib.admin.models import ADDITION, LogEntry
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from corpus.models import Collection, Document, JobState, Lifecycle
from medrag_site.accounts import PUBLISHERS, STAFF
from tests.corpus.test_admin import member

UPLOAD = reverse("admin:corpus_document_add")


@pytest.fixture
def shelf(db: None) -> Collection:
    return Collection.objects.create(slug="chest", name="Chest")


@pytest.fixture
def staff(alice: User) -> Client:
    return member(alice, STAFF)


def send(client: Client, shelf: Collection, files: dict[str, bytes], **fields: str) -> Any:
    uploads = [SimpleUploadedFile(name, content) for name, content in files.items()]
    return client.post(UPLOAD, {"uploads": uploads, "collection": shelf.pk, **fields}, follow=True)


def messages_of(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def test_each_file_is_stored_logged_and_told(staff: Client, alice: User, shelf: Collection) -> None:
    files = {"a.md": b"# Asthma\n\nGive oxygen.", "b.md": b"# Sepsis\n\nGive fluids."}
    response = send(staff, shelf, files, issuer="Chest Group", effective_from="2026-01-02")
    first, second = Document.objects.order_by("pk")
    assert response.redirect_chain[-1][0] == reverse("admin:corpus_document_changelist")
    assert [message.split(":")[0] for message in messages_of(response)] == ["a.md", "b.md"]
    assert f"/admin/corpus/document/{first.pk}/change/" in messages_of(response)[0]
    for document in (first, second):
        assert document.issuer == "Chest Group"
        assert document.lifecycle == Lifecycle.DRAFT
        assert document.uploaded_by == alice
        assert document.job.state == JobState.PENDING
    entries = LogEntry.objects.order_by("pk")
    assert [entry.object_id for entry in entries] == [str(first.pk), str(second.pk)]
    assert {entry.action_flag for entry in entries} == {ADDITION}


def test_the_same_bytes_lead_to_the_document_that_is_there(
    staff: Client, shelf: Collection
) -> None:
    send(staff, shelf, {"a.md": b"# Asthma"})
    response = send(staff, shelf, {"again.md": b"# Asthma"})
    (document,) = Document.objects.all()
    (message,) = messages_of(response)
    assert "is here already" in message
    assert f"/admin/corpus/document/{document.pk}/change/" in message


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.pdf", b""),
        ("program.exe", b"MZ\x90\x00"),
        ("picture.pdf", b"\x89PNG\r\n\x1a\n"),
        (f"{'n' * 300}.xyz", b"text"),
    ],
)
def test_a_file_that_is_refused_gets_a_sentence_and_stops_no_other(
    name: str, content: bytes, staff: Client, shelf: Collection
) -> None:
    response = send(staff, shelf, {name: content, "good.md": b"# Asthma"})
    refused, stored = messages_of(response)
    assert refused.endswith(".")
    assert "stored as" in stored
    assert Document.objects.count() == 1


def test_names_are_shown_as_text(staff: Client, shelf: Collection) -> None:
    response = send(staff, shelf, {"<img src=x>.md": b"# Asthma"})
    assert b"<img src=x>" not in response.content


def test_no_file_is_a_sentence(staff: Client, shelf: Collection) -> None:
    response = staff.post(UPLOAD, {"collection": shelf.pk})
    assert b"Choose at least one file." in response.content


def test_a_first_collection_is_there_to_choose(staff: Client) -> None:
    response = staff.get(UPLOAD)
    assert b'<input type="file" name="uploads"' in response.content
    assert b"multiple" in response.content
    assert b">General</option>" in response.content


def test_who_only_publishes_uploads_nothing(bob: User, shelf: Collection) -> None:
    publisher = member(bob, PUBLISHERS)
    assert send(publisher, shelf, {"a.md": b"# Asthma"}).status_code == 403
    assert not Document.objects.exists()
