"""Test that typed questions are read as they would be said, and that what is unclear stays."""

import datetime
from pathlib import Path

import pytest

from core.language.en.short_forms.numbers import in_words
from retrieval.analysis import plain_words
from retrieval.asked.clipped import words_completed
from retrieval.lexicon.plain import in_plain_words
from retrieval.lexicon.terms import Entry, Lexicon
from retrieval.types import Query
from tests.corpora import publish

TYPED = [
    line.split("\t")
    for line in Path(__file__)
    .with_name("typed_questions.tsv")
    .read_text(encoding="utf-8")
    .splitlines()[1:]
]
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
@pytest.mark.parametrize(("typed", "plain"), TYPED, ids=[typed for typed, _ in TYPED])
def test_fifty_questions_of_a_ward_are_read_as_they_would_be_said(typed: str, plain: str) -> None:
    assert plain_words(typed) == plain
    assert plain_words(plain) == plain


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("3/12 old, 5.2kg", "3-month-old, 5.2 kg"),
        ("7wk baby for 2/52", "7-week-old baby for 2 weeks"),
        ("at 28+3/40", "at 28 weeks pregnant"),
        ("30/40 prem", "30 weeks gestation prem"),
        ("bp 140/40", "bp 140/40"),
        ("64F on HRT", "64-year-old woman on HRT"),
        ("4F PCC", "4F PCC"),
        ("INR >8, 0.5 mg/kg/d", "INR >8, 0.5 mg/kg/d"),
        ("5M units", "5M units"),
        ("?PE w/o DVT", "suspected PE without DVT"),
        ("swab -ve, smear +ve", "swab negative, smear positive"),
        ("c/o pain 3d", "c/o pain 3 days"),
    ],
)
def test_ages_spans_and_signs_are_written_out(typed: str, plain: str) -> None:
    assert in_words(typed) == plain


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("PE dose", "PE (pulmonary embolism) dose"),
        ("pe lessons", "pe lessons"),
        ("PE with eclamptic fit", "PE (pre-eclampsia) with eclamptic fit"),
        ("pe and proteinuria and a clot", "pe and proteinuria and a clot"),
        ("PE (pleural effusion) drain", "PE (pleural effusion) drain"),
        ("pulmonary embolism, PE", "pulmonary embolism, PE"),
        ("K+ 2.1", "potassium 2.1"),
        ("wd round", "wd round"),
    ],
)
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
