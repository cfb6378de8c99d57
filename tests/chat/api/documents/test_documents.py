"""Test documents over the API: upload, list, read, edit and every change of their lifecycle."""

from io import BytesIO
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.utils import timezone
from PIL import Image

from chat.api.pages import InReadingOrder, Uploaded
from corpus.models import Correction, Document, Job, JobState, Lifecycle, Page, Stage
from corpus.services.corrections import correction_make
from corpus.services.indexing import document_index
from medrag_site.groups import PUBLISHERS, STAFF
from tests.chat.api.api_calls import assert_problem, get, post, signed_in
from tests.chat.guidelines import DOSE, publish_guideline
from tests.corpora import publish, shelf
from tests.people import person
from tests.tables import rows

RIGHT = DOSE.replace("500 mg", "50 mg")
DOCUMENTS = "/api/v1/documents"
TEXT = b"# Hyperkalaemia\n\n## Treatment\n\nGive 10 mL of calcium gluconate over 5 minutes."


@pytest.fixture
def staff(db: None) -> User:
    shelf("chest")
    return person("staff", STAFF, PUBLISHERS)


@pytest.fixture
def client(staff: User) -> Client:
    return signed_in(staff)


def upload(
    client: Client, content: bytes = TEXT, *, name: str = "k.md", key: str = "", **said: str
) -> Any:
    form = {"file": SimpleUploadedFile(name, content), "collection": "chest"} | said
    return client.post(DOCUMENTS, form, headers={"Idempotency-Key": key} if key else None)


def of(sha256: str, what: str = "") -> str:
    return f"{DOCUMENTS}/{sha256}{what}"


def test_an_upload_is_a_draft_with_its_job(client: Client, staff: User) -> None:
    response = upload(client, title="Potassium", issuer="Renal", review_by="2030-01-31")
    assert response.status_code == 202
    told = response.json()
    document = Document.objects.get()
    assert response["Location"] == f"http://testserver{of(document.sha256)}"
    assert told == client.get(response["Location"]).json()
    assert (document.title, document.issuer, document.uploaded_by) == ("Potassium", "Renal", staff)
    assert (told["lifecycle"], told["review_by"]) == ("DRAFT", "2030-01-31")
    assert (told["job"]["state"], told["job"]["stage"], told["job"]["progress"]) == (
        "PENDING", "STORED", 0.0,
    )  # fmt: skip
    assert [notice["code"] for notice in told["notices"]] == ["unpublished"]
    assert LogEntry.objects.get().user == staff


@pytest.mark.parametrize(
    ("content", "name", "status", "words"),
    [
        (b"", "a.md", 422, "empty"),
        (b"MZ\x90", "a.exe", 422, "can't be read"),
        (b"no pdf", "a.pdf", 422, ""),
        (b"a" * (1024**2 + 1), "a.md", 413, "larger than 1 MB"),
    ],
)
def test_what_the_administration_refuses_is_refused(
    client: Client, settings: LazySettings, content: bytes, name: str, status: int, words: str
) -> None:
    settings.UPLOAD_MAX_BYTES = 1024**2
    assert_problem(upload(client, content, name=name, key="a"), status, words)
    assert not Document.objects.exists()
    assert upload(client, key="a").status_code == 202  # a refused upload leaves its key free


@pytest.mark.parametrize(("said", "pointer"), rows(__file__, "wrong_forms.jsonl"))
def test_a_wrong_form_is_400(client: Client, said: Any, pointer: str) -> None:
    problem = assert_problem(upload(client, **said), 400)
    assert [error["pointer"] for error in problem["errors"]] == [pointer]
    assert not Document.objects.exists()


def test_a_form_without_its_file_is_400(client: Client) -> None:
    assert_problem(client.post(DOCUMENTS, {"collection": "chest"}), 400, "No file")
    assert_problem(client.generic("POST", DOCUMENTS), 400, "No file")
    assert_problem(post(client, DOCUMENTS, {}), 415)
    broken = client.post(DOCUMENTS, b"--", content_type="multipart/form-data; boundary=")
    assert_problem(broken, 400)


def test_the_same_key_and_bytes_are_taken_in_once(client: Client) -> None:
    first, again = upload(client, key="a"), upload(client, key="a")
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.content == again.content
    assert Document.objects.count() == Job.objects.count() == LogEntry.objects.count() == 1
    assert_problem(upload(client), 409, "uploaded before")


@pytest.mark.parametrize(
    "other", [{"content": TEXT + b" More."}, {"title": "Potassium"}, {"name": "other.md"}]
)
def test_a_key_with_anything_else_is_refused(client: Client, other: Any) -> None:
    upload(client, key="a")
    assert_problem(upload(client, key="a", **other), 422, "another upload")
    assert Document.objects.count() == 1


def test_a_key_is_its_owner_s(client: Client) -> None:
    upload(client, key="a")
    other = signed_in(person("other", STAFF))
    assert upload(other, TEXT + b" More.", key="a").status_code == 202


@pytest.mark.parametrize("key", [" ", "a b", "x" * 256, "\xe4"])
def test_a_wrong_key_is_400(client: Client, key: str) -> None:
    assert_problem(upload(client, key=key), 400)


def test_a_document_is_read_published_and_withdrawn(client: Client) -> None:
    sha256 = upload(client).json()["sha256"]
    assert_problem(post(client, of(sha256, "/publish"), {}), 409, "has not been read")
    document_index(Document.objects.get().pk)
    told = get(client, of(sha256)).json()
    assert (told["job"]["state"], told["job"]["progress"]) == ("DONE", 1.0)
    published = post(client, of(sha256, "/publish"), {})
    assert published.status_code == 200
    assert (published.json()["lifecycle"], published.json()["published_by"]) == (
        "PUBLISHED", "staff",
    )  # fmt: skip
    assert published.json()["notices"] == []
    assert_problem(post(client, of(sha256, "/publish"), {}), 409, "Only a document that is")
    passages = get(client, of(sha256, "/passages")).json()["results"]
    assert "calcium gluconate" in passages[0]["text"]
    page = get(client, of(sha256, "/pages/1")).json()
    assert "calcium gluconate" in page["text"] and page["picture"] is None
    assert_problem(get(client, of(sha256, "/pages/1/picture")), 404)
    assert LogEntry.objects.latest("pk").change_message == "Published."


STEPS = [
    (Lifecycle.DRAFT, "submit", "", "REVIEW", "Sent to review."),
    (Lifecycle.REVIEW, "return", "Cut off.", "DRAFT", "Sent back: Cut off."),
    (Lifecycle.PUBLISHED, "withdraw", "Wrong dose.", "WITHDRAWN", "Withdrawn: Wrong dose."),
    (Lifecycle.WITHDRAWN, "reinstate", "It was right.", "PUBLISHED",
     "Withdrawn until now: Harm. Put back in force: It was right."),
]  # fmt: skip


@pytest.mark.parametrize(("lifecycle", "step", "reason", "goal", "logged"), STEPS)
def test_each_step_is_one_call_that_is_logged(
    client: Client, lifecycle: Lifecycle, step: str, reason: str, goal: str, logged: str
) -> None:
    withdrawn = "Harm." if lifecycle == Lifecycle.WITHDRAWN else ""
    document = publish("# A", collection="chest", lifecycle=lifecycle, withdrawn_reason=withdrawn)
    address, body = of(document.sha256, f"/{step}"), {"reason": reason} if reason else {}
    assert_problem(post(client, address, {**body, "tittle": "?"}), 400, "not known")
    if reason:
        assert_problem(post(client, address, {"reason": " "}), 400)
    told = post(client, address, body).json()
    kept = reason if goal == "WITHDRAWN" else ""
    assert (told["lifecycle"], told["withdrawn_reason"]) == (goal, kept)
    assert_problem(post(client, address, body), 409)
    lines = LogEntry.objects.order_by("pk").values_list("change_message", flat=True)
    assert " ".join(lines) == logged


def test_the_uploader_does_not_publish_where_two_persons_are_wanted(
    client: Client, settings: LazySettings
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    sha256 = upload(client).json()["sha256"]
    document_index(Document.objects.get().pk)
    old = publish("# Old", collection="chest")
    assert post(client, of(sha256, "/submit"), {}).json()["lifecycle"] == "REVIEW"
    for path, body in (
        (of(sha256, "/publish"), {}),
        (of(old.sha256, "/replace"), {"successor": sha256}),
    ):
        assert_problem(post(client, path, body), 403, "second person")
    other = signed_in(person("publisher", PUBLISHERS))
    assert post(other, of(sha256, "/publish"), {}).status_code == 200


def test_what_failed_is_tried_again_or_discarded(client: Client) -> None:
    sha256 = upload(client).json()["sha256"]
    for step in ("retry", "reindex"):
        assert_problem(post(client, of(sha256, f"/{step}"), {}), 409)  # it is being read
    assert_problem(client.delete(of(sha256)), 409, "failed upload")
    job = Job.objects.filter(document__sha256=sha256)
    for step in ("retry", "reindex"):
        job.update(state=JobState.FAILED)
        told = client.generic("POST", of(sha256, f"/{step}"))  # without a body
        assert (told.status_code, told.json()["job"]["state"]) == (202, "PENDING")
    job.update(state=JobState.FAILED)
    assert client.delete(of(sha256)).status_code == 204
    assert_problem(get(client, of(sha256)), 404)
    assert upload(client).status_code == 202


def test_doubtful_pages_have_to_be_looked_at(client: Client) -> None:
    draft = publish("# Draft\n---\nScanned", collection="chest", lifecycle=Lifecycle.DRAFT)
    Page.objects.filter(document=draft, number=2).update(ocr_confidence=0.5)
    assert get(client, of(draft.sha256)).json()["doubts"] == [
        {
            "page": 2,
            "must_be_looked_at": True,
            "doubts": [],
            "ocr_confidence": 0.5,
            "words_found": None,
        }
    ]
    for looked in ([], [1]):
        problem = post(client, of(draft.sha256, "/publish"), {"looked": looked})
        assert_problem(problem, 409, "checked page 2")
    assert post(client, of(draft.sha256, "/publish"), {"looked": [2]}).status_code == 200


def test_a_page_ticked_in_the_administration_need_not_be_listed(client: Client) -> None:
    draft = publish("# Draft\n---\nScanned", collection="chest", lifecycle=Lifecycle.DRAFT)
    scanned = Page.objects.filter(document=draft, number=2)
    scanned.update(ocr_confidence=0.5, looked=True, looked_at=timezone.now())
    (doubted,) = get(client, of(draft.sha256)).json()["doubts"]
    assert doubted["must_be_looked_at"] is False
    assert post(client, of(draft.sha256, "/publish"), {}).status_code == 200


def corrected(by: User, title: str) -> tuple[Document, Correction]:
    """Correct a word of a published document and index it; return it and the correction."""
    document = publish_guideline(title=title)
    row = correction_make(
        document, page=1, block=1, cell=None, as_read=DOSE, text=RIGHT, reason="A 0.", by=by
    )
    document_index(document.pk)
    return document, row


def test_the_second_person_compares_what_was_corrected(
    client: Client, staff: User, settings: LazySettings
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    document, row = corrected(staff, "Pneumonia")
    second, address = person("second", PUBLISHERS), of(document.sha256, "/publish")
    shown = get(signed_in(second), of(document.sha256)).json()
    assert [{**one, "made_at": ""} for one in shown["corrections"]] == [{
        "id": row.pk, "page": 1, "as_read": DOSE, "text": RIGHT, "taken_back": False,
        "cells": None, "reason": "A 0.", "made_by": "staff", "made_at": "",
    }]  # fmt: skip
    assert_problem(post(client, address, {"compared": [row.pk]}), 403, "second person")
    bodies: tuple[dict[str, Any], ...] = ({}, {"compared": []}, {"compared": [row.pk + 1]})
    for body in bodies:
        assert_problem(post(signed_in(second), address, body), 409, "nobody has compared")
    assert_problem(post(signed_in(second), address, {"compared": ["1"]}), 400)
    row.refresh_from_db()
    assert row.seen_by is None
    told = post(signed_in(second), address, {"compared": [row.pk]}).json()
    assert (told["lifecycle"], told["corrections"]) == ("PUBLISHED", [])
    row.refresh_from_db()
    assert row.seen_by == second
    line = LogEntry.objects.latest("pk")
    assert (line.user, line.change_message) == (second, "Published, 1 correction compared.")


def test_a_new_version_that_was_corrected_is_compared_too(client: Client, staff: User) -> None:
    old, (new, row) = publish("# Old", collection="chest"), corrected(staff, "New")
    address, body = of(old.sha256, "/replace"), {"successor": new.sha256}
    assert_problem(post(client, address, body), 409, "nobody has compared")
    told = post(client, address, {**body, "compared": [row.pk]}).json()
    assert told["lifecycle"] == "SUPERSEDED"


def test_a_new_version_takes_the_place_of_the_old_in_one_step(client: Client) -> None:
    old = publish("# Old", collection="chest")
    new = publish("# New", collection="chest", lifecycle=Lifecycle.DRAFT)
    told = post(client, of(old.sha256, "/replace"), {"successor": new.sha256}).json()
    assert (told["lifecycle"], told["superseded_by"]) == ("SUPERSEDED", new.sha256)
    assert get(client, of(new.sha256)).json()["lifecycle"] == "PUBLISHED"
    assert_problem(post(client, of(old.sha256, "/replace"), {"successor": new.sha256}), 409)


def test_what_is_published_may_be_superseded(client: Client) -> None:
    old, new = publish("# Old", collection="chest"), publish("# New", collection="chest")
    draft = publish("# Draft", collection="chest", lifecycle=Lifecycle.DRAFT)
    for sha256 in (draft.sha256, old.sha256, "x", 5):
        assert_problem(post(client, of(old.sha256, "/supersede"), {"successor": sha256}), 400)
    told = post(client, of(old.sha256, "/supersede"), {"successor": new.sha256}).json()
    assert told["superseded_by"] == new.sha256


def test_what_is_said_of_it_is_changed(client: Client) -> None:
    document = publish("# Old", collection="chest")
    shelf("blood")
    body = {"title": "Other", "year": 2024, "collection": "blood", "review_by": None}
    response = client.patch(of(document.sha256), body, content_type="application/json")
    told = response.json()
    assert {name: told[name] for name in body} == body
    assert LogEntry.objects.get().change_message == "Changed collection, title, year."
    for wrong in ({"title": ""}, {"year": "2024"}, {"lifecycle": "DRAFT"}, {"collection": "x"}):
        response = client.patch(of(document.sha256), wrong, content_type="application/json")
        assert_problem(response, 400)


def test_the_list_is_narrowed_and_goes_over_pages(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish("# Asthma", collection="chest")
    publish("# Anaemia", collection="blood", lifecycle=Lifecycle.DRAFT)
    failed = publish("# Sepsis", collection="blood")
    Job.objects.filter(document=failed).update(state=JobState.FAILED, stage=Stage.STORED)
    for asked, titles in [
        ({}, ["Sepsis", "Anaemia", "Asthma"]),
        ({"collection": "blood"}, ["Sepsis", "Anaemia"]),
        ({"collection": "none"}, []),
        ({"lifecycle": "DRAFT"}, ["Anaemia"]),
        ({"job": "FAILED"}, ["Sepsis"]),
        ({"words": "asth"}, ["Asthma"]),
        ({"words": failed.sha256[:20]}, ["Sepsis"]),
    ]:
        found = get(client, DOCUMENTS, **asked).json()["results"]
        assert [document["title"] for document in found] == titles
    for wrong in ({"lifecycle": "x"}, {"job": "x"}, {"wrods": "x"}):
        assert_problem(get(client, DOCUMENTS, **wrong), 400)
    monkeypatch.setattr(Uploaded, "page_size", 2)
    first = get(client, DOCUMENTS).json()
    assert len(first["results"]) == 2
    assert [d["title"] for d in client.get(first["next"]).json()["results"]] == ["Asthma"]


def test_passages_go_over_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    document = publish("# A\n## One\nGive 1 mg.\n## Two\nGive 2 mg.\n## Three\nGive 3 mg.")
    monkeypatch.setattr(InReadingOrder, "page_size", 1)
    address, seen = f"http://testserver{of(document.sha256, '/passages')}", []
    while address:
        told = client.get(address).json()
        seen += [passage["index"] for passage in told["results"]]
        address = told["next"]
    assert seen == list(range(document.chunks.count())) and len(seen) > 1
    assert_problem(get(client, of(document.sha256, "/passages"), cursor="cD1hYmM="), 404)


def test_a_list_takes_the_same_queries_however_long_it_is(
    client: Client, django_assert_num_queries: Any, django_assert_max_num_queries: Any
) -> None:
    publish("# One", collection="chest")
    with django_assert_max_num_queries(14) as first:
        get(client, DOCUMENTS)
    for title in ("# Two", "# Three"):
        publish(title, collection="chest")
    with django_assert_num_queries(len(first)):
        assert len(get(client, DOCUMENTS).json()["results"]) == 3


def test_a_cited_page_is_seen_with_the_token_alone(alice: User) -> None:
    document = publish_guideline()
    page = get(signed_in(alice), of(document.sha256, "/pages/1")).json()
    picture = signed_in(alice).get(page["picture"])
    assert picture["Content-Type"] == "image/png"
    assert Image.open(BytesIO(picture.content)).size == (60, 84)
    assert_problem(get(signed_in(alice), of(document.sha256, "/pages/2")), 404)
    wrong = signed_in(alice).get(page["picture"], headers={"accept": "text/html"})
    assert_problem(wrong, 406)


def test_a_picture_that_can_not_be_made_is_503(alice: User) -> None:
    document = publish_guideline(picture=False)
    with transaction.atomic():
        document.pages.update(width=595, height=842)
    picture = get(signed_in(alice), of(document.sha256, "/pages/1/picture"))
    assert_problem(picture, 503, "can't be made")
