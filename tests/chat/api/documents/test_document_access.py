"""Test every operation on documents with every role, and that missing and forbidden look alike."""

import datetime
import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from chat.models import AuditEvent
from corpus.models import Document, Job, JobState, Lifecycle
from corpus.services.corrections import correction_make
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS, STAFF
from tests.chat.api.api_calls import assert_problem, post, signed_in
from tests.chat.guidelines import NOTE, publish_guideline, store_files
from tests.chat.storing import Storing
from tests.corpora import publish
from tests.people import narrow, person

ROLES: dict[str, tuple[str, ...]] = {
    "nobody's": (),
    "clinician": (CLINICIANS,),
    "staff": (STAFF,),
    "publisher": (PUBLISHERS,),
    "auditor": (AUDITORS,),
}
ALL = frozenset(ROLES)
WORKERS = frozenset({"staff", "publisher", "auditor"})
MISSING = "0" * 64
# Method and operation: roles that may, status, and logged action.
OPERATIONS: dict[tuple[str, str], tuple[frozenset[str], int, str]] = {
    ("get", "documents"): (WORKERS, 200, "read"),
    ("post", "documents"): (frozenset({"staff"}), 202, "document.uploaded"),
    ("get", "document"): (WORKERS, 200, "read"),
    ("patch", "document"): (frozenset({"staff", "publisher"}), 200, "document.edited"),
    ("delete", "document"): (frozenset({"staff"}), 204, "document.discarded"),
    ("post", "submit"): (frozenset({"staff", "publisher"}), 200, "document.submitted"),
    ("post", "return"): (frozenset({"publisher"}), 200, "document.returned"),
    ("post", "publish"): (frozenset({"publisher"}), 200, "document.published"),
    ("post", "replace"): (frozenset({"publisher"}), 200, "document.superseded"),
    ("post", "supersede"): (frozenset({"publisher"}), 200, "document.superseded"),
    ("post", "withdraw"): (frozenset({"publisher"}), 200, "document.withdrawn"),
    ("post", "reinstate"): (frozenset({"publisher"}), 200, "document.reinstated"),
    ("post", "retry"): (frozenset({"staff", "publisher"}), 202, "document.retried"),
    ("post", "reindex"): (frozenset({"staff", "publisher"}), 202, "document.reindexed"),
    ("get", "passages"): (WORKERS, 200, "read"),
    ("get", "page"): (ALL, 200, "read"),
    ("get", "picture"): (ALL, 200, "read"),
}
OF_ONE = [key for key in OPERATIONS if key[1] != "documents"]


def stored() -> dict[str, str]:
    """Store a guideline, and a document in the state that each operation needs; return sha256s."""
    chest = publish_guideline()
    draft = publish("# New", collection="chest", lifecycle=Lifecycle.DRAFT).sha256
    newer = publish("# Newer", collection="chest").sha256
    checked = publish("# Checked", collection="chest", lifecycle=Lifecycle.REVIEW).sha256
    withdrawn = publish("# Withdrawn", collection="chest", lifecycle=Lifecycle.WITHDRAWN).sha256
    failed = publish("# Failed", collection="chest", lifecycle=Lifecycle.DRAFT, indexed=False)
    Job.objects.filter(document=failed).update(state=JobState.FAILED)
    return {
        "chest": chest.sha256, "publish": draft, "submit": draft, "replace": draft,
        "supersede": newer, "return": checked, "reinstate": withdrawn,
        "retry": failed.sha256, "discard": failed.sha256,
    }  # fmt: skip


@pytest.fixture(scope="module")
def others(storing: Storing) -> Iterator[dict[str, str]]:
    found: dict[str, str] = {}
    with storing(lambda: found.update(stored())):
        yield found


@pytest.fixture
def chest(others: dict[str, str], db: None) -> Document:
    """Return the guideline, with its files in this test's folder."""
    document = Document.objects.get(sha256=others["chest"])
    store_files(document, picture=True)
    return document


def body_of(name: str, others: dict[str, str]) -> dict[str, Any]:
    return {
        "document": {"issuer": "Another Group"},
        "publish": {},
        "replace": {"successor": others["replace"]},
        "supersede": {"successor": others["supersede"]},
        "withdraw": {"reason": "The dose is wrong."},
        "return": {"reason": "A table is cut off."},
        "reinstate": {"reason": "The dose was right."},
    }.get(name, {})


def upload(client: Client, **changes: Any) -> Any:
    file = SimpleUploadedFile("new.md", b"# New guideline\n\nGive 5 mg once.")
    return client.post("/api/v1/documents", {"file": file, "collection": "chest"} | changes)


def call(client: Client, method: str, name: str, sha256: str, others: dict[str, str]) -> Any:
    if (method, name) == ("post", "documents"):
        return upload(client)
    number = [1] if name in ("page", "picture") else []
    address = reverse(f"api:{name}", args=[] if name == "documents" else [sha256, *number])
    if method in ("get", "delete"):
        return getattr(client, method)(address)
    body = body_of(name, others)
    if method == "patch":
        return client.patch(address, body, content_type="application/json")
    return post(client, address, body)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("method", "name"), OPERATIONS)
def test_each_role_may_what_the_administration_lets_it(
    chest: Document, others: dict[str, str], method: str, name: str, role: str
) -> None:
    roles, status, action = OPERATIONS[method, name]
    client = signed_in(person("somebody", *ROLES[role]))
    about = "discard" if method == "delete" else name
    is_successor = about in ("replace", "supersede")  # of a published document
    sha256 = chest.sha256 if is_successor else others.get(about, chest.sha256)
    before = AuditEvent.objects.count()
    response = call(client, method, name, sha256, others)
    assert response["Cache-Control"] == "no-store"
    if role not in roles:
        assert_problem(response, 403)
        assert AuditEvent.objects.count() == before
        return
    assert response.status_code == status, response.content
    event = AuditEvent.objects.latest("seq")
    assert event.action == action
    assert event.actor.endswith(":somebody")


@pytest.mark.parametrize("role", ROLES)
def test_who_may_publish_alone_confirms_a_correction(
    chest: Document, settings: LazySettings, role: str
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    row = correction_make(
        chest, page=1, block=2, cell=None, as_read=NOTE, text="Stop.", reason="Misread.",
        by=person("corrector", STAFF, PUBLISHERS),
    )  # fmt: skip
    Job.objects.filter(document=chest).update(state=JobState.DONE)
    somebody = person("somebody", *ROLES[role])
    client = signed_in(somebody)
    before = AuditEvent.objects.count()
    response = post(client, reverse("api:publish", args=[chest.sha256]), {"compared": [row.pk]})
    row.refresh_from_db()
    if role not in OPERATIONS["post", "publish"][0]:
        assert_problem(response, 403)
        assert (row.seen_by, AuditEvent.objects.count()) == (None, before)
        return
    assert response.status_code == 200, response.content
    assert row.seen_by == somebody
    event = AuditEvent.objects.latest("seq")
    assert (event.action, event.actor) == ("document.published", f"user:{somebody.pk}:somebody")


@pytest.mark.parametrize(("method", "name"), OPERATIONS)
def test_nobody_gets_in_without_a_token(
    chest: Document, others: dict[str, str], method: str, name: str
) -> None:
    assert_problem(call(Client(), method, name, chest.sha256, others), 401)


@pytest.mark.parametrize("role", ["clinician", "staff", "publisher", "auditor"])
@pytest.mark.parametrize(("method", "name"), OF_ONE)
def test_what_is_hidden_is_as_what_is_missing(
    chest: Document, others: dict[str, str], method: str, name: str, role: str
) -> None:
    for right in ("searchers", "uploaders", "publishers"):
        narrow(chest.collection, right, "Haematology")
    client = signed_in(person("somebody", *ROLES[role]))
    hidden = call(client, method, name, chest.sha256, others)
    missing = call(client, method, name, MISSING, others)
    assert hidden.status_code in (403, 404)
    assert_problem(hidden, hidden.status_code)
    assert hidden.content == missing.content
    assert not AuditEvent.objects.filter(action="read").exists()


@pytest.mark.parametrize(("field", "name"), [("replace", "replace"), ("supersede", "supersede")])
def test_a_hidden_successor_is_as_a_missing_one(
    chest: Document, others: dict[str, str], field: str, name: str
) -> None:
    client = signed_in(person("somebody", PUBLISHERS))
    elsewhere = publish("# Elsewhere", collection="blood")
    for right in ("searchers", "publishers"):
        narrow(elsewhere.collection, right, "Haematology")
    address = reverse(f"api:{name}", args=[chest.sha256])
    hidden, missing = (
        post(client, address, {"successor": sha256}) for sha256 in (elsewhere.sha256, MISSING)
    )
    assert_problem(hidden, 400, "There is no such document.")
    assert hidden.content == missing.content


def test_a_draft_s_page_is_not_for_clinicians(chest: Document, alice: User) -> None:
    draft = publish("# A draft", collection="chest", lifecycle=Lifecycle.DRAFT)
    address = reverse("api:page", args=[draft.sha256, 1])
    assert_problem(signed_in(alice).get(address), 404)
    assert signed_in(person("staff", STAFF)).get(address).status_code == 200


def test_an_upload_goes_only_where_one_may_add(chest: Document) -> None:
    narrow(chest.collection, "uploaders", "Haematology")
    before = Document.objects.count()
    client = signed_in(person("staff", STAFF))
    closed, missing = (upload(client, collection=slug) for slug in ("chest", "none"))
    assert_problem(closed, 400, "no such collection")
    assert closed.content == missing.content
    assert Document.objects.count() == before


def test_bytes_that_are_hidden_are_not_named(chest: Document) -> None:
    content = b"# New guideline\n\nGive 5 mg once."
    hidden = publish("# Hidden", collection="blood", sha256=hashlib.sha256(content).hexdigest())
    client = signed_in(person("staff", STAFF))
    assert_problem(upload(client), 409, "Hidden")
    for right in ("searchers", "uploaders", "publishers"):
        narrow(hidden.collection, right, "Haematology")
    problem = assert_problem(upload(client), 422, "It can't be added here.")
    assert "Hidden" not in str(problem)
    assert "before" not in str(problem)


def test_bytes_of_a_withdrawn_document_say_when_and_why(chest: Document) -> None:
    content = b"# New guideline\n\nGive 5 mg once."
    at = datetime.datetime(2026, 5, 3, 12, tzinfo=datetime.UTC)
    withdrawn = publish(
        "# Old",
        sha256=hashlib.sha256(content).hexdigest(),
        lifecycle="WITHDRAWN",
        withdrawn_at=at,
        withdrawn_reason="The dose was wrong.",
    )
    client = signed_in(person("staff", STAFF))
    said = "withdrawn on 3 May 2026: The dose was wrong. Nothing was stored."
    problem = assert_problem(upload(client), 409, said)
    assert "put that document back in force" in problem["detail"]
    assert withdrawn.title in problem["detail"]
