"""Test the filters of the list of documents, and its queries when it is long."""

import datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from corpus.indexing.recipe import pdf_reader
from corpus.models import Collection, Document, Job, JobState, Lifecycle, Page, SourceType, Stage
from medrag_site.groups import PUBLISHERS, STAFF
from tests.chat.guidelines import publish_guideline
from tests.corpus.admin.test_admin import LIST, closed_shelf, documents, member, page_of

LONG = datetime.timedelta(minutes=11)
SHORT = datetime.timedelta(minutes=9)


@pytest.fixture
def staff(alice: User) -> Client:
    return member(alice, STAFF, PUBLISHERS)


def titles(client: Client, **query: str) -> list[str]:
    response = client.get(LIST, query)
    assert response.status_code == 200
    return sorted(document.title for document in response.context["cl"].result_list)


def change_job(document: Document, **changes: Any) -> None:
    Job.objects.filter(document=document).update(**changes)


def test_stuck_is_what_waits_or_is_silent_for_long(staff: Client) -> None:
    waits, new, silent, works, failed = documents(5)
    change_job(waits, enqueued_at=Now() - LONG)
    change_job(new, enqueued_at=Now() - SHORT)
    change_job(silent, state=JobState.RUNNING, heartbeat_at=Now() - LONG)
    change_job(works, state=JobState.RUNNING, heartbeat_at=Now(), enqueued_at=Now() - LONG)
    change_job(failed, state=JobState.FAILED, enqueued_at=Now() - LONG)
    assert titles(staff, attention="stuck") == [waits.title, silent.title]
    assert titles(staff, attention="failed") == [failed.title]
    assert titles(staff, job__state__exact="FAILED") == [failed.title]


def test_low_confidence_of_any_page_is_enough(staff: Client) -> None:
    poor, good, typed = documents(3)
    for document, confidences in ((poor, [0.99, 0.899]), (good, [0.9, 1.0]), (typed, [None])):
        for number, confidence in enumerate(confidences, start=2):
            plain = {"text": "", "blocks": [], "width": 0, "height": 0}
            document.pages.create(number=number, ocr_confidence=confidence, **plain)
    assert titles(staff, attention="scan") == [poor.title]


def test_review_is_due_for_what_is_published(staff: Client) -> None:
    past, today, near, far, draft = documents(5, lifecycle=Lifecycle.PUBLISHED)
    for document, days in ((past, -1), (today, 0), (near, 60), (far, 61), (draft, -1)):
        day = timezone.localdate() + datetime.timedelta(days=days)
        Document.objects.filter(pk=document.pk).update(review_by=day)
    Document.objects.filter(pk=draft.pk).update(lifecycle=Lifecycle.DRAFT)
    assert titles(staff, review="past") == [past.title]
    assert titles(staff, review="soon") == [today.title, near.title]


def test_unpublished_lifecycle_collection_and_kind(staff: Client) -> None:
    draft, review, published = documents(3)
    Document.objects.filter(pk=review.pk).update(lifecycle=Lifecycle.REVIEW)
    Document.objects.filter(pk=published.pk).update(
        lifecycle=Lifecycle.PUBLISHED, source_type=SourceType.ARTICLE
    )
    other = Collection.objects.create(slug="heart", name="Heart")
    Document.objects.filter(pk=draft.pk).update(collection=other)
    assert titles(staff, attention="unpublished") == [draft.title, review.title]
    assert titles(staff, lifecycle__exact="REVIEW") == [review.title]
    assert titles(staff, collection=str(other.pk)) == [draft.title]
    assert titles(staff, source_type__exact="article") == [published.title]
    assert len(titles(staff, attention="nonsense", review="x", collection="y")) == 3


def test_what_an_older_version_has_read_is_found_and_read_again(staff: Client) -> None:
    old = publish_guideline(title="Old", engine=pdf_reader())
    documents(1, indexed_at=None)
    Document.objects.filter(pk=old.pk).update(index_fingerprint="of last year")
    assert titles(staff, attention="stale") == ["Old"]
    shown = staff.get(LIST).content
    assert b"with other settings" in shown and b"read by an older version" not in shown
    assert b"Old" in staff.get(page_of("stale")).content
    staff.post(page_of("stale"))
    old.job.refresh_from_db()
    assert old.job.state == JobState.PENDING
    assert titles(staff, attention="stale") == []


@pytest.mark.parametrize("words", ["Guideline 7", "scan-7.pdf", "Issuer 7", f"{7:064x}"])
def test_search_by_title_file_issuer_and_hash(words: str, staff: Client) -> None:
    for document in documents(9):
        number = int(document.sha256, 16)
        document.filename, document.issuer = f"scan-{number}.pdf", f"Issuer {number}"
        document.save()
    assert titles(staff, q=words) == ["Guideline 7"]


def test_what_is_hidden_is_not_even_a_choice(staff: Client) -> None:
    hidden = closed_shelf("Closed shelf")
    (document,) = documents(1, collection=hidden, title="Secret plan")
    content = staff.get(LIST, {"collection": str(hidden.pk)}).content.decode()
    assert "Closed shelf" not in content and "Secret plan" not in content
    assert titles(staff, q="Secret") == []
    assert b"Closed shelf" not in staff.get("/admin/corpus/collection/").content
    member(User.objects.get(username="alice"), STAFF, "Board")
    assert titles(staff, q="Secret") == [document.title]


QUERIES: list[dict[str, str]] = [
    {},
    {"attention": "stuck"},
    {"attention": "scan"},
    {"attention": "stale"},
    {"review": "soon"},
    {"q": "Guideline 99"},
    {"collection": "", "lifecycle__exact": "DRAFT", "p": "2"},
]


@pytest.mark.parametrize("many", [250, pytest.param(10_000, marks=pytest.mark.exhaustive)])
def test_a_list_of_any_length_costs_a_fixed_number_of_queries(
    many: int, staff: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    shelf = Collection.objects.create(slug="chest", name="Chest")
    same = {"size_bytes": 1, "collection": shelf, "review_by": datetime.date(2030, 1, 1)}
    made = Document.objects.bulk_create(
        Document(sha256=f"{n:064x}", title=f"Guideline {n}", filename="a.md", **same)
        for n in range(many)
    )
    Job.objects.bulk_create(Job(document=d, state=JobState.DONE, stage=Stage.INDEXED) for d in made)
    Page.objects.bulk_create(
        Page(document=d, number=1, text="", blocks=[], width=0, height=0, ocr_confidence=0.95)
        for d in made
    )
    staff.get(LIST)  # fills the caches of the process
    for query in QUERIES:  # the collection's key differs between databases
        query = {**query, "collection": str(shelf.pk)} if "collection" in query else query
        with django_assert_max_num_queries(15 if query else 13):
            response = staff.get(LIST, query)
        assert response.status_code == 200
    listed = staff.get(LIST)
    assert listed.context["cl"].result_count == many
    assert listed.content.count(b'<div id="job-') == 100


@pytest.mark.parametrize(
    ("words", "found"), [("demonstracillin 500", 1), ("demonstracillin 750", 0)]
)
def test_search_by_words_and_numbers_of_passages(words: str, found: int, staff: Client) -> None:
    publish_guideline(title="Said")
    documents(1)
    assert len(titles(staff, q=words)) == found
