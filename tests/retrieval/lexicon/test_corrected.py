"""Which spelling slips are corrected before a search, and which words are left as typed."""

import datetime

import pytest

from retrieval.asked.spelling import spelling_corrected
from retrieval.types import Query
from tests.corpora import publish

pytestmark = pytest.mark.django_db
TEXT = """# Poisoning
Give acetylcysteine. Dysphagia and hyperkalaemia are common, adjustments are not.
The overloaded patient has sprained ankles.
"""


def corrected(question: str) -> dict[str, str]:
    return spelling_corrected(Query(question, on=datetime.date(2026, 5, 1)))


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("acetylcystiene dose", {"acetylcystiene": "acetylcysteine"}),  # two letters swapped
        ("Acetylcysteeine dose", {"acetylcysteeine": "acetylcysteine"}),  # one too many
        ("ajustments needed?", {"ajustments": "adjustments"}),  # one too few
        ("overlaoded or spraned", {"overlaoded": "overloaded", "spraned": "sprained"}),
        ("acetylcysteine dose", {}),
        ("dysphasia after stroke", {}),  # another letter: another word
        ("hypokalaemia", {}),  # two slips, and the opposite
        ("acetylsistiene dose", {}),
        ("how comon is it", {}),  # short words are too similar
        ("prednisone dose", {}),  # a medicine that no passage holds
        ("", {}),
    ],
)
def test_a_slip_of_one_letter_in_a_long_word(question: str, meant: dict[str, str]) -> None:
    publish(TEXT)
    assert corrected(question) == meant


def test_what_could_be_two_words_is_left() -> None:
    publish("# Brands\nMarlontin is one brand.")
    assert corrected("maarlontin") == {"maarlontin": "marlontin"}
    publish("# Others\nMaalontin is another brand.")
    assert corrected("maarlontin") == {}


def test_a_word_that_passages_of_another_language_hold_is_no_slip() -> None:
    publish("# Dosis\nZwei Brausetabletten oder eine Brausetablette.", language="de")
    publish("# Dosis\nEine Brausetablette am Abend.", language="de")
    assert corrected("wieviele brausetabletten") == {}


def test_words_of_what_is_not_in_force_put_nothing_right() -> None:
    publish(TEXT, lifecycle="WITHDRAWN")
    assert corrected("acetylcystiene dose") == {}
