"""Test that a document that lost words says so, and is published only after a look at each page."""

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from reportlab.pdfgen.canvas import Canvas

from chat.models import AuditEvent
from corpus.intake.files import People
from corpus.intake.manifest import manifest_ingest, read_manifest
from corpus.models import Document, Lifecycle
from corpus.review.words_found import PagesNotReviewed, lost_words
from corpus.services.documents import collection_default
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_hold_back, document_publish, document_submit
from corpus.types import OCR_CONFIDENT
from medrag_site.groups import PUBLISHERS
from tests.corpus.admin.test_admin import LIST, act, documents, member, page_of
from tests.corpus.documents import ingest
from tests.corpus.parsing import parsing_fixtures as fixtures

pytestmark = pytest.mark.django_db

TODAY = datetime.date(2026, 3, 1)
DOUBT = {"code": "words_not_found", "message": "Words were lost.", "start": 0, "end": 0}


@pytest.fixture
def publisher(bob: User) -> Client:
    return member(bob, PUBLISHERS)


def poor(*shares: tuple[int, int], **fields: Any) -> Document:
    """Make a document with a page for each pair of words found and words checked."""
    (document,) = documents(1, **{"lifecycle": Lifecycle.REVIEW, **fields})
    with_pages(document, shares)
    return document


def with_pages(document: Document, shares: Sequence[tuple[int, int]]) -> None:
    document.pages.all().delete()
    for number, (found, checked) in enumerate(shares, start=1):
        doubts = [DOUBT] if found < 0.97 * checked else []
        words = {"words_found": found, "words_checked": checked, "doubts": doubts}
        document.pages.create(number=number, text="a", blocks=[], width=0, height=0, **words)


def state_of(document: Document) -> str:
    return Document.objects.values_list("lifecycle", flat=True).get(pk=document.pk)


def test_the_service_refuses_until_each_poor_page_was_looked_at() -> None:
    document = poor((100, 100), (60, 100), (80, 100))
    for looked in ((), (2,), (1, 3)):
        with pytest.raises(PagesNotReviewed) as refused:
            document_publish(document, by=None, today=TODAY, looked=looked)
        assert "80 %" in refused.value.sentence
    assert state_of(document) == Lifecycle.REVIEW
    document_publish(document, by=None, today=TODAY, looked=[2, 3])
    assert state_of(document) == Lifecycle.PUBLISHED


@pytest.mark.parametrize(
    "shares",
    [[(100, 100), (85, 100), (85, 100)], [(85, 100)], [(0, 0)], []],
    ids=["enough", "exactly enough", "no words", "no pages"],
)
def test_enough_words_need_no_list_of_pages(shares: list[tuple[int, int]]) -> None:
    document = poor(*shares)
    document_publish(document, by=None, today=TODAY)
    assert state_of(document) == Lifecycle.PUBLISHED


def test_pages_without_a_text_layer_do_not_count() -> None:
    document = poor((100, 100))
    document.pages.create(number=2, text="a", blocks=[], width=0, height=0, ocr_confidence=0.5)
    assert lost_words(document) is None


def test_the_list_says_so_with_the_worst_page_a_click_away(publisher: Client) -> None:
    document = poor((100, 100), (50, 100), (60, 100))
    content = publisher.get(LIST).content.decode()
    assert "70 % of its words" in content
    assert f'<a href="{page_of("read", document.pk, 2)}">page 2: 50 %</a>' in content
    assert '<div id="job-' in publisher.get(LIST, {"attention": "words"}).content.decode()
    assert publisher.get(LIST, {"o": "6"}).status_code == 200


def test_a_good_document_shows_its_share_alone(publisher: Client) -> None:
    poor((100, 100))
    content = publisher.get(LIST).content.decode()
    assert '<td class="field-words">100 % of its words' in content
    assert "look at its pages" not in content
    assert '<div id="job-' not in publisher.get(LIST, {"attention": "words"}).content.decode()


def test_the_page_of_a_document_says_of_what_the_share_is(publisher: Client) -> None:
    document = poor((50, 100))
    content = publisher.get(page_of("change", document.pk)).content.decode()
    assert "<td>50 % of its words</td>" in content
    assert "no person has compared them" in content


def test_the_approver_ticks_each_page(publisher: Client) -> None:
    document = poor((100, 100), (50, 100), (60, 100))
    address = page_of("approve", document.pk)
    assert b"Compare page 3 " in publisher.post(address, {"other": "", "looked": ["2"]}).content
    assert state_of(document) == Lifecycle.REVIEW
    publisher.post(address, {"other": "", "looked": ["2", "3"]})
    assert state_of(document) == Lifecycle.PUBLISHED


def test_one_tick_for_many_documents_is_not_enough(publisher: Client) -> None:
    other, document = documents(2)
    with_pages(document, [(50, 100)])
    response = act(publisher, "publish", [document, other], confirmed="yes", looked="on")
    assert "50 %" in response.content.decode()
    assert [state_of(document), state_of(other)] == [Lifecycle.DRAFT, Lifecycle.PUBLISHED]


def test_what_was_published_unread_waits_for_a_look() -> None:
    document = poor((50, 100), lifecycle=Lifecycle.PUBLISHED)
    document_hold_back(document)
    assert (state_of(document), document.published_at) == (Lifecycle.REVIEW, None)
    assert AuditEvent.objects.latest("pk").action == "document.returned"


@pytest.mark.parametrize(("confidence", "despite"), [(0.89, False), (0.89, True), (0.9, False)])
def test_a_page_scanned_badly_waits_unless_published_despite_doubts(
    confidence: float, *, despite: bool
) -> None:
    document = poor((0, 0), lifecycle=Lifecycle.PUBLISHED, despite_doubts=despite)
    document.pages.update(ocr_confidence=confidence)
    document_hold_back(document)
    is_held = confidence < OCR_CONFIDENT and not despite
    assert state_of(document) == (Lifecycle.REVIEW if is_held else Lifecycle.PUBLISHED)


def test_a_pdf_that_loses_words_is_not_searched_unseen(tmp_path: Path) -> None:
    """Even if it is published with its upload, as by `ingest --publish`."""
    path = fixtures.make_pdf(tmp_path / "a.pdf", _mostly_aslant)
    document = ingest(path.read_bytes(), "a.pdf")
    document_submit(document, by=None)
    document_publish(document, by=None, today=TODAY)
    document_index(document.pk)
    page = document.pages.get()
    assert (page.words_found or 0) < 0.85 * (page.words_checked or 0)
    assert [doubt["code"] for doubt in page.doubts][-1] == "values_not_found"
    assert state_of(document) == Lifecycle.REVIEW


def _mostly_aslant(canvas: Canvas) -> None:
    """Draw slanted words, which the reader leaves out."""
    fixtures.plain_page("margins")(canvas)
    canvas.translate(100, 100)
    canvas.rotate(40)
    for number in range(6):
        canvas.drawString(0, 20 * number, "Never give this to a child of ten kilograms.")


def test_a_manifest_names_what_has_to_be_looked_at(tmp_path: Path) -> None:
    fixtures.make_pdf(tmp_path / "a.pdf", _mostly_aslant)
    (tmp_path / "m.csv").write_text("file,title,lifecycle\na.pdf,Margins,PUBLISHED\n")
    manifest = read_manifest(tmp_path / "m.csv", collection=collection_default().slug)
    first = manifest_ingest(manifest, people=People(None, None), today=TODAY)
    (document,) = first.added
    document_index(document.pk)
    again = manifest_ingest(manifest, people=People(None, None), today=TODAY)
    (sentence,) = again.refused.values()
    assert "values in doubt on page 1" in sentence
    assert state_of(document) == Lifecycle.REVIEW
