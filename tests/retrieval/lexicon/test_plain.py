"""Test that typed questions are read as they would be said, and that what is unclear stays."""

import datetime

import pytest

from core.language.en.short_forms.numbers import in_words
from retrieval.analysis import plain_words
from retrieval.asked.clipped import words_completed
from retrieval.lexicon.plain import in_plain_words
from retrieval.lexicon.terms import Entry, Lexicon
from retrieval.types import Query
from tests.corpora import publish
from tests.tables import cases

PE = Lexicon(
    (
        Entry("PE", "pulmonary embolism", exact=True),
        Entry("pe", "pre-eclampsia", beside=("proteinuria", "eclamp*")),
        Entry("pe", "pulmonary embolism", beside=("clot",)),
        Entry("K+", "potassium"),
        Entry("wd", "ward", beside=("bed",)),
    )
)


@pytest.mark.django_db
@pytest.mark.parametrize(("typed", "plain"), cases(__file__, "typed_questions.tsv"))
def test_fifty_questions_of_a_ward_are_read_as_they_would_be_said(typed: str, plain: str) -> None:
    assert plain_words(typed) == plain
    assert plain_words(plain) == plain


@pytest.mark.parametrize(("typed", "plain"), cases(__file__, "signs.tsv"))
def test_ages_spans_and_signs_are_written_out(typed: str, plain: str) -> None:
    assert in_words(typed) == plain


@pytest.mark.parametrize(("typed", "plain"), cases(__file__, "meanings.tsv"))
def test_a_form_has_the_meaning_that_the_words_beside_it_speak_for(typed: str, plain: str) -> None:
    assert in_plain_words(typed, PE) == plain


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("dolutegr with rifampicin", {"dolutegr": "dolutegravir"}),
        ("vncmycn level", {"vncmycn": "vancomycin"}),
        ("flucl or fluco dose", {"flucl": "flucloxacillin", "fluco": "fluconazole"}),
        ("fluc dose", {}),
        ("clot in the leg, warf", {}),
        ("desensit protocol", {"desensit": "desensitisation"}),
        ("Zyblort dose", {}),
        ("vancomycin with sepsis", {}),
        ("rebleed in the night", {}),
    ],
)
def test_what_begins_one_word_is_read_as_it(typed: str, completed: dict[str, str]) -> None:
    publish("# Allergy\n\n" + "Rapid desensitisation takes a day.\n\n" * 3 + "A re-bleed is rare.")
    found = words_completed(Query(typed, on=datetime.date(2026, 1, 1)))
    assert found == completed
