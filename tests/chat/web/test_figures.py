"""Test that figures and flow charts are shown, cut out of their pages, with what names them."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.api.answers import turn_payload
from chat.models import Reason
from corpus.models import Document, Page
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
