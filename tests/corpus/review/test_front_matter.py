"""Test that facts of the first page and of running headers are offered, and taken when ticked."""

import datetime

import pytest
from django.contrib.auth.models import Group, Permission, User

from corpus.indexing.rows import take_over
from corpus.models import Document, Lifecycle, Page
from corpus.parsing.types import ParsedDocument
from corpus.review.front_matter import day_of, front_matter
from medrag_site.groups import PUBLISHERS, STAFF
from tests.corpus.admin.test_admin import documents, member, page_of
from tests.tables import rows

FIRST = """Iron in children
Issued by Northfield Haematology Group
Reference NH-1, version 1.2
Applies to Infants, children and young people
In force from 1 February 2026
Review by 01/02/2028"""


def first_page(text: str) -> Document:
    (document,) = documents(1)
    heading = {"kind": "heading", "level": 1, "start": 0, "end": len("Iron in children")}
    Page.objects.update(text=text, blocks=[heading])
    return document


def test_each_value_is_offered_with_the_line_that_it_stands_in(db: None) -> None:
    found = front_matter(first_page(FIRST))
    assert {offer.field: offer.value for offer in found.offers} == {
        "title": "Iron in children",
        "version": "1.2",
        "issuer": "Northfield Haematology Group",
        "population": "infant, child, adolescent",
        "effective_from": datetime.date(2026, 2, 1),
    }  # 1 February or 2 January 2028
    lines = {offer.field: offer.line for offer in found.offers}
    assert lines["version"] == "Reference NH-1, version 1.2"


def test_fields_that_were_read_as_one_paragraph_are_told_apart(db: None) -> None:
    document = first_page(FIRST)
    alone = {offer.field: offer.value for offer in front_matter(document).offers}
    title, *fields = FIRST.replace("Reference NH-1, v", "V").splitlines()
    Page.objects.update(text=f"{title}\n{' '.join(fields)}")
    assert {offer.field: offer.value for offer in front_matter(document).offers} == alone


def test_several_values_are_named_and_none_is_offered(db: None) -> None:
    found = front_matter(first_page(f"{FIRST}\nReplaces version 1.1\nReview by 2 March 2028"))
    assert "version" not in {offer.field for offer in found.offers}
    assert [one.printed for one in found.unclear] == [("1.2", "1.1")]


def test_what_a_running_header_says_is_offered_and_a_vague_date_is_told(alice: User) -> None:
    document = first_page("Iron in children\nGive iron by mouth.")
    Page.objects.update(running_lines=["Version 3.1 · Issued 31/01/2026 · Review 02/2028"])
    found = front_matter(document)
    offered = {offer.field: offer.value for offer in found.offers if offer.is_running}
    assert offered == {"version": "3.1", "effective_from": datetime.date(2026, 1, 31)}
    assert [(one.label, one.printed) for one in found.unclear] == [("review by", ("02/2028",))]
    shown = member(alice, STAFF).get(page_of("approve", document.pk)).content.decode()
    assert "header or footer: “Version 3.1" in shown
    assert "“02/2028” is not one certain day" in shown


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("Northfield · Issued by: Pharmacy · Version 2", "issuer", "Pharmacy"),
        ("Issuer: Pharmacy Group. Version 2.0. Review by 1 May 2029.", "issuer", "Pharmacy Group"),
        ("Version | 2.0 | Date issued | 1 March 2026", "version", "2.0"),
        ("Version | 2.0 | Date issued | 1 March 2026", "effective_from", (2026, 3, 1)),
        ("Last review: 1 March 2025 | Next review: 1 March 2028", "review_by", (2028, 3, 1)),
    ],
)
def test_fields_of_a_running_line_are_told_apart(
    db: None, line: str, field: str, value: str | tuple[int, int, int]
) -> None:
    document = first_page("Iron in children")
    Page.objects.update(running_lines=[line])
    offered = {offer.field: offer.value for offer in front_matter(document).offers}
    assert offered[field] == (datetime.date(*value) if isinstance(value, tuple) else value)


def test_a_header_that_contradicts_the_first_page_makes_a_field_unclear(db: None) -> None:
    document = first_page(FIRST)
    Page.objects.update(running_lines=["Version 3.1"])
    assert [one.printed for one in front_matter(document).unclear][:1] == [("1.2", "3.1")]


@pytest.mark.parametrize(("printed", "day"), rows(__file__, "dates.jsonl"))
def test_a_date_is_read_where_it_is_one_day(printed: str, day: tuple[int, int, int] | None) -> None:
    assert day_of(printed) == (datetime.date(*day) if day else None)


def test_only_what_is_ticked_is_taken(alice: User) -> None:
    document = first_page(FIRST)
    client = member(alice, STAFF)
    shown = client.get(page_of("approve", document.pk)).content.decode()
    assert "Northfield Haematology Group" in shown
    document.refresh_from_db()
    assert document.issuer == ""
    told = {"take": ["version", "sha256"]}
    client.post(page_of("take_offers", document.pk), told)
    document.refresh_from_db()
    assert (document.version, document.issuer, document.title) == ("1.2", "", "Guideline 0")


def test_what_is_ticked_is_taken_by_publishing_too(alice: User) -> None:
    document = first_page(FIRST)
    told = {"take": ["version", "effective_from"], "other": ""}
    client = member(alice, PUBLISHERS, STAFF)
    page = client.post(page_of("approve", document.pk), told, follow=True).content.decode()
    document.refresh_from_db()
    assert (document.lifecycle, document.version) == (Lifecycle.PUBLISHED, "1.2")
    assert document.effective_from == datetime.date(2026, 2, 1)
    assert "Taken from the document: version, in force from." in page


def test_who_may_only_publish_takes_nothing(alice: User) -> None:
    document = first_page(FIRST)
    client = member(alice, PUBLISHERS)
    Group.objects.get(name=PUBLISHERS).permissions.remove(
        Permission.objects.get(codename="change_document")
    )
    client.post(page_of("approve", document.pk), {"take": ["version"], "other": ""})
    document.refresh_from_db()
    assert (document.lifecycle, document.version) == (Lifecycle.PUBLISHED, "")


def test_population_is_a_choice_that_keeps_what_is_there(alice: User) -> None:
    (document,) = documents(1, population="adults over 50 kg")
    client = member(alice, STAFF)
    shown = client.get(page_of("change", document.pk)).content.decode()
    assert '<option value="adults over 50 kg" selected>' in shown
    assert '<option value="adult">' in client.get(page_of("add")).content.decode()


def test_whoever_typed_a_file_is_not_taken_for_its_issuer() -> None:
    document = Document(filename="iron.pdf", title="iron")
    take_over(document, ParsedDocument((), "pdf", title="Iron", metadata={"author": "J. Smith"}))
    assert (document.title, document.issuer) == ("Iron", "")


@pytest.mark.parametrize(("lines", "issuer", "since"), rows(__file__, "front_pages.jsonl"))
def test_an_issuer_and_a_date_are_found_without_a_label_of_their_own(
    db: None, lines: str, issuer: str | None, since: tuple[int, int, int] | None
) -> None:
    found = front_matter(first_page(f"Iron in children\n{lines}"))
    offered = {offer.field: offer.value for offer in found.offers}
    assert offered.get("issuer") == issuer
    assert offered.get("effective_from") == (datetime.date(*since) if since else None)


def test_a_series_is_not_offered_as_title(db: None) -> None:
    document = first_page("Clinical guidelines\nIron in children")
    spans = ((0, len("Clinical guidelines")), (20, 36))
    heads = [{"kind": "heading", "level": 1, "start": a, "end": b} for a, b in spans]
    Page.objects.update(blocks=heads)
    offers = {offer.field: offer.value for offer in front_matter(document).offers}
    assert offers["title"] == "Iron in children"
