"""Test the administration of documents over HTTP, as corpus staff use it."""

import datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

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

LIST = reverse("admin:corpus_document_changelist")
PROGRESS = reverse("admin:corpus_document_progress")


def member(user: User, *groups: str) -> Client:
    User.objects.filter(pk=user.pk).update(is_staff=True)
    user.groups.set(Group.objects.filter(name__in=groups))
    client = Client()
    client.force_login(User.objects.get(pk=user.pk))
    return client


@pytest.fixture
def staff(alice: User) -> Client:
    return member(alice, STAFF, PUBLISHERS)


def documents(count: int, **fields: Any) -> list[Document]:
    shelf, _ = Collection.objects.get_or_create(slug="chest", defaults={"name": "Chest"})
    uploader, _ = User.objects.get_or_create(username="uploader")
    made = [
        Document.objects.create(
            **{
                "sha256": f"{number:064x}",
                "title": f"Guideline {number}",
                "filename": "a.md",
                "size_bytes": 1,
                "collection": shelf,
                "uploaded_by": uploader,
                **fields,
            }
        )
        for number in range(count)
    ]
    Job.objects.bulk_create(Job(document=document) for document in made)
    Page.objects.bulk_create(
        Page(document=document, number=1, text="a", blocks=[], width=0, height=0)
        for document in made
    )
    return made


def page_of(name: str, *args: object) -> str:
    return reverse(f"admin:corpus_document_{name}", args=args)


def act(client: Client, action: str, chosen: list[Document], **answers: Any) -> Any:
    form = {"action": action, "_selected_action": [document.pk for document in chosen], **answers}
    return client.post(LIST, form, follow=True)


def test_a_list_of_100_costs_a_fixed_number_of_queries(
    staff: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    documents(100)
    with django_assert_max_num_queries(12):
        response = staff.get(LIST)
    assert response.content.count(b'<div id="job-') == 100


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
    assert b"The PDF is &lt;encrypted&gt;." in staff.get(LIST).content


def test_the_list_asks_for_progress_until_nothing_is_at_work(staff: Client) -> None:
    document = documents(2)[0]
    Job.objects.filter(document=document).update(
        state=JobState.RUNNING, stage=Stage.CHUNKED, done=1, total=9
    )
    assert PROGRESS in staff.get(LIST).content.decode()
    response = staff.post(PROGRESS, {"pk": [str(document.pk), "x", ""]})
    content = response.content.decode()
    assert "Encoding 1/9" in content
    assert 'hx-swap-oob="true"' in content
    assert f'name="pk" value="{document.pk}"' in content
    assert "load delay" in content
    Job.objects.update(state=JobState.DONE)
    content = staff.post(PROGRESS, {"pk": document.pk}).content.decode()
    assert "load delay" not in content
    assert 'name="pk"' not in content


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


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"q": "guideline 1"}, 1),
        ({"q": "0" * 63 + "2"}, 1),
        ({"lifecycle__exact": "PUBLISHED"}, 0),
        ({"job__state__exact": "PENDING"}, 3),
        ({"attention": "failed"}, 0),
        ({"source_type__exact": "guideline"}, 3),
    ],
)
def test_the_list_is_searched_and_filtered(
    query: dict[str, str], shown: int, staff: Client
) -> None:
    documents(3)
    assert staff.get(LIST, query).content.count(b'<div id="job-') == shown


def test_many_drafts_are_published_after_a_question(staff: Client, alice: User) -> None:
    chosen = documents(7)
    asked = act(staff, "publish", chosen)
    assert b"Clinicians get answers from these documents" in asked.content
    assert not Document.objects.exclude(lifecycle=Lifecycle.DRAFT).exists()
    done = act(staff, "publish", chosen, confirmed="yes")
    assert b"Published: 7 documents." in done.content
    assert Document.objects.filter(lifecycle=Lifecycle.PUBLISHED, published_by=alice).count() == 7
    entries = LogEntry.objects.order_by("object_id")
    assert [entry.object_id for entry in entries] == [str(document.pk) for document in chosen]
    assert {entry.change_message for entry in entries} == {"Published."}


def test_one_draft_leads_to_the_page_that_shows_what_to_check(staff: Client) -> None:
    (document,) = documents(1)
    asked = act(staff, "publish", [document])
    assert asked.redirect_chain[-1][0] == page_of("approve", document.pk)


def test_many_at_once_are_looked_at_where_the_parser_was_unsure(staff: Client) -> None:
    chosen = documents(2)
    doubt = {"code": "order", "message": "The order is unsure.", "start": 0, "end": 0}
    chosen[0].pages.create(number=2, text="a", blocks=[], width=0, height=0, doubts=[doubt])
    asked = act(staff, "publish", chosen, confirmed="yes")
    assert b"Look at these pages first, then tick the box." in asked.content
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
    board = Group.objects.create(name="Board")
    closed = Collection.objects.create(slug="closed", name="Closed")
    closed.publishers.add(board)
    Document.objects.filter(pk=chosen[0].pk).update(collection=closed)
    response = act(staff, "publish", chosen, confirmed="yes")
    assert (
        b"Not changed: 1 document in collections where you have no right to do this."
        in response.content
    )
    assert list(Document.objects.filter(lifecycle=Lifecycle.PUBLISHED)) == [chosen[1]]


def test_what_can_not_be_withdrawn_is_told_and_stops_no_other(staff: Client) -> None:
    draft, published = documents(2)
    Document.objects.filter(pk=published.pk).update(lifecycle=Lifecycle.PUBLISHED)
    response = act(staff, "withdraw", [draft, published], confirmed="yes", reason="Wrong dose.")
    assert "Only a document that is published can become withdrawn" in response.content.decode()
    assert Document.objects.filter(lifecycle=Lifecycle.WITHDRAWN).count() == 1
    assert LogEntry.objects.count() == 1


def test_what_failed_or_was_read_is_read_again(staff: Client) -> None:
    failed, read, waiting = documents(3)
    Job.objects.filter(document=failed).update(state=JobState.FAILED, attempts=3)
    Job.objects.filter(document=read).update(state=JobState.DONE, stage=Stage.INDEXED)
    response = act(staff, "read_again", [failed, read, waiting])
    assert b"Queued to be read again: Guideline 0." in response.content
    assert b"The document is being ingested at the moment." in response.content
    jobs = Job.objects.filter(document__in=[failed, read])
    assert {(job.state, job.stage, job.attempts) for job in jobs} == {
        (JobState.PENDING, Stage.STORED, 0)
    }
    assert set(LogEntry.objects.values_list("change_message", flat=True)) == {
        "Queued to be read again."
    }


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
    locked = "The PDF is protected by a password. Save it without a password and upload it again."
    Job.objects.update(state=JobState.FAILED, error_code="pdf_encrypted", last_error=locked)
    for name, more in (("changelist", ""), ("change", "Discard"), ("approve", "upload it again")):
        address = LIST if name == "changelist" else page_of(name, document.pk)
        content = staff.get(address).content.decode()
        assert "Read again</button>" not in content
        assert locked in content
        assert more in content


def test_reading_again_has_one_name(staff: Client) -> None:
    (document,) = documents(1)
    Job.objects.update(state=JobState.FAILED)
    for address in (LIST, page_of("change", document.pk)):
        content = staff.get(address).content
        assert b"Read again<" in content
        assert b"Retry" not in content
        assert b"Parse again" not in content


def test_editing_writes_what_was_edited_and_nothing_else(staff: Client) -> None:
    (document,) = documents(1)
    address = reverse("admin:corpus_document_change", args=[document.pk])
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
    content = staff.get(page_of("change", document.pk)).content.decode()
    assert page_of("read", document.pk, 1) in content
    assert "?show=c0#p1-c0" in content
    assert page_of("original", document.pk) in content
    assert 'name="sha256"' not in content
    assert 'name="lifecycle"' not in content
    assert document.sha256 in content


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
    content = staff.get(page_of("change", document.pk)).content.decode()
    assert [word for word in words if word not in content] == []
    assert [word for word in missing if word in content] == []


def test_a_step_is_a_button_that_needs_no_javascript(staff: Client) -> None:
    (document,) = documents(1)
    address = page_of("step", document.pk, "submit")
    assert staff.get(address).status_code == 405
    response = staff.post(address, follow=True)
    assert b"Sent to review: Guideline 0." in response.content
    document.refresh_from_db()
    assert document.lifecycle == Lifecycle.REVIEW
    again = staff.post(address, follow=True)
    assert b"Only a document that is draft can become in review" in again.content
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
        address = reverse("admin:corpus_document_delete", args=[document.pk])
        assert client.post(address, {"post": "yes"}).status_code == 403
        act(client, "delete_selected", [document], post="yes")
    assert Document.objects.filter(pk=document.pk).exists()


def test_an_auditor_reads_and_changes_nothing(bob: User) -> None:
    auditor = member(bob, AUDITORS)
    (document,) = documents(1)
    assert auditor.get(LIST).status_code == 200
    address = reverse("admin:corpus_document_change", args=[document.pk])
    assert b'name="title"' not in auditor.get(address).content
    assert auditor.post(address, {"title": "Mine"}).status_code == 403
    for action in ("publish", "withdraw", "read_again", "submit", "set_review_date"):
        act(auditor, action, [document], confirmed="yes", reason="x")
    assert auditor.get(reverse("admin:corpus_document_add")).status_code == 403
    document.refresh_from_db()
    assert (document.title, document.lifecycle) == ("Guideline 0", Lifecycle.DRAFT)


def test_the_list_says_when_no_worker_is_alive(staff: Client) -> None:
    assert b"No worker is alive" in staff.get(LIST).content


def test_the_list_says_what_a_worker_cannot_do(staff: Client) -> None:
    WorkerHeartbeat.objects.create(name="a", seen_at=Now(), detail={"faults": ["Nothing & no."]})
    WorkerHeartbeat.objects.create(
        name="gone", seen_at=Now() - datetime.timedelta(minutes=1), detail={"faults": ["Old."]}
    )
    shown = staff.get(LIST).content
    assert b"Nothing &amp; no." in shown
    assert b"Old." not in shown


def test_what_is_not_read_yet_is_not_published(staff: Client) -> None:
    """Nobody can have looked at it, whatever is ticked."""
    chosen = documents(2)
    Page.objects.filter(document=chosen[0]).delete()
    done = act(staff, "publish", chosen, confirmed="yes")
    assert "has not been read yet" in done.content.decode()
    published = Document.objects.filter(lifecycle=Lifecycle.PUBLISHED)
    assert [document.pk for document in published] == [chosen[1].pk]
    asked = staff.get(page_of("approve", chosen[0].pk))
    assert "there is nothing to check" in asked.content.decode()


def test_what_took_the_place_of_a_guideline_is_not_named_to_whom_it_is_closed(
    staff: Client,
) -> None:
    old, new = documents(2, lifecycle=Lifecycle.PUBLISHED)
    closed = Collection.objects.create(slug="closed", name="Closed")
    for right in (closed.searchers, closed.uploaders, closed.publishers):
        right.add(Group.objects.create(name=f"Board {right.through.__name__}"))
    Document.objects.filter(pk=new.pk).update(title="Secret dose", collection=closed)
    Document.objects.filter(pk=old.pk).update(lifecycle=Lifecycle.SUPERSEDED, superseded_by=new)
    address = page_of("step", old.pk, "reinstate")
    asked = staff.get(address).content.decode()
    assert "Both will be in force." in asked
    assert "Secret dose" not in asked
    staff.post(address, {"reason": "Still needed."})
    history = staff.get(reverse("admin:corpus_document_history", args=[old.pk])).content.decode()
    assert f"Superseded until now by document {new.pk}." in history
    assert "Secret dose" not in history
