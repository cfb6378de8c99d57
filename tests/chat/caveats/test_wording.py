"""Test how what is said of patients is put into the language of the page."""

import pytest
from django.utils.translation import override

from chat.caveats.wording import PHRASES, statements_numbered, words_for_people
from core.language.en.patients.people import apart, people_of


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("people aged 6 months to 6 years", "Personen im Alter von 6 Monaten bis 6 Jahren"),
        ("a creatinine clearance of 20 to 39", "eine Kreatinin-Clearance von 20 bis 39"),
        ("45 mL/min or more", "45 mL/min oder mehr"),
        ("people who are not pregnant", "nicht Schwangere"),
        ("allergy to penicillin", "Allergie gegen penicillin"),
    ],
)
def test_words_on_patients_are_translated_phrase_by_phrase(english: str, german: str) -> None:
    assert words_for_people(english) == english
    with override("de"):
        assert words_for_people(english) == german


def test_english_is_left_as_it_is() -> None:
    assert [phrase for phrase in PHRASES if words_for_people(phrase) != phrase] == []


def test_how_two_patients_differ_is_german_throughout() -> None:
    pair = apart(people_of("a child aged 8 years"), people_of("adults aged 18 years or more"))
    assert pair is not None
    with override("de"):
        assert words_for_people(pair.ours) == "ein Kind von 8 Jahren"
        assert words_for_people(pair.theirs) == "Erwachsene im Alter von 18 Jahren oder mehr"
        assert statements_numbered([1, 2, 4]) == "Aussagen 1, 2 und 4"
