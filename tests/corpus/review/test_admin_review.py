"""Test the pages that approve, return, compare, supersede, withdraw and recall a document."""

import csv
import datetime
from io import StringIO
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from corpus.models import Collection, Document, Job, JobState, Lifecycle
from corpus.review.versions import signature
from corpus.signals import answers_citing
from corpus.types import CitingAnswer
from medrag_site.groups import AUDITORS, PUBLISHERS, STAFF
from tests.chat.guidelines import TEXT, publish_guideline
from tests.corpora import shelf
from tests.corpus.admin.test_admin import documents, member, page, page_of
from tests.corpus.admin.test_admin import lifecycle_of as state_of
from tests.people import narrow

DOUBT = {"code": "order", "message": "The reading order is unsure.", "start": 0, "end": 4}


@pytest.fixture
def publisher(bob: User) -> Client:
    return member(bob, PUBLISHERS)


@pytest.fixture
def staff(alice: User) -> Client:
    return member(alice, STAFF)


def draft(**fields: Any) -> Document:
    return publish_guideline(**{"lifecycle": Lifecycle.REVIEW, **fields})


def test_the_approver_sees_what_to_check(publisher: Client, alice: User) -> None:
    document = draft(uploaded_by=alice)
    document.pages.update(doubts=[DOUBT, DOUBT], ocr_confidence=0.85)
    content = page(publisher, "approve", document.pk)
    assert content.count("The reading order is unsure.") == 1
    ticked, look = 'name="looked" value="1" required', page_of("read", document.pk, 1)
    for part in ("confidence 85 %", f"by {alice}", ticked, look, "Look at the page in doubt"):
        assert part in content


@pytest.mark.parametrize("lifecycle", Lifecycle)
def test_only_what_waits_is_offered_for_publication(
    lifecycle: Lifecycle, publisher: Client
) -> None:
    document = draft(lifecycle=lifecycle)
    is_waiting = lifecycle in (Lifecycle.DRAFT, Lifecycle.REVIEW)
    reading = page(publisher, "read", document.pk, 1)
    assert (page_of("approve", document.pk) in reading) == is_waiting
    checking = page(publisher, "approve", document.pk)
    assert ("A new version of?" in checking) == ('value="Publish"' in checking) == is_waiting
    assert ("so there is nothing to publish" in checking) != is_waiting


def test_pages_in_doubt_are_looked_at_before_publication(publisher: Client) -> None:
    document = draft()
    document.pages.update(doubts=[DOUBT])
    document.pages.create(number=3, text="a", blocks=[], width=0, height=0, doubts=[DOUBT])
    address = page_of("approve", document.pk)
    refused = publisher.post(address, {"other": "", "looked": ["1"]})
    assert b"Compare page 3 " in refused.content
    assert state_of(document) == Lifecycle.REVIEW
    publisher.post(address, {"other": "", "looked": ["1", "3"]})
    assert state_of(document) == Lifecycle.PUBLISHED
    assert LogEntry.objects.get().change_message == "Published after a look at page 1, 3."


def test_a_new_version_supersedes_the_old_in_the_same_moment(publisher: Client, bob: User) -> None:
    old = publish_guideline(title="Pneumonia in adults", version="1", sha256="0" * 64)
    new = draft(title="Pneumonia in adults", version="2", sha256="1" * 64)
    Document.objects.update(signature=signature([TEXT]))
    content = page(publisher, "approve", new.pk)
    assert f'value="{old.pk}" checked' in content
    assert page_of("compare", new.pk, old.pk) in content
    response = publisher.post(page_of("approve", new.pk), {"other": old.pk}, follow=True)
    assert b"Superseded at the same time" in response.content
    new.refresh_from_db()
    old.refresh_from_db()
    assert (new.lifecycle, new.published_by) == (Lifecycle.PUBLISHED, bob)
    assert (old.lifecycle, old.superseded_by) == (Lifecycle.SUPERSEDED, new)
    assert "It took the place of" in page(publisher, "change", new.pk)


def test_what_a_new_version_inherits_is_told_and_can_be_changed(publisher: Client) -> None:
    old = publish_guideline(title="Old", population="adult", issuer="NICE", sha256="0" * 64)
    new = draft(title="New", population="", issuer="", sha256="1" * 64)
    assert "are inherited from it" in page(publisher, "approve", new.pk)
    done = publisher.post(page_of("approve", new.pk), {"other": old.pk}, follow=True)
    told = "Inherited from the version that it replaces: issuer, population."
    assert told in done.content.decode()
    new.refresh_from_db()
    assert (new.population, new.issuer) == ("adult", "NICE")
    assert LogEntry.objects.filter(object_id=str(new.pk), change_message=told).count() == 1
    form = publisher.get(page_of("change", new.pk)).context["adminform"].form
    helped = [name for name, field in form.fields.items() if "Inherited" in str(field.help_text)]
    assert helped == ["issuer", "population"]
    assert "Inherited from" not in page(publisher, "change", old.pk)


def test_nothing_is_chosen_where_nothing_is_sure(publisher: Client) -> None:
    publish_guideline(title="Asthma in children", population="child")
    new = draft(title="Pneumonia in adults")
    assert 'name="other" value="" checked' in page(publisher, "approve", new.pk)
    found = page(publisher, "approve", new.pk, q="asthma")
    assert "found by its title" in found and 'name="other" value="" checked' in found


def test_what_is_not_published_or_not_theirs_is_not_replaced(publisher: Client) -> None:
    new, waiting = draft(title="New"), draft(title="Waiting")
    hidden = publish_guideline(title="Hidden")
    Document.objects.filter(pk=hidden.pk).update(collection=shelf("closed"))
    narrow(shelf("closed"), "publishers", "Board")
    for other in (waiting, hidden, new):
        response = publisher.post(page_of("approve", new.pk), {"other": other.pk})
        assert b"Select a valid choice" in response.content
    assert (state_of(new), state_of(hidden)) == (Lifecycle.REVIEW, Lifecycle.PUBLISHED)


def test_the_rule_of_two_is_explained_where_it_forbids(
    publisher: Client, bob: User, alice: User, settings: Settings
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    own, other = draft(title="Own", uploaded_by=bob), draft(title="Other", uploaded_by=alice)
    content = page(publisher, "approve", own.pk)
    assert "you uploaded this document" in content and 'value="Publish"' not in content
    for document in (own, other):
        publisher.post(page_of("approve", document.pk), {"other": ""})
    assert (state_of(own), state_of(other)) == (Lifecycle.REVIEW, Lifecycle.PUBLISHED)


def test_what_could_not_be_read_is_not_published(publisher: Client) -> None:
    document = draft()
    Job.objects.filter(document=document).update(state=JobState.FAILED)
    content = page(publisher, "approve", document.pk)
    assert "could not be read" in content and 'value="Publish"' not in content
    publisher.post(page_of("approve", document.pk), {"other": ""})
    assert state_of(document) == Lifecycle.REVIEW


def test_staff_without_the_right_check_and_do_not_publish(staff: Client) -> None:
    document = draft(lifecycle=Lifecycle.DRAFT)
    content = page(staff, "approve", document.pk)
    assert "Send to review" in content and 'value="Publish"' not in content
    for name, *more in (("approve",), ("step", "return"), ("step", "withdraw"), ("supersede",)):
        address = page_of(name, document.pk, *more)
        assert staff.post(address, {"other": ""}).status_code == 403
    assert state_of(document) == Lifecycle.DRAFT


def test_sent_back_with_a_reason_that_its_uploader_reads(publisher: Client, alice: User) -> None:
    document = draft()
    address = page_of("step", document.pk, "return")
    assert b"This field is required." in publisher.post(address, {"reason": " "}).content
    publisher.post(address, {"reason": "Page 2 is <missing>."})
    assert state_of(document) == Lifecycle.DRAFT
    shown = page(member(alice, STAFF), "change", document.pk)
    assert "Sent back: Page 2 is &lt;missing&gt;." in shown


def test_versions_are_compared_word_by_word(publisher: Client) -> None:
    old = publish_guideline(title="Old", sha256="0" * 64)
    new = draft(title="New", sha256="1" * 64)
    new.pages.update(text=new.pages.get().text.replace("500 mg", "250 mg"))
    content = page(publisher, "compare", new.pk, old.pk)
    gone = '<del><strong class="number">500</strong></del>'
    come = '<ins><strong class="number">250</strong></ins>'
    for part in (gone, come, "numbers changed", "&lt;b&gt;Stop&lt;/b&gt;"):
        assert part in content
    assert "No section differs." in page(publisher, "compare", old.pk, old.pk)


def test_a_published_one_is_marked_as_superseded(publisher: Client) -> None:
    old, new = publish_guideline(title="Old"), publish_guideline(title="Quite another")
    address = page_of("supersede", old.pk)
    assert b"Quite another" in publisher.get(address, {"q": "quite"}).content
    assert b"Choose the document." in publisher.post(address).content
    publisher.post(address, {"other": new.pk})
    old.refresh_from_db()
    assert (old.lifecycle, old.superseded_by) == (Lifecycle.SUPERSEDED, new)


@pytest.fixture
def cited() -> Any:
    """Answer that every document is cited, once by a user with a formula for a name."""
    asked = datetime.datetime(2026, 3, 4, 5, 6, tzinfo=datetime.UTC)
    said: Any = {"question": "=dose of amikacin?", "statements": ("=Give 15 mg/kg.", "Stop.")}
    evil = CitingAnswer("turn 2", asked, "=HYPERLINK(evil)", "/admin/chat/turn/2/change/", **said)
    other = CitingAnswer("turn 1", asked - datetime.timedelta(days=1), "clinician", "")

    def receive(sender: object, **named: Any) -> list[CitingAnswer]:
        return [evil, other]

    answers_citing.connect(receive, weak=False, dispatch_uid="test")
    yield
    answers_citing.disconnect(dispatch_uid="test")


@pytest.mark.usefixtures("cited")
def test_a_withdrawal_shows_whom_it_concerns_before_and_after(publisher: Client) -> None:
    document = publish_guideline()
    address = page_of("step", document.pk, "withdraw")
    assert "=Give 15 mg/kg." in publisher.get(address).content.decode()
    assert state_of(document) == Lifecycle.PUBLISHED
    after = publisher.post(address, {"reason": "Wrong dose."}, follow=True)
    assert after.redirect_chain[-1][0] == page_of("recall", document.pk)
    assert LogEntry.objects.get().change_message == "Withdrawn: Wrong dose."
    shown = after.content.decode()
    assert "Wrong dose." in shown and page_of("recall_csv", document.pk) in shown
    assert "turn/2/change" not in shown  # a publisher may not open it
    assert "amikacin" not in shown
    assert state_of(document) == Lifecycle.WITHDRAWN


def test_a_withdrawal_says_that_what_went_before_does_not_come_back(publisher: Client) -> None:
    document, before = publish_guideline(), publish_guideline(title="Before")
    address = page_of("step", document.pk, "withdraw")
    assert "stays superseded" not in publisher.get(address).content.decode()
    Document.objects.filter(pk=before.pk).update(
        lifecycle=Lifecycle.SUPERSEDED, superseded_by=document
    )
    assert "stays superseded" in publisher.get(address).content.decode()


def sheet_of(client: Client, document: Document) -> list[list[str]]:
    response = client.get(page_of("recall_csv", document.pk))
    assert response["Content-Disposition"].startswith("attachment")
    return list(csv.reader(StringIO(response.content.decode())))


@pytest.mark.usefixtures("cited")
def test_the_recall_list_is_a_sheet_that_runs_nothing(publisher: Client) -> None:
    header, second, first = sheet_of(publisher, publish_guideline())
    assert header == ["answer", "asked at", "asked by", "statements", "address"]
    assert second[0] == "turn 2"
    assert second[2:] == ["'=HYPERLINK(evil)", "'=Give 15 mg/kg.\nStop.", ""]
    assert first[3:] == ["", ""]


@pytest.mark.usefixtures("cited")
def test_the_list_has_the_questions_for_who_may_read_every_turn(mallory: User) -> None:
    auditor, document = member(mallory, AUDITORS), publish_guideline()
    header, second, _ = sheet_of(auditor, document)
    assert header == ["answer", "asked at", "asked by", "question", "statements", "address"]
    assert second[3] == "'=dose of amikacin?"
    assert second[5] == "http://testserver/admin/chat/turn/2/change/"
    link = '<a href="/admin/chat/turn/2/change/">=dose of amikacin?</a>'
    assert link in page(auditor, "recall", document.pk)


@pytest.mark.usefixtures("cited")
def test_who_asked_is_told_to_those_who_withdraw_and_to_auditors(
    staff: Client, mallory: User
) -> None:
    document, auditor = publish_guideline(), member(mallory, AUDITORS)
    for name in ("recall", "recall_csv"):
        assert staff.get(page_of(name, document.pk)).status_code == 403
        assert auditor.get(page_of(name, document.pk)).status_code == 200


def test_collections_say_who_is_let_in(staff: Client) -> None:
    ward = Group.objects.create(name="Ward 3")
    form = {"name": "Ward", "slug": "ward", "searchers": [ward.pk]}
    assert staff.post("/admin/corpus/collection/add/", form).status_code == 302
    shelf = Collection.objects.get(slug="ward")
    assert list(shelf.searchers.all()) == [ward]
    listed = staff.get("/admin/corpus/collection/").content.decode()
    assert "found by Ward 3" in listed
    change = f"/admin/corpus/collection/{shelf.pk}/change/"
    assert "Without a tick" in staff.get(change).content.decode()
    staff.post(change, {**form, "searchers": []})
    assert not shelf.searchers.exists()


def test_a_collection_of_others_is_not_opened_to_oneself(staff: Client) -> None:
    shelf = documents(1)[0].collection
    narrow(shelf, "uploaders", "Board")
    address = f"/admin/corpus/collection/{shelf.pk}/change/"
    assert staff.post(address, {"name": "Mine", "slug": "mine"}).status_code == 403
    shelf.refresh_from_db()
    assert (shelf.name, shelf.uploaders.count()) == ("Chest", 1)


def test_near_duplicates_are_listed_with_their_documents(publisher: Client) -> None:
    first, second, alone = map(_titled, ("First", "Second", "Alone"))
    for document, twins in ((first, "group"), (second, "group"), (alone, "lonely")):
        document.chunks.update(twins=twins)
    content = page(publisher, "twins")
    assert content.count('class="twin-group"') == 1
    assert f"{page_of('read', first.pk, 1)}?show=c0#p1-c0" in content
    assert "Alone" not in content
    assert "Second" in page(publisher, "change", first.pk)
    assert "twin-group" not in page(publisher, "twins", q="Alone")


def _titled(title: str) -> Document:
    return publish_guideline(title=title)


def test_days_are_those_of_the_site(publisher: Client) -> None:
    document = draft()
    publisher.post(page_of("approve", document.pk), {"other": ""})
    document.refresh_from_db()
    assert document.effective_from == timezone.localdate()
