"""Test that a short form means what the documents in scope say, and that several are told."""

import datetime
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.ask import turn_ask
from chat.models import Channel, Reason, Turn
from chat.types import AskedQuestion
from core.language.en.short_forms.defined import defined_in, mean_the_same
from corpus.models import Collection
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_approve
from retrieval.asked import short_forms
from tests.chat.storing import Storing
from tests.corpora import shelf
from tests.corpus.documents import ingest

pytestmark = pytest.mark.django_db

GUIDELINES = {
    "obstetrics": """# Severe pre-eclampsia
In severe pre-eclampsia (PE) give magnesium sulfate 4 g intravenously as the first dose.
""",
    "chest": """# Massive pulmonary embolism
In massive pulmonary embolism (PE) give alteplase 10 mg intravenously as the first dose.
""",
    "neurology": """# Relapse of multiple sclerosis
MS (multiple sclerosis): give methylprednisolone 500 mg by mouth once daily for a relapse.
""",
    "cardiology": """# Rate control in mitral stenosis
In mitral stenosis (MS) give bisoprolol 2.5 mg by mouth once daily to slow the heart.
""",
}


@pytest.fixture(scope="module", autouse=True)
def _corpus(storing: Storing) -> Iterator[None]:
    with storing(_publish):
        yield


def _publish() -> None:
    for collection, text in GUIDELINES.items():
        document = ingest(text)
        while document_index(document.pk):
            pass
        document.refresh_from_db()
        document.collection = shelf(collection)
        document.save()
        document_approve(document, by=None, today=datetime.date(2026, 3, 1))


def ask(question: str, *collections: str) -> Turn:
    assert Collection.objects.filter(slug__in=collections).count() == len(collections)
    asked = AskedQuestion(question, user=None, channel=Channel.COMMAND, collections=collections)
    return turn_ask(asked)


@pytest.mark.parametrize(
    ("question", "meanings"),
    [
        ("first dose in PE?", ["pre-eclampsia", "pulmonary embolism"]),
        ("first dose in pe?", ["pre-eclampsia", "pulmonary embolism"]),
        ("first dose in pulmonary embolism (PE)?", []),
        ("treatment in MS?", ["mitral stenosis", "multiple sclerosis"]),
        ("once daily dose in mitral stenosis?", []),
    ],
)
def test_each_meaning_of_a_short_form_is_told(question: str, meanings: list[str]) -> None:
    told = [each["text"] for each in ask(question).warnings if each["code"] == "ambiguous"]
    assert len(told) == bool(meanings)
    assert all(meaning in told[0] for meaning in meanings)


@pytest.mark.parametrize(
    ("question", "collection", "read_as", "dose"),
    [
        ("first dose in PE?", "obstetrics", "first dose in PE (pre-eclampsia)?", "4 g"),
        ("first dose in PE?", "chest", "first dose in PE (pulmonary embolism)?", "10 mg"),
        (
            "dose for a relapse of MS?",
            "neurology",
            "dose for a relapse of MS (multiple sclerosis)?",
            "500 mg",
        ),
    ],
)
def test_in_a_collection_its_own_meaning_holds(
    question: str, collection: str, read_as: str, dose: str
) -> None:
    turn = ask(question, collection)
    assert not [each for each in turn.warnings if each["code"] == "ambiguous"]
    assert (turn.standalone or turn.trace["asked"].get("plain", turn.question)) == read_as
    assert [dose in claim.text for claim in turn.claims.all()] == [True]


def test_what_can_not_be_looked_up_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_forms, "json", None)  # what the documents say can't be read
    assert ask("first dose in PE?").reason == Reason.SEARCH_UNAVAILABLE


def test_definitions_are_read_by_their_initials() -> None:
    text = "In chronic obstructive pulmonary disease (COPD), by mouth (PO). CF (cystic fibrosis)"
    assert defined_in(text) == {
        "COPD": "chronic obstructive pulmonary disease",
        "CF": "cystic fibrosis",
    }
    assert mean_the_same("haemolytic uraemic syndrome", "hemolytic uremic syndrome")
    assert not mean_the_same("acute coronary syndrome", "acute chest syndrome")


def test_what_was_read_is_told_and_can_be_undone(client: Client) -> None:
    user = User.objects.create_superuser("ward")
    client.force_login(user)
    page = client.post(
        reverse("chat:ask"), {"question": "abx dose in PE w clot?"}, follow=True
    ).content.decode()
    plain = "antibiotics dose in PE (pulmonary embolism) with clot?"
    assert f"Read as: {plain}" in page
    turn = Turn.objects.get()
    assert turn.trace["asked"]["plain"] == plain
    again = {"question": turn.question, "as_typed": "on", "whole": "on"}
    page = client.post(
        reverse("chat:ask_in", args=[turn.conversation_id]), again, follow=True
    ).content.decode()
    assert page.count("Read as: ") == 1  # of the first
    assert "plain" not in Turn.objects.latest("created_at").trace["asked"]


def test_how_a_follow_up_was_read_is_told_once(client: Client) -> None:
    client.force_login(User.objects.create_superuser("ward"))
    client.post(reverse("chat:ask"), {"question": "What is the dose of amoxicillin in PE?"})
    first = Turn.objects.get()
    address = reverse("chat:ask_in", args=[first.conversation_id])
    page = client.post(address, {"question": "and in pregnancy?"}, headers={"HX-Request": "true"})
    turn = Turn.objects.latest("created_at")
    plain = turn.trace["asked"]["plain"]
    assert turn.standalone and plain != turn.standalone
    assert page.content.decode().count("Read as: ") == 1
    assert f"Read as: {plain}" in page.content.decode()
