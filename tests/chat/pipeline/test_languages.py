"""Test what is answered in another language than English, and what is not."""

import pytest
from django.conf import LazySettings

from chat.ask import turn_ask
from chat.models import Channel, Reason, Turn, TurnStatus
from chat.types import AskedQuestion
from corpus.models import Chunk
from tests.chat.gate.calibrations import kept
from tests.corpora import publish

pytestmark = pytest.mark.django_db

GERMAN = """# Anaphylaxie bei Erwachsenen
## Adrenalin
Erwachsene mit Anaphylaxie erhalten Adrenalin 0,5 mg intramuskulär in den Oberschenkel.
Adrenalin kann nach 5 Minuten wiederholt werden.
"""
SWEDISH = """# Anafylaxi hos vuxna
## Adrenalin
Ge adrenalin 0,5 mg intramuskulärt till vuxna med anafylaxi och upprepa efter 5 minuter.
"""
QUESTION = "Wie viel Adrenalin bekommen Erwachsene bei Anaphylaxie?"
IN_SWEDISH = "Hur mycket adrenalin ska vuxna ha vid anafylaxi?"


def ask(question: str, **arguments: object) -> Turn:
    return turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND, **arguments))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def open_gate() -> None:
    kept(threshold=0.001)


def test_a_question_in_a_language_that_is_not_answered_is_refused_and_told_why() -> None:
    publish(GERMAN, language="de")
    turn = ask(QUESTION)
    assert (turn.status, turn.reason) == (TurnStatus.ABSTAINED, Reason.OTHER_LANGUAGE)
    assert turn.nearest
    assert "Fragen Sie auf: English." in turn.warnings[0]["text"]


def test_an_english_question_is_not_answered_from_a_language_that_is_not_answered() -> None:
    publish(GERMAN, language="de")
    assert ask("adrenaline dose in anaphylaxis").status == TurnStatus.ABSTAINED


def test_german_is_answered_in_its_own_words_where_the_site_says_so(settings: LazySettings) -> None:
    settings.ANSWER_LANGUAGES = ("en", "de")
    publish(GERMAN, language="de")
    turn = ask(QUESTION)
    assert turn.status == TurnStatus.ANSWERED
    assert "0,5 mg intramuskulär" in turn.claims.first().text  # type: ignore[union-attr]
    assert "language" not in {warning["code"] for warning in turn.warnings}


def test_a_language_without_a_table_is_only_quoted_and_says_that_nothing_was_checked(
    settings: LazySettings,
) -> None:
    settings.ANSWER_LANGUAGES = ("en", "sv")
    publish(SWEDISH, language="sv")
    turn = ask(IN_SWEDISH)
    assert turn.status == TurnStatus.ANSWERED
    assert "language" in {warning["code"] for warning in turn.warnings}


def test_a_german_follow_up_that_leans_on_the_question_before_is_unclear(
    settings: LazySettings,
) -> None:
    settings.ANSWER_LANGUAGES = ("en", "de")
    publish(GERMAN, language="de")
    turn = ask("Und bei Kindern?", earlier=(QUESTION,))
    assert turn.reason == Reason.UNCLEAR_QUESTION


def test_a_passage_has_the_language_of_its_words_whatever_its_document_says() -> None:
    publish(GERMAN, language="en")
    assert set(Chunk.objects.values_list("language", flat=True)) == {"de"}
