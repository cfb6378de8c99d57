"""Test the passage view: page, picture, passages, and who may open them."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from corpus.models import Chunk, Document, Lifecycle
from corpus.parsing.sniff import DOCX, PDF, TEXT
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS, STAFF
from tests.chat.guidelines import DOSE, NOTE, publish_guideline
from tests.corpora import publish
from tests.corpus.admin.test_admin import closed_shelf, lifecycle_of, member, page, page_of
from tests.people import narrow


def cell(row: int, column: int, text: str, **more: Any) -> dict[str, Any]:
    plain = {"rows": 1, "columns": 1, "is_header": row == 0, "box": None}
    return {"row": row, "column": column, "text": text, **plain, **more}


TABLE = {
    "header": ["Age", "Dose"],
    "rows": [{"start": 0, "end": 5, "cells": ["<i>adult</i>", "10 mg"]}],
    "caption": "Doses <b>",
    "cells": [
        cell(0, 0, "Age"),
        cell(0, 1, "Dose", columns=2),
        cell(1, 0, "<i>adult</i>"),
        cell(1, 1, "10 mg", columns=2, box=[80, 200, 120, 212]),
    ],
}


@pytest.fixture
def staff(alice: User) -> Client:
    return member(alice, STAFF)


def draft(**fields: Any) -> Document:
    return publish_guideline(**{"lifecycle": Lifecycle.DRAFT, **fields})


def read(client: Client, document: Document, number: int = 1, **query: str) -> str:
    response = client.get(page_of("read", document.pk, number), query)
    assert response.status_code == 200
    return response.content.decode()


def close(document: Document) -> None:
    """Narrow every right on the document's collection to a group without members."""
    for right in ("searchers", "uploaders", "publishers"):
        narrow(document.collection, right, "Board")


def test_the_page_stands_beside_its_text_and_passages(staff: Client) -> None:
    document = draft()
    content = read(staff, document)
    for part in (
        f'href="{page_of("picture", document.pk, 1)}"',
        'viewBox="0 0 595.0 842.0"',
        'data-in="b1 c0"',
        'data-shows="b1"',
        'data-shows="c0"',
        DOSE,
        "&lt;b&gt;Stop&lt;/b&gt; &amp; call",
    ):
        assert part in content
    assert "<b>Stop</b>" not in content


def test_without_javascript_a_link_paints(staff: Client) -> None:
    document = draft()
    assert 'class="on"' not in read(staff, document)
    assert read(staff, document, show="c0").count('class="on"') == 2
    assert read(staff, document, show="b0").count('class="on"') == 1
    assert 'class="on"' not in read(staff, document, show='"><script>')


def test_what_has_no_geometry_has_no_picture(staff: Client) -> None:
    content = read(staff, draft(picture=False))
    assert "<svg" not in content.split("As read")[0].split("Pages")[-1]
    assert "text-only" in content
    assert DOSE in content


@pytest.mark.parametrize(("media_type", "may_be_a_pdf"), [(DOCX, True), (TEXT, False)])
def test_what_is_no_pdf_says_why_there_is_no_picture(
    staff: Client, media_type: str, may_be_a_pdf: bool
) -> None:
    document = draft(picture=False)
    told = "No picture of the page"
    Document.objects.update(media_type=PDF)
    assert told not in read(staff, document)
    Document.objects.update(media_type=media_type)
    content = read(staff, document)
    assert told in content
    assert f'<a href="{page_of("original", document.pk)}">download the original</a>' in content
    assert ("save it there as a PDF" in content) is may_be_a_pdf
    assert "Text of page 1" in page(staff, "approve", document.pk)
    assert "as picture" not in page(staff, "change", document.pk)


def test_tables_are_tables_and_text_of_documents_is_escaped(staff: Client) -> None:
    document = draft()
    block = {"kind": "table", "start": 0, "end": 9, "level": 0, "lines": [], "table": TABLE}
    document.pages.update(blocks=[block])
    content = read(staff, document)
    for part in (
        '<th scope="col" colspan="2">Dose</th>',
        '<td colspan="2" data-shows="b0.3">10 mg</td>',
        "<td>&lt;i&gt;adult&lt;/i&gt;</td>",
        "<caption>Doses &lt;b&gt;</caption>",
    ):
        assert part in content


def test_doubts_and_poor_scans_are_told(staff: Client) -> None:
    document = draft()
    start = document.pages.get().text.index("500 mg")
    doubt = {"code": "low", "message": "Faint print.", "start": start, "end": start + 6}
    document.pages.update(doubts=[doubt], ocr_confidence=0.719)
    content = read(staff, document)
    marked = '<mark class="doubt">500 mg</mark>'
    for part in ("confidence 71 %", "every number", marked, 'href="?show=d0#p1-b1"'):
        assert part in content
    assert 'data-in="b1 d0 c0"' in content or 'data-in="b1 c0 d0"' in content


def test_a_doubt_that_comes_again_is_said_once_with_its_places(staff: Client) -> None:
    document = draft()
    faint = {"code": "low", "message": "Faint print."}
    document.pages.update(doubts=[{**faint, "start": at, "end": at + 1} for at in (0, 1)])
    content = read(staff, document)
    assert content.count("Faint print.") == 1
    assert 'data-shows="d0">Place 1</a>' in content and 'data-shows="d1">Place 2</a>' in content


def test_pages_lead_to_their_neighbours(staff: Client) -> None:
    document = draft()
    for number in (2, 3):
        document.pages.create(number=number, text="", blocks=[], width=0, height=0)
    middle = read(staff, document, 2)
    assert f'rel="prev" href="{page_of("read", document.pk, 1)}"' in middle
    assert f'rel="next" href="{page_of("read", document.pk, 3)}"' in middle
    assert 'rel="next"' not in read(staff, document, 3)
    assert 'rel="prev"' not in read(staff, document, 1)
    assert staff.get(page_of("read", document.pk, 4)).status_code == 404


def test_a_passage_is_found_by_its_spans_and_not_by_like_numbers(staff: Client) -> None:
    document = draft()
    document.pages.create(number=2, text="Go on.", blocks=[], width=0, height=0)
    Chunk.objects.filter(document=document).update(spans=[[1, 2, 90]])
    assert 'id="p2-c0"' not in read(staff, document, 2)
    Chunk.objects.filter(document=document).update(spans=[[1, 11, 90], [2, 0, 6]])
    content = read(staff, document, 2)
    assert 'id="p2-c0"' in content
    assert "pages 1 to 2" in content


def test_a_page_costs_a_fixed_number_of_queries(
    staff: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    document = draft()
    like = {"page": 1, "text": NOTE, "spans": document.chunks.get().spans, "tokens": 9}
    Chunk.objects.bulk_create(
        Chunk(key=f"k{n}", document=document, index=n, **like) for n in range(1, 300)
    )
    with django_assert_max_num_queries(9):
        content = read(staff, document)
    assert content.count('<article id="p1-c') == 300


def test_a_passage_is_disabled_for_a_reason_and_enabled_again(staff: Client, alice: User) -> None:
    document = draft()
    address = page_of("disable", document.pk, 0)
    refused = staff.post(address, {"reason": "  ", "page": "1"}, follow=True)
    assert b"needs a reason" in refused.content
    assert document.chunks.get().disabled_at is None
    done = staff.post(address, {"reason": "Dose <wrong>.", "page": "1"}, follow=True)
    assert done.redirect_chain[-1][0].endswith("/read/1/?show=c0#p1-c0")
    content = done.content.decode()
    assert "Passage 1 is disabled." in content  # passages are counted from 1
    assert f"by {alice}: Dose &lt;wrong&gt;." in content and "<del>" in content
    assert document.chunks.get().disabled_by == alice
    staff.post(page_of("enable", document.pk, 0), {"page": "1"})
    assert document.chunks.get().disabled_at is None


def test_who_only_reads_sees_no_buttons_and_presses_none(bob: User) -> None:
    auditor, document = member(bob, AUDITORS), draft()
    assert "Disable…" not in read(auditor, document)
    for name in ("disable", "enable"):
        assert auditor.post(page_of(name, document.pk, 0), {"reason": "x"}).status_code == 403
    assert document.chunks.get().disabled_at is None


def test_the_picture_and_the_original_come_to_staff(staff: Client) -> None:
    document = draft()
    picture = staff.get(page_of("picture", document.pk, 1))
    assert picture["Content-Type"] == "image/webp"
    assert "private" in picture["Cache-Control"]
    original = staff.get(page_of("original", document.pk))
    assert b"".join(original.streaming_content) == b"%PDF-1.7"  # type: ignore[attr-defined]
    assert original["Content-Disposition"].startswith("attachment")
    assert staff.get(page_of("picture", document.pk, 9)).status_code == 404


PAGES = [
    ("change", ()),
    ("read", (1,)),
    ("picture", (1,)),
    ("original", ()),
    ("approve", ()),
    ("supersede", ()),
    ("recall", ()),
    ("recall_csv", ()),
    ("step", ("withdraw",)),
    ("step", ("return",)),
]
PRESSED = [
    ("disable", (0,)),
    ("enable", (0,)),
    ("approve", ()),
    ("supersede", ()),
    ("step", ("submit",)),
    ("step", ("read_again",)),
    ("step", ("withdraw",)),
    ("step", ("return",)),
]


@pytest.mark.parametrize(("name", "more"), PAGES)
def test_a_hidden_document_is_a_missing_one_at_every_door(
    name: str, more: tuple[Any, ...], bob: User
) -> None:
    both = member(bob, STAFF, PUBLISHERS, AUDITORS)
    document = draft(title="Secret plan")
    close(document)
    response = both.get(page_of(name, document.pk, *more), follow=True)
    assert b"Secret plan" not in response.content
    missing = both.get(page_of(name, document.pk + 1000, *more), follow=True)
    assert response.status_code == missing.status_code
    assert response.status_code == 404 or name == "change"


@pytest.mark.parametrize(("name", "more"), PRESSED)
def test_nothing_is_done_to_a_hidden_document(name: str, more: tuple[Any, ...], bob: User) -> None:
    both = member(bob, STAFF, PUBLISHERS, AUDITORS)
    document = draft()
    close(document)
    response = both.post(page_of(name, document.pk, *more), {"reason": "x", "other": ""})
    assert (response.status_code, lifecycle_of(document)) == (404, Lifecycle.DRAFT)


def test_a_hidden_document_stands_in_no_list(bob: User) -> None:
    both = member(bob, STAFF, PUBLISHERS)
    document, other = draft(title="Secret plan"), draft(title="Open plan")
    Chunk.objects.update(twins="t")
    Document.objects.filter(pk=document.pk).update(collection=closed_shelf("Closed shelf"))
    for name, *args in (
        *(("changelist",), ("twins",), ("stale",)),
        *(("change", other.pk), ("approve", other.pk)),
    ):
        content = page(both, str(name), *args)
        assert "Secret plan" not in content and "Closed shelf" not in content
    assert b"job-" not in both.post(page_of("progress"), {"pk": document.pk}).content
    assert both.get(page_of("compare", other.pk, document.pk)).status_code == 404


@pytest.mark.parametrize(("name", "more"), PAGES)
def test_clinicians_see_no_page_of_the_administration(
    name: str, more: tuple[Any, ...], mallory: User
) -> None:
    client = member(mallory, CLINICIANS)
    User.objects.filter(pk=mallory.pk).update(is_staff=False)
    document = draft()
    response = client.get(page_of(name, document.pk, *more), follow=True)
    assert DOSE.encode() not in response.content
    assert b"Pneumonia" not in response.content
    User.objects.filter(pk=mallory.pk).update(is_staff=True)  # staff without any permission
    refused = client.get(page_of(name, document.pk, *more))
    assert refused.status_code in (302, 403, 404)


def test_the_document_page_says_what_no_answer_can_quote(staff: Client) -> None:
    document = publish("BEFORE THE FIRST INFUSION\n\nGive them water now.\n", title="Water")
    text = page(staff, "change", document.pk)
    assert "50.0 % of 8 words can be quoted (paragraph 50.0 %)" in text
    assert "<td>BEFORE THE FIRST INFUSION</td>" in text
    assert page_of("read", document.pk, 1) in text
