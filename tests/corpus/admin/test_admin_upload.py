"""Test the upload of many files at once, each with a message of its own."""

import datetime
from typing import Any

import pytest
from django.contrib.admin.models import ADDITION, LogEntry
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.models import Collection, Document, Job, JobState, Lifecycle, Stage
from medrag_site.groups import PUBLISHERS, STAFF
from tests.chat.guidelines import publish_guideline
from tests.corpus.admin.test_admin import closed_shelf, documents, member, page, page_of

UPLOAD = reverse("admin:corpus_document_add")
ONE = reverse("admin:corpus_document_upload_one")


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
    assert response.redirect_chain[-1][0] == UPLOAD
    assert [message.split(":")[0] for message in messages_of(response)] == ["a.md", "b.md"]
    assert page_of("change", first.pk) in messages_of(response)[0]
    for document in (first, second):
        assert (document.issuer, document.uploaded_by) == ("Chest Group", alice)
        assert (document.lifecycle, document.job.state) == (Lifecycle.DRAFT, JobState.PENDING)
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
    assert page_of("change", document.pk) in message
    at = datetime.datetime(2026, 5, 3, 12, tzinfo=datetime.UTC)
    withdrawn = {"withdrawn_at": at, "withdrawn_reason": "The dose was wrong"}
    Document.objects.update(lifecycle=Lifecycle.WITHDRAWN, **withdrawn)
    (message,) = messages_of(send(staff, shelf, {"again.md": b"# Asthma"}))
    assert "3 May 2026: The dose was wrong. " in message


@pytest.mark.parametrize(
    ("name", "content"), [("program.exe", b"MZ\x90\x00"), (f"{'n' * 300}.xyz", b"text")]
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
    assert response.context["form"].has_error("uploads", "required")


def test_a_first_collection_is_there_to_choose(staff: Client) -> None:
    response = staff.get(UPLOAD)
    assert b'<input type="file" name="uploads"' in response.content
    assert b"multiple" in response.content
    assert b">General</option>" in response.content


def test_who_only_publishes_uploads_nothing(bob: User, shelf: Collection) -> None:
    publisher = member(bob, PUBLISHERS)
    assert send(publisher, shelf, {"a.md": b"# Asthma"}).status_code == 403
    assert not Document.objects.exists()


def send_one(client: Client, shelf: Collection, name: str, content: bytes) -> Any:
    file = SimpleUploadedFile(name, content)
    return client.post(ONE, {"uploads": [file], "collection": shelf.pk, "issuer": "Chest Group"})


def test_one_file_of_a_batch_gets_its_row(staff: Client, shelf: Collection) -> None:
    response = send_one(staff, shelf, "a.md", b"# Asthma")
    document = Document.objects.get()
    content = response.content.decode()
    assert response.status_code == 200
    assert content.count('<li class="upload-row"') == 1
    assert f'id="job-{document.pk}"' in content
    assert f'name="pk" value="{document.pk}"' in content  # the page polls until the job has ended
    assert document.issuer == "Chest Group"
    assert LogEntry.objects.get().action_flag == ADDITION


def test_a_refused_file_of_a_batch_gets_its_sentence(staff: Client, shelf: Collection) -> None:
    send_one(staff, shelf, "a.md", b"# Asthma")
    again = send_one(staff, shelf, "<b>.md", b"# Asthma")
    assert again.status_code == 422
    assert b"Here already" in again.content
    assert b"<b>.md" not in again.content
    bad = send_one(staff, shelf, "picture.pdf", b"\x89PNG\r\n\x1a\n")
    assert (bad.status_code, b'class="why"' in bad.content) == (422, True)
    assert staff.post(ONE, {"collection": shelf.pk}).status_code == 422
    assert staff.get(ONE).status_code == 405
    assert Document.objects.count() == 1


def test_the_page_shows_the_last_uploads_of_the_person(
    staff: Client, bob: User, shelf: Collection
) -> None:
    send(staff, shelf, {"a.md": b"# Asthma", "b.md": b"# Sepsis"})
    send(member(bob, STAFF), shelf, {"c.md": b"# Stroke"})
    content = staff.get(UPLOAD).content.decode()
    assert content.count('<li class="upload-row"') == 2
    assert "c.md" not in content
    assert "load delay" in content  # the page polls for progress


def test_a_shelf_of_others_takes_nothing(staff: Client, shelf: Collection) -> None:
    shelf.uploaders.add(Group.objects.create(name="Chest Board"))
    Collection.objects.create(slug="open", name="Open")
    assert b">Chest</option>" not in staff.get(UPLOAD).content
    assert send_one(staff, shelf, "a.md", b"# Asthma").status_code == 422
    send(staff, shelf, {"a.md": b"# Asthma"})
    assert not Document.objects.exists()


def test_a_duplicate_of_what_is_hidden_tells_nothing_of_it(
    staff: Client, bob: User, shelf: Collection
) -> None:
    send(member(bob, STAFF), shelf, {"secret-plan.md": b"# Asthma"})
    Document.objects.update(collection=closed_shelf())
    mine = Collection.objects.create(slug="open", name="Open")
    response = send_one(staff, mine, "mine.md", b"# Asthma")
    assert response.status_code == 422
    assert b"secret" not in response.content
    assert b"already" not in response.content


def test_a_failure_offers_to_read_it_again_right_there(staff: Client, shelf: Collection) -> None:
    send(staff, shelf, {"a.md": b"# Asthma"})
    Job.objects.update(state=JobState.FAILED, last_error="The file is locked.")
    content = page(staff, "add")
    again = page_of("step", Document.objects.get().pk, "read_again")
    assert "The file is locked." in content and f'formaction="{again}"' in content


def test_a_new_version_is_offered_once_the_text_is_read(staff: Client, shelf: Collection) -> None:
    old = publish_guideline(title="Asthma in adults", version="1")
    send(staff, shelf, {"asthma-in-adults.md": b"# Asthma in adults"})
    new = Document.objects.get(lifecycle=Lifecycle.DRAFT)
    Document.objects.filter(pk=new.pk).update(title="Asthma in adults", version="2")
    compare = page_of("compare", new.pk, old.pk)
    assert compare not in page(staff, "add")
    Job.objects.filter(document=new).update(stage=Stage.PARSED)
    assert compare in page(staff, "add")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"lifecycle": "DRAFT"}, "Not yet searchable: <a"),
        ({"lifecycle": "REVIEW"}, "Not yet searchable: in review: <a"),
        ({"lifecycle": "PUBLISHED"}, "Not searched at the moment."),
        ({"lifecycle": "PUBLISHED", "indexed_at": timezone.now()}, "Searched."),
        ({"lifecycle": "SUPERSEDED"}, "No longer searched."),
    ],
)
def test_what_was_read_says_what_it_lacks(alice: User, fields: dict[str, Any], words: str) -> None:
    documents(1, **fields, uploaded_by=alice)
    Job.objects.update(state=JobState.DONE)
    content = member(alice, STAFF).get(page_of("add")).content.decode()
    assert words in content
    assert "Read." in content
