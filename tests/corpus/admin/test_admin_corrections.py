"""Test the form that corrects a misread word, and the page of the second person."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django import Settings

from corpus.models import Correction, Document, Lifecycle
from corpus.services.indexing import document_index
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS, STAFF
from tests.chat.guidelines import DOSE, publish_guideline
from tests.corpus.admin.test_admin import act, member, page_of
from tests.corpus.documents import ingest

RIGHT = DOSE.replace("500 mg", "50 mg")
SENT = {"as_read": DOSE, "text": RIGHT, "reason": "OCR saw a <0> too many."}


@pytest.fixture
def staff(alice: User) -> Client:
    return member(alice, STAFF)


def correct_page(document: Document, key: str = "b1", number: int = 1) -> str:
    return page_of("correct", document.pk, number, key)


def test_a_word_is_corrected_and_taken_back_by_forms_alone(staff: Client) -> None:
    document = publish_guideline(lifecycle=Lifecycle.DRAFT)
    assert correct_page(document) in staff.get(page_of("read", document.pk, 1)).content.decode()
    form = staff.get(correct_page(document)).content.decode()
    assert f">\n{DOSE}</textarea>" in form
    assert page_of("picture", document.pk, 1) in form
    page = staff.post(correct_page(document), SENT, follow=True).content.decode()
    assert f"<del>{DOSE}</del>" in page
    assert f"<ins>{RIGHT}</ins>" in page
    assert "OCR saw a &lt;0&gt; too many." in page
    assert "It applies once the document has been indexed again." in page
    row = Correction.objects.get()
    assert f">\n{RIGHT}</textarea>" in staff.get(correct_page(document)).content.decode()
    address = page_of("take_back", document.pk, row.pk)
    page = staff.post(address, {"reason": ""}, follow=True).content.decode()
    assert "A correction needs a reason." in page
    page = staff.post(address, {"reason": "It is 500."}, follow=True).content.decode()
    assert "A correction was taken back" in page
    lines = list(LogEntry.objects.order_by("pk").values_list("change_message", flat=True))
    assert lines == ["Corrected on page 1.", "Correction taken back on page 1."]


def test_what_is_wrong_with_it_is_said_and_nothing_is_lost(staff: Client) -> None:
    document = publish_guideline(lifecycle=Lifecycle.DRAFT)
    page = staff.post(correct_page(document), SENT | {"reason": ""}).content.decode()
    assert "This field is required." in page
    assert RIGHT in page
    page = staff.post(correct_page(document), SENT | {"as_read": "Other."}).content.decode()
    assert "this part of the page was read again in the meantime." in page
    assert not Correction.objects.exists()


def test_of_a_table_a_cell_is_chosen_first(staff: Client) -> None:
    document = ingest("# Dose\n\n| Age | Dose |\n|---|---|\n| adult | 5 mg |\n")
    document_index(document.pk)
    choice = staff.get(correct_page(document)).content.decode()
    assert f'<a href="{correct_page(document, "b1.3")}">5 mg</a>' in choice
    form = {"as_read": "5 mg", "text": "0.5 mg", "reason": "Lost."}
    staff.post(correct_page(document, "b1.3"), form)
    document_index(document.pk)
    page = staff.get(page_of("read", document.pk, 1)).content.decode()
    assert "As read, with what was corrected" in page
    assert "It counts as soon as" not in page
    assert "adult | 0.5 mg" in document.pages.get().text


@pytest.mark.parametrize("key", ["b9", "b1.0", "c1", "b", "b1.", "b٣"])
def test_there_is_no_other_place(staff: Client, key: str) -> None:
    document = publish_guideline(lifecycle=Lifecycle.DRAFT)
    assert staff.get(correct_page(document, key)).status_code == 404
    assert staff.get(correct_page(document, number=9)).status_code == 404


def test_it_takes_the_right_to_change_the_document(alice: User, staff: Client) -> None:
    document = publish_guideline(lifecycle=Lifecycle.DRAFT)
    staff.post(correct_page(document), SENT)
    row = Correction.objects.get()
    back = page_of("take_back", document.pk, row.pk)
    for groups in ((CLINICIANS,), (AUDITORS,)):
        other = member(alice, *groups)
        assert other.get(correct_page(document)).status_code in (302, 403, 404)
        assert other.post(correct_page(document), SENT).status_code in (302, 403, 404)
        assert other.post(back, {"reason": "x"}).status_code in (302, 403, 404)
    document.collection.uploaders.add(Group.objects.create(name="Board"))
    page = member(alice, STAFF).get(page_of("read", document.pk, 1)).content.decode()
    assert correct_page(document) not in page
    assert member(alice, STAFF).post(correct_page(document), SENT).status_code == 403
    assert member(alice, STAFF).post(back, {"reason": "x"}).status_code == 403
    assert list(Correction.objects.all()) == [row]


def test_the_second_person_sees_old_and_new_and_ticks_it(
    alice: User, bob: User, settings: Settings
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    document = publish_guideline()
    first, second = member(alice, STAFF, PUBLISHERS), member(bob, PUBLISHERS)
    assert "This document is in force." in first.get(correct_page(document)).content.decode()
    told = first.post(correct_page(document), SENT, follow=True).content.decode()
    assert "no answer uses it until it has been checked and published again" in told
    own = first.get(page_of("approve", document.pk)).content.decode()
    assert "you corrected this document" in own
    page = second.get(page_of("approve", document.pk)).content.decode()
    for words in (f"<del>{DOSE}</del>", f"<ins>{RIGHT}</ins>", f"by {alice}", "too many."):
        assert words in page
    refused = second.post(page_of("approve", document.pk), {"other": ""}).content.decode()
    assert "Compare each correction with the page, then tick it." in refused
    row = Correction.objects.get()
    document_index(document.pk)
    second.post(page_of("approve", document.pk), {"other": "", "compared": [row.pk]})
    document.refresh_from_db()
    row.refresh_from_db()
    assert (document.lifecycle, row.seen_by) == (Lifecycle.PUBLISHED, bob)
    assert "1 correction compared" in LogEntry.objects.latest("pk").change_message
    page = first.get(page_of("read", document.pk, 1)).content.decode()
    assert f"Seen by {bob}" in page


def test_many_at_once_are_not_published_with_corrections_unseen(staff: Client, bob: User) -> None:
    document = publish_guideline(lifecycle=Lifecycle.DRAFT)
    staff.post(correct_page(document), SENT)
    client = member(bob, PUBLISHERS)
    told = act(client, "publish", [document], confirmed="yes", post="yes").content.decode()
    assert "was not published: nobody has compared its corrections with the page." in told
    document.refresh_from_db()
    assert document.lifecycle != Lifecycle.PUBLISHED
