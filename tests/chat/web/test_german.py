"""Test the clinicians' pages in a German browser, and what stays English."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chat.models import Channel, Citation, Reason, Turn, TurnStatus
from chat.replays.replay import turn_replay
from tests.chat.guidelines import NEAR, QUESTION, ask
from tests.chat.web.pages import lacking, text_of, thread
from tests.people import person

pytestmark = pytest.mark.usefixtures("guideline")

HOME = reverse("chat:home")
GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
FOR_ANYBODY = "What is the dose of demonstracillin for pneumonia?"


@pytest.fixture
def german(settings: Settings, alice: User) -> Client:
    """Give a clinician's German browser, at a site that answers in German."""
    settings.ANSWER_LANGUAGES = ("en", "de")
    browser = Client(headers=GERMAN)
    browser.force_login(alice)
    return browser


def asked(browser: Client, question: str) -> Turn:
    browser.post(reverse("chat:ask"), {"question": question})
    return Turn.objects.latest("created_at")


def test_home_is_in_the_language_of_the_browser(german: Client) -> None:
    response = german.get(HOME)
    assert lacking(response.text, '<html lang="de">', "1 gültige Leitlinie") == []
    assert "Accept-Language" in response["Vary"]
    english = german.get(HOME, headers={"Accept-Language": "fr,en-US;q=0.7"}).text
    assert lacking(english, '<html lang="en-gb">', "Ask the guidelines") == []


def test_a_site_that_does_not_answer_german_has_english_pages(clinician: Client) -> None:
    response = clinician.get(HOME, headers=GERMAN)
    assert lacking(response.text, '<html lang="en-gb">', "Ask the guidelines") == []
    assert "Accept-Language" not in response.get("Vary", "")


def test_an_answer_its_page_and_the_list_are_german(german: Client) -> None:
    turn = asked(german, QUESTION)
    assert turn.status == TurnStatus.ANSWERED
    said = text_of(german.get(thread(turn.conversation_id)))
    told = ("Beantwortet", "Wörtlich aus 1 Leitlinie", "Seite 1", "War dies hilfreich?")
    assert lacking(said, *told) == []
    cited = Citation.objects.get(claim__turn=turn)
    source = text_of(german.get(reverse("chat:citation", args=[cited.pk])))
    assert lacking(source, "Der zitierte Wortlaut", "Zurück zur Antwort") == []
    assert "Frühere Fragen" in text_of(german.get(reverse("chat:conversations")))


def test_a_refusal_is_german(german: Client) -> None:
    turn = asked(german, NEAR)
    assert turn.reason == Reason.WEAK_EVIDENCE
    said = text_of(german.get(thread(turn.conversation_id)))
    assert lacking(said, "Nicht sicher genug", "Nächstliegende Textstellen") == []


def test_cautions_are_stored_in_the_asker_s_language(german: Client) -> None:
    turn = asked(german, FOR_ANYBODY)
    assert [warning["text"] for warning in turn.warnings] == ["Gilt für: Erwachsene."]
    assert turn_replay(turn).changed == ()


def test_what_is_asked_otherwise_stays_english(german: Client, alice: User) -> None:
    turn = ask(alice, FOR_ANYBODY, channel=Channel.API)
    assert [warning["text"] for warning in turn.warnings] == ["Applies to: adults."]
    assert "page" not in turn.trace["asked"]


def test_what_is_wrong_with_a_question_is_told_in_german(german: Client) -> None:
    page = german.post(reverse("chat:ask"), {"question": "?" * 5})
    assert "Frage ist leer" in text_of(page)


def test_error_pages_and_the_sign_in_are_german(german: Client) -> None:
    for address, status, words in (
        ("/nowhere/", 404, "gibt es hier"),
        (f"{HOME}?q=%00", 400, "nicht lesbar"),
    ):
        page = german.get(address)
        assert (page.status_code, lacking(text_of(page), words)) == (status, [])
    german.logout()
    page = german.post(reverse("login"), {"username": "alice", "password": "wrong"})
    assert "passen nicht zusammen" in text_of(page)


def test_the_administration_and_the_api_stay_english(german: Client, alice: User) -> None:
    ask(alice, NEAR)
    head = person("head", is_superuser=True)
    head.is_staff = True
    head.save()
    german.force_login(head)
    assert '<html lang="en-gb"' in german.get(reverse("admin:index")).content.decode()
    problem = german.get("/api/v1/turns").json()
    assert "Authentication" in problem["detail"]
