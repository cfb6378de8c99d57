"""The analysis of questions: a table of invented cases, and texts of any kind."""

import time
from collections.abc import Callable, Iterable

import pytest

from core.language.detection import language
from core.language.en.clinical_terms import conditions, dates
from core.language.en.medicines.names import drugs
from core.language.en.negation import asks_for_exception, negations
from core.language.en.patients.groups import populations
from core.language.en.questions.asked import asked_medicines, asks_when_not
from core.language.en.questions.narrative import focus
from retrieval.analysis import analyse, expansions, spelled_out
from retrieval.lexicon.terms import Lexicon
from tests.retrieval.hostile import HANDMADE, random_queries
from tests.tables import cases

FINDS: dict[str, Callable[[str], Iterable[str]]] = {
    "expansions": lambda text: [each.words for each in expansions(text) if not each.same],
    "negations": negations,
    "asks_for_exception": lambda text: ["yes" if asks_for_exception(text) else "no"],
    "populations": populations,
    "drugs": drugs,
    "dates": dates,
    "language": lambda text: [language(text)],
    "focus": lambda text: [focus(text)],
    "conditions": lambda text: [name for name, _ in conditions(text)],
    "asked_medicines": lambda text: sorted(asked_medicines(text)),
    "asks_when_not": lambda text: ["yes" if asks_when_not(text) else "no"],
}


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "question", "found"), cases(__file__, "analysis.tsv"))
def test_finds_what_the_table_says(name: str, question: str, found: str) -> None:
    assert "; ".join(FINDS[name](question)) == found


@pytest.mark.django_db
def test_spelled_out_keeps_what_was_typed() -> None:
    assert spelled_out("MAP target") == "MAP (mean arterial pressure) target"
    assert spelled_out("no abbreviation") == "no abbreviation"
    assert spelled_out(analyse("DKA, then dka")) == "DKA (diabetic ketoacidosis), then dka"


def test_one_long_sentence_has_no_focus() -> None:
    assert focus("word " * 60) == ""


def test_a_story_that_asks_nothing_keeps_what_is_clinical() -> None:
    story = (
        "Our neighbours came over on Sunday and brought a cake with them for the children. My son "
        "has had asthma for years. We went for a walk in the afternoon, since the weather was fine."
    )
    assert focus(story) == "My son has had asthma for years."


@pytest.mark.parametrize("question", [*HANDMADE, *random_queries(60)])
def test_any_text_is_analysed(question: str) -> None:
    analysis = analyse(question, Lexicon())
    assert analysis.text == question
    assert analyse(question, Lexicon()) == analysis
    focus(question)


@pytest.mark.parametrize(
    "text",
    [
        "a " * 50_000,
        "which " * 16_000,
        "all the not " * 9_000,
        "what? " * 16_000,
        "cef" * 33_000,
        "Dear " * 20_000,
        "-" * 100_000,
        "1 year " * 14_000,
        "MAP " * 25_000,
        "anti-" * 20_000,
        "a" * 100_000,
        "." * 100_000,
        "wonder " * 14_000,
    ],
    ids=range(13),
)
def test_a_hundred_thousand_characters_end(text: str) -> None:
    """A rule that backtracks would take minutes."""
    started = time.process_time()
    analyse(text, Lexicon())
    focus(text)
    assert time.process_time() - started < 20


def test_an_address_in_a_story_is_left_out_and_a_long_word_costs_one_look() -> None:
    told = "My son, see jane.doe@example.org, has had asthma for years and is on an inhaler. "
    said = "Last week he was coughing all night long and he could not sleep at all, poor boy. "
    asked = "What is the best treatment for asthma in children of his age?"
    assert "example" not in focus(told + said + asked)
    durations = []
    for count in (4_000, 16_000):
        story = f"{'a' * count} {said} {said} {asked}"
        started = time.process_time()
        for _ in range(5):
            focus(story)
        durations.append(time.process_time() - started)
    assert durations[1] < max(0.2, 8 * durations[0])  # 16 times as long, were it quadratic
