"""Test the administration of documents over HTTP, as corpus staff use it."""

import datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from corpus.admin.progress import JobCell
from corpus.models import (
    Collection,
    Document,
    Job,
    JobState,
    Lifecycle,
    Page,
    Stage,
    WorkerHeartbeat,
)
from medrag_site.groups import AUDITORS, PUBLISHERS, STAFF
from tests.chat.guidelines import publish_guideline
from tests.people import client_of

LIST = reverse("admin:corpus_document_changelist")
PROGRESS = reverse("admin:corpus_document_progress")


def member(user: User, *groups: str) -> Client:
    User.objects.filter(pk=user.pk).update(is_staff=True)
    user.groups.set(Group.objects.filter(name__in=groups))
    return client_of(User.objects.get(pk=user.pk))


@pytest.fixture
def staff(alice: User) -> Client:
    return member(alice, STAFF, PUBLISHERS)


def documents(count: int, **fields: Any) -> list[Document]:
    shelf, _ = Collection.objects.get_or_create(slug="chest", defaults={"name": "Chest"})
    uploader, _ = User.objects.get_or_create(username="uploader")
    values = {"filename": "a.md", "size_bytes": 1, "collection": shelf, "uploaded_by": uploader}
    made = []
    for number in range(count):
        named = {"sha256": f"{number:064x}", "title": f"Guideline {number}"}
        made.append(Document.objects.create(**(values | named | fields)))
    Job.objects.bulk_create(Job(document=document) for document in made)
    for document in made:
        document.pages.create(number=1, text="a", blocks=[], width=0, height=0)
    return made


def closed_shelf(name: str = "Closed") -> Collection:
    """Make a collection of which every right is narrowed to a group without members."""
    shelf = Collection.objects.create(slug="closed", name=name)
    for right in (shelf.searchers, shelf.uploaders, shelf.publishers):
        right.add(Group.objects.get_or_create(name="Board")[0])
    return shelf


def lifecycle_of(document: Document) -> str:
    return Document.objects.values_list("lifecycle", flat=True).get(pk=document.pk)


def page(client: Client, name: str, *args: object, **query: str) -> str:
    return client.get(page_of(name, *args), query).content.decode()


def page_of(name: str, *args: object) -> str:
    return reverse(f"admin:corpus_document_{name}", args=args)


def act(client: Client, action: str, chosen: list[Document], **answers: Any) -> Any:
    form = {"action": action, "_selected_action": [document.pk for document in chosen], **answers}
    return client.post(LIST, form, follow=True)


@pytest.mark.parametrize(
    ("state", "stage", "done", "total", "text"),
    [
        (JobState.PENDING, Stage.STORED, 0, 0, "Waiting"),
        (JobState.RUNNING, Stage.STORED, 0, 0, "Reading"),
        (JobState.RUNNING, Stage.CHUNKED, 32, 120, "Encoding 32/120"),
        (JobState.DONE, Stage.INDEXED, 120, 120, "Read"),
        (JobState.FAILED, Stage.PARSED, 0, 0, "Failed"),
    ],
)
def test_progress_is_told_in_words(
    state: str, stage: str, done: int, total: int, text: str
) -> None:
    document = Document(pk=1)
    document.job = Job(state=state, stage=stage, done=done, total=total, last_error="Why.")
    cell = JobCell.of(document)
    assert cell.text == text
    assert cell.error == ("" if state == JobState.DONE else "Why.")
    assert cell.is_active == (state in (JobState.PENDING, JobState.RUNNING))


def test_the_reason_of_a_failure_stands_in_the_list(staff: Client) -> None:
    documents(1)
    Job.objects.update(state=JobState.FAILED, last_error="The PDF is <encrypted>.")
    assert "The PDF is &lt;encrypted&gt;." in page(staff, "changelist")


def test_the_list_asks_for_progress_until_nothing_is_at_work(staff: Client) -> None:
    document = documents(2)[0]
    works = {"state": JobState.RUNNING, "stage": Stage.CHUNKED, "done": 1, "total": 9}
    Job.objects.filter(document=document).update(**works)
    assert PROGRESS in page(staff, "changelist")
    content = staff.post(PROGRESS, {"pk": [str(document.pk), "x", ""]}).content.decode()
    asks = f'name="pk" value="{document.pk}"'
    for part in ("Encoding 1/9", 'hx-swap-oob="true"', asks, "load delay"):
        assert part in content
    Job.objects.update(state=JobState.DONE)
    content = staff.post(PROGRESS, {"pk": document.pk}).content.decode()
    assert "load delay" not in content and 'name="pk"' not in content


def test_progress_shows_each_step() -> None:
    document = Document(pk=1)
    document.job = Job(state=JobState.FAILED, stage=Stage.PARSED)
    marks = [(step.name, step.state) for step in JobCell.of(document).steps]
    assert marks == [
        ("stored", "done"),
        ("read", "done"),
        ("cut into passages", "failed"),
        ("encoded", "ahead"),
        ("indexed", "ahead"),
    ]


def test_many_drafts_are_published_after_a_question(staff: Client, alice: User) -> None:
    chosen = documents(7)
    asked = act(staff, "publish", chosen)
    assert b'name="confirmed"' in asked.content
    assert not Document.objects.exclude(lifecycle=Lifecycle.DRAFT).exists()
    act(staff, "publish", chosen, confirmed="yes")
    assert Document.objects.filter(lifecycle=Lifecycle.PUBLISHED, published_by=alice).count() == 7
    entries = LogEntry.objects.values_list("object_id", "change_message")
    assert set(entries) == {(str(document.pk), "Published.") for document in chosen}
    assert len(entries) == 7


def test_one_draft_leads_to_the_page_that_shows_what_to_check(staff: Client) -> None:
    (document,) = documents(1)
    asked = act(staff, "publish", [document])
    assert asked.redirect_chain[-1][0] == page_of("approve", document.pk)


def test_many_at_once_are_looked_at_where_the_parser_was_unsure(staff: Client) -> None:
    chosen = documents(2)
    scan = {"number": 2, "text": "a", "blocks": [], "width": 0, "height": 0}
    chosen[0].pages.create(**scan, ocr_confidence=0.5)
    asked = act(staff, "publish", chosen, confirmed="yes")
    assert b'name="looked"' in asked.content
    assert not Document.objects.filter(lifecycle=Lifecycle.PUBLISHED).exists()
    act(staff, "publish", chosen, confirmed="yes", looked="on")
    assert Document.objects.filter(lifecycle=Lifecycle.PUBLISHED).count() == 2


def test_many_get_a_review_date(staff: Client) -> None:
    chosen = documents(2)
    again = act(staff, "set_review_date", chosen, confirmed="yes", review_by="someday")
    assert b"Enter a valid date." in again.content
    act(staff, "set_review_date", chosen, confirmed="yes", review_by="2031-05-01")
    dates = set(Document.objects.values_list("review_by", flat=True))
    assert dates == {datetime.date(2031, 5, 1)}


def test_what_others_may_publish_is_left_out(staff: Client) -> None:
    """The collection is narrowed to a group without this person."""
    chosen = documents(2)
    closed = Collection.objects.create(slug="closed", name="Closed")
    closed.publishers.add(Group.objects.create(name="Board"))
    Document.objects.filter(pk=chosen[0].pk).update(collection=closed)
    response = act(staff, "publish", chosen, confirmed="yes")
    told = f"Not changed: “{chosen[0]}”. You have no right to do this in its collection."
    assert told in response.content.decode()
    assert list(Document.objects.filter(lifecycle=Lifecycle.PUBLISHED)) == [chosen[1]]


def test_what_can_not_be_withdrawn_is_told_and_stops_no_other(staff: Client) -> None:
    draft, published = documents(2)
    Document.objects.filter(pk=published.pk).update(lifecycle=Lifecycle.PUBLISHED)
    response = act(staff, "withdraw", [draft, published], confirmed="yes", reason="Wrong dose.")
    assert "can become withdrawn" in response.content.decode()
    assert lifecycle_of(published) == Lifecycle.WITHDRAWN
    assert (lifecycle_of(draft), LogEntry.objects.count()) == (Lifecycle.DRAFT, 1)


def test_what_failed_or_was_read_is_read_again(staff: Client) -> None:
    failed, read, waiting = documents(3)
    Job.objects.filter(document=failed).update(state=JobState.FAILED, attempts=3)
    Job.objects.filter(document=read).update(state=JobState.DONE, stage=Stage.INDEXED)
    response = act(staff, "read_again", [failed, read, waiting])
    assert b"being ingested" in response.content  # the one that waits
    jobs = Job.objects.filter(document__in=[failed, read])
    assert {(job.state, job.stage, job.attempts) for job in jobs} == {
        (JobState.PENDING, Stage.STORED, 0)
    }
    assert LogEntry.objects.filter(change_message="Queued to be read again.").count() == 2


@pytest.mark.parametrize(
    ("stage", "left"),
    [(Stage.PARSED, Stage.STORED), (Stage.CHUNKED, Stage.CHUNKED), (Stage.EMBEDDED,) * 2],
)
def test_what_failed_after_the_cutting_is_not_read_from_its_file(
    stage: Stage, left: Stage, staff: Client
) -> None:
    document = publish_guideline()
    Job.objects.update(state=JobState.FAILED, stage=stage)
    staff.post(page_of("step", document.pk, "read_again"))
    job = Job.objects.get()
    assert (job.state, job.stage) == (JobState.PENDING, left)


def test_a_locked_file_is_not_offered_to_be_read_again(staff: Client) -> None:
    (document,) = documents(1)
    pages = ("changelist",), ("change", document.pk), ("approve", document.pk)
    Job.objects.update(state=JobState.FAILED, last_error="The PDF is locked.")
    for name, *args in pages[:2]:
        assert "Read again<" in page(staff, str(name), *args)
    Job.objects.update(error_code="pdf_encrypted")
    for name, *args in pages:
        content = page(staff, str(name), *args)
        assert "Read again</button>" not in content and "The PDF is locked." in content
    assert "Discard" in page(staff, "change", document.pk)


def test_editing_writes_what_was_edited_and_nothing_else(staff: Client) -> None:
    (document,) = documents(1)
    address = page_of("change", document.pk)
    form = dict(staff.get(address).context["adminform"].form.initial)
    Document.objects.update(page_count=7)  # by a worker, meanwhile
    form = {name: value if value is not None else "" for name, value in form.items()}
    form |= {"title": "A better title", "effective_from": "", "review_by": ""}
    response = staff.post(address, form, follow=True)
    document.refresh_from_db()
    assert (document.title, document.page_count) == ("A better title", 7)
    assert b"indexed again" in response.content
    assert LogEntry.objects.get().object_id == str(document.pk)


def test_what_was_read_is_shown_with_links_to_the_passage_view(staff: Client) -> None:
    document = publish_guideline()
    content = page(staff, "change", document.pk)
    links = page_of("read", document.pk, 1), page_of("original", document.pk)
    assert [
        part for part in (*links, "?show=c0#p1-c0", document.sha256) if part not in content
    ] == []
    assert 'name="sha256"' not in content and 'name="lifecycle"' not in content


@pytest.mark.parametrize(
    ("lifecycle", "words", "missing"),
    [
        (Lifecycle.DRAFT, ["Send to review", "Check and publish"], ["Withdraw", "Send back"]),
        (Lifecycle.REVIEW, ["Check and publish", "Send back"], ["Withdraw", "Send to review"]),
        (Lifecycle.PUBLISHED, ["Withdraw", "Mark as superseded"], ["Check and publish…"]),
        (Lifecycle.WITHDRAWN, ["Put back in force"], ["Withdraw…", "Check and publish…"]),
        (Lifecycle.SUPERSEDED, ["Put back in force"], ["Withdraw…", "Mark as superseded…"]),
    ],
)
def test_the_arrows_that_are_possible_now_stand_on_the_page(
    lifecycle: str, words: list[str], missing: list[str], staff: Client
) -> None:
    (document,) = documents(1, lifecycle=lifecycle)
    content = page(staff, "change", document.pk)
    assert [word for word in words if word not in content] == []
    assert [word for word in missing if word in content] == []


def test_a_step_is_a_button_that_needs_no_javascript(staff: Client) -> None:
    (document,) = documents(1)
    address = page_of("step", document.pk, "submit")
    assert staff.get(address).status_code == 405
    assert b"Sent to review" in staff.post(address, follow=True).content
    assert lifecycle_of(document) == Lifecycle.REVIEW
    assert b"can become in review" in staff.post(address, follow=True).content
    assert staff.post(page_of("step", document.pk, "explode")).status_code == 404


def test_read_again_answers_htmx_with_the_cell(staff: Client) -> None:
    (document,) = documents(1)
    Job.objects.update(state=JobState.FAILED, attempts=3, last_error="Why.")
    assert b"Read again</button>" in staff.get(LIST).content
    headers = {"HX-Request": "true"}
    response = staff.post(page_of("step", document.pk, "read_again"), headers=headers)
    assert response.content.count(b'<div id="job-') == 1
    assert b"Waiting" in response.content
    assert "stored" in response["HX-Trigger-After-Settle"]


def test_no_document_is_ever_deleted_here(staff: Client, admin_client: Client) -> None:
    (document,) = documents(1)
    for client in (staff, admin_client):
        assert client.post(page_of("delete", document.pk), {"post": "yes"}).status_code == 403
        act(client, "delete_selected", [document], post="yes")
    assert Document.objects.filter(pk=document.pk).exists()


def test_an_auditor_reads_and_changes_nothing(bob: User) -> None:
    auditor = member(bob, AUDITORS)
    (document,) = documents(1)
    assert auditor.get(LIST).status_code == 200
    address = page_of("change", document.pk)
    assert b'name="title"' not in auditor.get(address).content
    assert auditor.post(address, {"title": "Mine"}).status_code == 403
    for action in ("publish", "withdraw", "read_again", "submit", "set_review_date"):
        act(auditor, action, [document], confirmed="yes", reason="x")
    assert auditor.get(page_of("add")).status_code == 403
    document.refresh_from_db()
    assert (document.title, document.lifecycle) == ("Guideline 0", Lifecycle.DRAFT)


def test_the_list_says_when_no_worker_is_alive_and_what_one_cannot_do(staff: Client) -> None:
    assert "No worker is alive" in page(staff, "changelist")
    long_ago = Now() - datetime.timedelta(minutes=1)
    for name, seen_at, fault in (("a", Now(), "Nothing & no."), ("gone", long_ago, "Old.")):
        WorkerHeartbeat.objects.create(name=name, seen_at=seen_at, detail={"faults": [fault]})
    shown = page(staff, "changelist")
    assert "Nothing &amp; no." in shown and "Old." not in shown


def test_what_is_not_read_yet_is_not_published(staff: Client) -> None:
    """Nobody can have looked at it, whatever is ticked."""
    chosen = documents(2)
    Page.objects.filter(document=chosen[0]).delete()
    done = act(staff, "publish", chosen, confirmed="yes")
    assert "not been read yet" in done.content.decode()
    assert [lifecycle_of(each) for each in chosen] == [Lifecycle.DRAFT, Lifecycle.PUBLISHED]
    assert "nothing to check" in page(staff, "approve", chosen[0].pk)


def test_what_took_the_place_of_a_guideline_is_not_named_to_whom_it_is_closed(
    staff: Client,
) -> None:
    old, new = documents(2, lifecycle=Lifecycle.PUBLISHED)
    Document.objects.filter(pk=new.pk).update(title="Secret dose", collection=closed_shelf())
    Document.objects.filter(pk=old.pk).update(lifecycle=Lifecycle.SUPERSEDED, superseded_by=new)
    asked = page(staff, "step", old.pk, "reinstate")
    assert "Both will be in force." in asked and "Secret dose" not in asked
    staff.post(page_of("step", old.pk, "reinstate"), {"reason": "Still needed."})
    history = page(staff, "history", old.pk)
    assert f"by document {new.pk}." in history and "Secret dose" not in history
