"""Test figures and flow charts, cut out of their pages, and labels of pages where cited."""

from io import BytesIO, StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from reportlab.pdfgen.canvas import Canvas

from chat.api.answers import turn_payload
from chat.models import Citation, Reason
from corpus.models import Document, Page
from corpus.services.documents import collection_default, document_ingest
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_publish, document_submit
from tests.chat.api.api_calls import get, signed_in
from tests.chat.guidelines import ask
from tests.chat.web.pages import thread
from tests.chat.web.test_views import refused

pytestmark = pytest.mark.django_db

CHART: dict[str, Any] = {
    "kind": "chart",
    "label": "Algorithm 1",
    "caption": "Algorithm 1. Dose",
    "box": [10, 20, 300, 400],
}
FIGURE: dict[str, Any] = {
    "kind": "figure",
    "label": "Figure 9",
    "caption": "Figure 9: Map",
    "box": [0, 0, 50, 50],
}


def page_with(guideline: Document, *figures: dict[str, Any]) -> None:
    Page.objects.filter(document=guideline).update(width=595, height=842, figures=list(figures))


def content(clinician: Client, conversation: Any) -> str:
    return clinician.get(thread(conversation)).content.decode()


def test_a_chart_stands_with_the_answer_of_its_page_once(
    clinician: Client, alice: User, guideline: Document
) -> None:
    page_with(guideline, CHART, FIGURE)
    turn = ask(alice)
    assert turn.conversation
    shown = content(clinician, turn.conversation.pk)
    assert shown.count('viewBox="10 20 290 380"') == 1
    assert "follow the lines here" in shown
    assert "Figure 9" not in shown  # no text names it


def test_a_chart_stands_with_a_refusal_that_shows_its_page(
    clinician: Client, alice: User, guideline: Document
) -> None:
    page_with(guideline, CHART)
    turn = refused(alice, Reason.WEAK_EVIDENCE, guideline)
    assert turn.conversation
    assert content(clinician, turn.conversation.pk).count("<figure") == 1


def test_a_program_gets_the_place_of_a_chart(alice: User, guideline: Document) -> None:
    page_with(guideline, CHART)
    (claim, *_) = turn_payload(ask(alice))["claims"]
    (figure,) = claim["figures"]
    assert (figure["kind"], figure["name"], figure["page"]) == ("chart", "Algorithm 1", 1)
    assert figure["box"] == {"x": 10, "y": 20, "width": 290, "height": 380}


DOSE = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."


@pytest.fixture
def labelled(db: None) -> Document:
    """Publish a PDF whose third page calls itself 1, after the pages i and ii."""
    file = BytesIO()
    canvas = Canvas(file)
    canvas.addPageLabel(0, style="ROMAN_LOWER", start=1)
    canvas.addPageLabel(2, style="ARABIC", start=1)
    for text in ("This guideline was written by the team.", "Treatment is on page 1.", DOSE):
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    document = Document(collection=collection_default(), title="Pneumonia in adults")
    document_ingest(document, upload=file, uploaded_by=None, filename="pneumonia.pdf")
    document_index(document.pk)
    document_submit(document, by=None)
    document_publish(document, by=None, today=timezone.localdate())
    return document


def test_the_answer_the_viewer_and_the_api_name_both(
    labelled: Document, alice: User, client: Client
) -> None:
    assert list(labelled.pages.values_list("label", flat=True)) == ["i", "ii", "1"]
    turn = ask(alice)
    cited = Citation.objects.get(claim__turn=turn)
    assert cited.page == 3
    client.force_login(alice)
    answer = client.get(f"/conversations/{turn.conversation_id}/").content.decode()
    assert "printed as 1" in answer
    viewer = client.get(f"/source/citation/{cited.pk}/").content.decode()
    assert "printed as 1" in viewer
    (shown,) = turn_payload(turn)["claims"][0]["citations"]
    assert (shown["page"], shown["page_label"]) == (3, "1")
    page = get(signed_in(alice), f"/api/v1/documents/{labelled.sha256}/pages/2").json()
    assert (page["number"], page["page_label"]) == (2, "ii")
    out = StringIO()
    call_command("ask", turn.question, stdout=out)
    assert "printed as 1" in out.getvalue()


def test_a_page_that_is_called_by_its_number_has_no_label(
    guideline: Document, alice: User, client: Client
) -> None:
    turn = ask(alice)
    client.force_login(alice)
    page = client.get(f"/conversations/{turn.conversation_id}/").content
    assert b"printed as" not in page
    (shown, *_) = turn_payload(turn)["claims"][0]["citations"]
    assert (shown["page"], shown["page_label"]) == (1, None)
