"""Test that a question about a thing that nothing here knows is refused, with the word."""

import pytest
from pytest_django import Settings

from chat.ask import turn_ask
from chat.models import Channel, Reason, Turn, TurnStatus
from chat.types import AskedQuestion
from tests.corpora import publish

pytestmark = pytest.mark.django_db

POISONING = (
    "# Poisoning in adults\nGive midazolam 5 mg by mouth every 8 hours to adults with poisoning."
)
ATRIAL = (
    "# Apixaban for atrial fibrillation\nGive apixaban 5 mg twice daily to adults with atrial "
    "fibrillation.\n\nGive apixaban 5 mg once daily if the creatinine clearance is 15 to 29 mL/min."
)
VORHOF = (
    "# Apixaban bei Vorhofflimmern\nGeben Sie Erwachsenen mit Vorhofflimmern zweimal täglich "
    "2,5 mg Apixaban. Bei Patienten mit einer mechanischen Herzklappe ist das nicht zu geben."
)
IN_SWEDISH = "Hur hög är dosen av apixaban och när ska den ges vid förmaksflimmer?"
IN_GERMAN = "Wie hoch ist die Dosis von Apixaban bei Vorhofflimmern?"


def ask(question: str) -> Turn:
    return turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND))


def warnings(turn: Turn) -> str:
    return " ".join(warning["text"] for warning in turn.warnings)


@pytest.mark.parametrize("word", ["zorbitool", "quexaprine", "Brindlemoss"])
def test_a_thing_that_nothing_knows_is_refused_by_name(word: str) -> None:
    publish(POISONING)
    turn = ask(f"What is the dose for {word} poisoning in adults?")
    assert turn.reason == Reason.WEAK_EVIDENCE
    assert f"“{word}”" in warnings(turn)


@pytest.mark.parametrize(
    "question",
    [
        "What is the dose of midazolam for poisoning in adults?",
        "What is the dose of midazolam for posioning in adults?",  # corrected
        "What is the dose of midazolam for the poisonings of adults?",
        "How should midazolam be given to somebody with poisoning?",
    ],
)
def test_words_of_the_language_and_forms_of_what_is_shown_are_known(question: str) -> None:
    publish(POISONING)
    assert ask(question).status == TurnStatus.ANSWERED


def test_a_question_in_german_is_answered_in_english_where_its_words_are_known(
    settings: Settings,
) -> None:
    settings.ANSWER_LANGUAGES = ("en", "de")
    publish(ATRIAL)
    assert ask(IN_GERMAN).status == TurnStatus.ANSWERED
    assert ask(IN_GERMAN.replace("Apixaban", "Zelomycin")).status == TurnStatus.ABSTAINED


def test_a_question_that_rules_cant_read_is_answered_in_its_own_language_only(
    settings: Settings,
) -> None:
    settings.ANSWER_LANGUAGES = ("en", "sv")
    publish(ATRIAL)
    assert ask(IN_SWEDISH).status == TurnStatus.ABSTAINED


def test_a_question_in_the_language_of_its_guideline_is_not_refused_for_its_words(
    settings: Settings,
) -> None:
    settings.ANSWER_LANGUAGES = ("en", "de")
    publish(VORHOF, language="de")
    assert "“" not in warnings(ask(IN_GERMAN))
