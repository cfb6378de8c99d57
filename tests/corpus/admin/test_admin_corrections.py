"""Test the form that corrects a misread word, and the page of the second person."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django import Settings

from corpus.models import Correction, Document, Lifecycle
from corpus.services.indexing import document_index
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS, STAFF
from tests.chat.guidelines import DOSE, publish_guideline
from tests.corpus.admin.test_admin import act, lifecycle_of, member, page, page_of
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
    assert correct_page(document) in page(staff, "read", document.pk, 1)
    form = staff.get(correct_page(document)).content.decode()
    assert f">\n{DOSE}</textarea>" in form and page_of("picture", document.pk, 1) in form
    shown = staff.post(correct_page(document), SENT, follow=True).content.decode()
    for part in (f"<del>{DOSE}</del>", f"<ins>{RIGHT}</ins>", "OCR saw a &lt;0&gt; too many."):
        assert part in shown
    row = Correction.objects.get()
    assert f">\n{RIGHT}</textarea>" in staff.get(correct_page(document)).content.decode()
    address = page_of("take_back", document.pk, row.pk)
    refused = staff.post(address, {"reason": ""}, follow=True).content.decode()
    assert "needs a reason" in refused and Correction.objects.count() == 1
    staff.post(address, {"reason": "It is 500."})
    lines = list(LogEntry.objects.order_by("pk").values_list("change_message", flat=True))
    assert lines == ["Corrected on page 1.", "Correction taken back on page 1."]


def test_what_is_wrong_with_it_is_said_and_nothing_is_lost(staff: Client) -> None:
    document = publish_guideline(lifecycle=Lifecycle.DRAFT)
    for wrong, told in (({"reason": ""}, "required"), ({"as_read": "Other."}, "read again")):
        shown = staff.post(correct_page(document), SENT | wrong).content.decode()
        assert told in shown and RIGHT in shown
    assert not Correction.objects.exists()


def test_of_a_table_a_cell_is_chosen_first(staff: Client) -> None:
    document = ingest("# Dose\n\n| Age | Dose |\n|---|---|\n| adult | 5 mg |\n")
    document_index(document.pk)
    choice = staff.get(correct_page(document)).content.decode()
    assert f'<a href="{correct_page(document, "b1.3")}">5 mg</a>' in choice
    form = {"as_read": "5 mg", "text": "0.5 mg", "reason": "Lost."}
    staff.post(correct_page(document, "b1.3"), form)
    document_index(document.pk)
    shown = page(staff, "read", document.pk, 1)
    assert "with what was corrected" in shown and "It counts as soon as" not in shown
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
    for group in (CLINICIANS, AUDITORS):
        other = member(alice, group)
        assert other.get(correct_page(document)).status_code in (302, 403, 404)
        assert other.post(correct_page(document), SENT).status_code in (302, 403, 404)
        assert other.post(back, {"reason": "x"}).status_code in (302, 403, 404)
    document.collection.uploaders.add(Group.objects.create(name="Board"))
    other = member(alice, STAFF)
    assert correct_page(document) not in page(other, "read", document.pk, 1)
    assert other.post(correct_page(document), SENT).status_code == 403
    assert other.post(back, {"reason": "x"}).status_code == 403
    assert list(Correction.objects.all()) == [row]


def test_the_second_person_sees_old_and_new_and_ticks_it(
    alice: User, bob: User, settings: Settings
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    document = publish_guideline()
    approve = page_of("approve", document.pk)
    first, second = member(alice, STAFF, PUBLISHERS), member(bob, PUBLISHERS)
    assert "This document is in force." in first.get(correct_page(document)).content.decode()
    first.post(correct_page(document), SENT)
    assert "you corrected this document" in first.get(approve).content.decode()
    shown = second.get(approve).content.decode()
    for words in (f"<del>{DOSE}</del>", f"<ins>{RIGHT}</ins>", f"by {alice}", "too many."):
        assert words in shown
    refused = second.post(approve, {"other": ""}).content.decode()
    assert "Compare each correction" in refused
    row = Correction.objects.get()
    document_index(document.pk)
    second.post(approve, {"other": "", "compared": [row.pk]})
    document.refresh_from_db()
    row.refresh_from_db()
    assert (document.lifecycle, row.seen_by) == (Lifecycle.PUBLISHED, bob)
    assert "1 correction compared" in LogEntry.objects.latest("pk").change_message
    assert f"Seen by {bob}" in page(first, "read", document.pk, 1)


def test_many_at_once_are_not_published_with_corrections_unseen(staff: Client, bob: User) -> None:
    document = publish_guideline(lifecycle=Lifecycle.DRAFT)
    staff.post(correct_page(document), SENT)
    client = member(bob, PUBLISHERS)
    told = act(client, "publish", [document], confirmed="yes", post="yes").content.decode()
    assert "nobody has compared its corrections" in told
    assert lifecycle_of(document) != Lifecycle.PUBLISHED
