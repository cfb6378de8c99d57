"""Test the queue of pages in doubt: who is shown which, ticks that are kept, and publication."""

import json
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from chat.models import AuditEvent
from corpus.models import Document, Job, JobState, Lifecycle, Page
from corpus.review.words_found import PagesNotReviewed
from corpus.services.corrections import correction_make
from corpus.services.lifecycle import document_approve
from medrag_site.groups import CLINICIANS, PUBLISHERS, STAFF
from tests.chat.guidelines import BLOCKS, TEXT, publish_guideline
from tests.corpus.admin.test_admin import LIST, act, closed_shelf, member, page_of
from tests.corpus.admin.test_admin import lifecycle_of as state_of
from tests.people import client_of

QUEUE = page_of("doubted")
VALUE = {
    "code": "sign_misread",
    "message": "A sign was probably misread.",
    "start": 0,
    "end": 4,
    "grade": "value",
}
STRUCTURE = {**VALUE, "code": "order", "message": "The order is unsure.", "grade": "structure"}


@pytest.fixture
def publisher(bob: User) -> Client:
    return member(bob, PUBLISHERS, STAFF)


def deck(title: str, *, doubted: int, **fields: Any) -> Document:
    """Make a document of which so many pages have a value in doubt, and one more has not."""
    document = publish_guideline(**{"title": title, "lifecycle": Lifecycle.REVIEW, **fields})
    document.pages.update(doubts=[VALUE])
    for number in range(2, doubted + 2):
        doubt = VALUE if number <= doubted else STRUCTURE
        named = {"text": TEXT, "blocks": BLOCKS, "width": 595, "height": 842, "doubts": [doubt]}
        document.pages.create(number=number, **named)
    return document


def opened(client: Client) -> Any:
    """Open the queue and return the page that it leads to."""
    return client.get(QUEUE, follow=True)


def at(response: Any) -> tuple[int, int]:
    shown = response.context["reading"].page
    return shown.document_id, shown.number


def ticks(client: Client, shown: Any, **more: str) -> Any:
    """Press the button of the page that is shown."""
    form = {"seen": shown.context["seen"], **more}
    return client.post(page_of("look", *at(shown)), form, follow=True)


def looked(document: Document) -> list[int]:
    return list(document.pages.filter(looked=True).values_list("number", flat=True))


def content(response: Any) -> str:
    return str(response.content.decode())


def test_pages_are_shown_one_after_another_over_all_documents(publisher: Client) -> None:
    first, second = deck("First", doubted=2), deck("Second", doubted=1)
    shown = opened(publisher)
    places = [at(shown)]
    assert "<strong>3</strong> pages of <strong>2</strong> documents left, 2 of them" in content(
        shown
    )
    assert "A sign was probably misread." in content(shown)
    assert 'class="doubtful on"' in content(shown)  # the place on the picture
    for _ in range(2):
        shown = publisher.get(page_of("doubted_page", *_keys(shown.context["after"])))
        places.append(at(shown))
    assert places == [(first.pk, 1), (first.pk, 2), (second.pk, 1)]
    assert _keys(shown.context["after"]) == places[0]  # what was passed over comes again
    assert _keys(shown.context["before"]) == places[1]
    assert not Page.objects.filter(looked=True).exists()


def _keys(queued: Any) -> tuple[int, int]:
    return queued.document, queued.number


def test_a_tick_is_kept_at_once_with_who_and_when(publisher: Client, bob: User) -> None:
    document = deck("First", doubted=2)
    shown = ticks(publisher, opened(publisher))
    assert at(shown) == (document.pk, 2)
    page = document.pages.get(number=1)
    assert (page.looked, page.looked_by) == (True, bob)
    assert page.looked_at is not None
    event = AuditEvent.objects.get(action="page.looked")
    assert (event.subject, json.loads(event.payload)["page"]) == (f"document:{document.pk}", 1)
    later = opened(signed_in(bob))
    assert at(later) == (document.pk, 2)
    approve = content(publisher.get(page_of("approve", document.pk)))
    assert "Looked at by bob" in approve
    assert 'name="looked" value="1"' not in approve
    assert 'name="looked" value="2" required' in approve


def signed_in(user: User) -> Client:
    return client_of(user)


def test_after_the_last_page_the_document_is_offered_and_published(publisher: Client) -> None:
    document, other = deck("First", doubted=2), deck("Other", doubted=1)
    shown = ticks(publisher, ticks(publisher, opened(publisher)))
    assert shown.redirect_chain[-1][0] == f"{page_of('approve', document.pk)}?queue=1"
    assert "All 2 pages in doubt were looked at" in content(shown)
    assert "Looked at by" not in content(shown)
    every = publisher.get(page_of("approve", document.pk), {"pages": ""})
    assert content(every).count("Looked at by bob") == 2
    assert state_of(document) == Lifecycle.REVIEW
    after = publisher.post(
        page_of("approve", document.pk), {"other": "", "queue": "yes"}, follow=True
    )
    assert state_of(document) == Lifecycle.PUBLISHED
    assert at(after) == (other.pk, 1)
    assert LogEntry.objects.get().change_message == "Published after a look at page 1, 2."


def test_the_last_page_can_be_ticked_and_published_with_one_press(publisher: Client) -> None:
    document = deck("First", doubted=2)
    shown = opened(publisher)
    assert "and publish the document" not in content(shown)
    shown = ticks(publisher, shown)
    assert "and publish the document" in content(shown)
    done = ticks(publisher, shown, publish="yes")
    assert state_of(document) == Lifecycle.PUBLISHED
    assert "No page waits for your look" in content(done)
    assert looked(document) == [1, 2]


def test_what_has_more_to_decide_is_not_published_with_one_press(publisher: Client) -> None:
    """A likely earlier version asks whether it is replaced, so the page to check is opened."""
    publish_guideline(title="Pneumonia in adults", version="1", sha256="0" * 64)
    document = deck("Pneumonia in adults", doubted=1, version="2", sha256="1" * 64)
    shown = opened(publisher)
    assert "and publish the document" not in content(shown)
    done = ticks(publisher, shown, publish="yes")
    assert done.redirect_chain[-1][0] == f"{page_of('approve', document.pk)}?queue=1"
    assert (state_of(document), looked(document)) == (Lifecycle.REVIEW, [1])


def test_a_tick_is_taken_back(publisher: Client, bob: User) -> None:
    document = deck("First", doubted=2)
    shown = ticks(publisher, opened(publisher))
    back = publisher.get(page_of("doubted_page", *_keys(shown.context["before"])))
    assert "Looked at by bob" in content(back)
    again = publisher.post(page_of("look_again", *at(back)), follow=True)
    assert at(again) == (document.pk, 1)
    assert looked(document) == []
    assert AuditEvent.objects.filter(action="page.look_taken_back").count() == 1
    with pytest.raises(PagesNotReviewed, match="page"):
        document_approve(document, by=bob, today=timezone.localdate())


def test_what_was_read_again_meanwhile_is_not_ticked(publisher: Client) -> None:
    document = deck("First", doubted=1)
    shown = opened(publisher)
    document.pages.filter(number=1).update(text="Give 50 mg.")
    refused = ticks(publisher, shown)
    assert "was read again or corrected" in content(refused)
    assert looked(document) == []


def test_a_correction_asks_for_another_look(publisher: Client, bob: User, alice: User) -> None:
    document = deck("First", doubted=2)
    ticks(publisher, opened(publisher))
    assert looked(document) == [1]
    block = document.pages.get(number=1).blocks[1]
    start, end = block["start"], block["end"]
    correction_make(
        document,
        page=1,
        block=1,
        cell=None,
        as_read=TEXT[start:end],
        text="Give 5 mg.",
        reason="Misread.",
        by=alice,
    )
    assert looked(document) == []


def test_only_who_may_publish_it_sees_and_ticks_its_pages(
    publisher: Client, alice: User, mallory: User
) -> None:
    document, closed = deck("First", doubted=1), deck("Closed", doubted=1)
    Document.objects.filter(pk=closed.pk).update(collection=closed_shelf())
    seen = opened(publisher)
    assert at(seen) == (document.pk, 1)
    assert "of <strong>1</strong> document left" in content(seen)
    form = {"seen": seen.context["seen"]}
    assert publisher.get(page_of("doubted_page", closed.pk, 1)).status_code == 404
    assert publisher.post(page_of("look", closed.pk, 1), form).status_code == 404
    for client in (member(alice, STAFF), member(mallory, CLINICIANS)):
        assert client.get(QUEUE).status_code == 403
        assert client.get(page_of("doubted_page", document.pk, 1)).status_code in (403, 404)
        for name in ("look", "look_again"):
            assert client.post(page_of(name, document.pk, 1), form).status_code in (403, 404)
    assert not Page.objects.filter(looked=True).exists()


def test_a_second_person_looks_where_the_site_says_so(
    publisher: Client, bob: User, mallory: User, settings: Settings
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    own = deck("Own", doubted=1, uploaded_by=bob)
    assert "No page waits for your look" in content(opened(publisher))
    told = publisher.get(page_of("doubted_page", own.pk, 1), follow=True)
    assert "second person" in content(told)
    refused = publisher.post(page_of("look", own.pk, 1), {"seen": "x"}, follow=True)
    assert "second person" in content(refused)
    assert looked(own) == []
    colleague = member(mallory, PUBLISHERS)
    done = ticks(colleague, opened(colleague), publish="yes")
    assert done.status_code == 200
    assert state_of(own) == Lifecycle.PUBLISHED


def test_values_of_what_is_published_are_ticked_there_too(publisher: Client) -> None:
    document = deck("First", doubted=1, lifecycle=Lifecycle.PUBLISHED)
    shown = opened(publisher)
    assert "is not quoted until its page is ticked" in content(shown)
    done = ticks(publisher, shown)
    assert "No page waits for your look" in content(done)
    assert looked(document) == [1]
    back = publisher.get(page_of("doubted_page", document.pk, 1))
    assert "Take the tick back" in content(back)


def test_what_failed_and_poor_scans_and_lost_words(publisher: Client) -> None:
    failed, scanned, lost = (deck(title, doubted=1) for title in ("Failed", "Scan", "Lost"))
    Page.objects.update(doubts=[])
    failed.pages.update(doubts=[VALUE])
    Job.objects.filter(document=failed).update(state=JobState.FAILED)
    scanned.pages.filter(number=2).update(ocr_confidence=0.5)
    lost.pages.update(words_found=1, words_checked=100)
    places = [at(opened(publisher))]
    shown = opened(publisher)
    while _keys(shown.context["after"]) not in places:
        shown = publisher.get(page_of("doubted_page", *_keys(shown.context["after"])))
        places.append(at(shown))
    assert places == [(scanned.pk, 2), (lost.pk, 1), (lost.pk, 2)]
    # Words that a new reading loses are looked at anew.
    lost.pages.update(looked=True, looked_at=None)
    assert "<strong>3</strong> pages" in content(opened(publisher))
    lost.pages.update(looked_at=timezone.now())
    assert "<strong>1</strong> page of" in content(opened(publisher))


def test_the_list_and_the_start_page_lead_there(publisher: Client, alice: User) -> None:
    for address in (LIST, "/admin/"):
        assert QUEUE not in content(publisher.get(address))
    deck("First", doubted=3)
    assert "Pages in doubt (3)" in content(publisher.get(LIST))
    assert "<strong>3</strong> pages in doubt to compare" in content(publisher.get("/admin/"))
    staff = member(alice, STAFF)
    for address in (LIST, "/admin/"):
        assert QUEUE not in content(staff.get(address))


def test_many_pages_cost_no_more_queries(
    publisher: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    document = deck("First", doubted=30)
    with django_assert_max_num_queries(25):
        publisher.get(page_of("doubted_page", document.pk, 1))


def test_on_a_documents_pages_one_steps_through_those_in_doubt(publisher: Client) -> None:
    document = deck("First", doubted=1)
    named = {"text": TEXT, "blocks": BLOCKS, "width": 595, "height": 842}
    document.pages.create(number=3, **named, doubts=[VALUE])
    every = content(publisher.get(page_of("read", document.pk, 1)))
    assert f'rel="next" href="{page_of("read", document.pk, 2)}"' in every
    doubted = content(publisher.get(page_of("read", document.pk, 1), {"doubted": ""}))
    assert f'rel="next" href="{page_of("read", document.pk, 3)}?doubted"' in doubted
    last = content(publisher.get(page_of("read", document.pk, 3), {"doubted": ""}))
    assert f'rel="prev" href="{page_of("read", document.pk, 1)}?doubted"' in last
    assert 'rel="next"' not in last


def test_what_many_at_once_were_refused_is_told_by_name(publisher: Client) -> None:
    fine, *doubted = deck("Fine", doubted=1), *(deck(f"Deck {n}", doubted=1) for n in range(7))
    fine.pages.update(doubts=[])
    told = content(act(publisher, "publish", [fine, *doubted], confirmed="yes", looked="on"))
    assert state_of(fine) == Lifecycle.PUBLISHED
    for document in doubted:
        assert state_of(document) == Lifecycle.REVIEW
        assert f"of “{document}” was probably misread" in told
