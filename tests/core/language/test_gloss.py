"""Test that texts in German are read as the same texts in English are, and others not at all."""

from __future__ import annotations

import pytest

from core.language.detection import language, prevailing
from core.language.en.clinical_terms import routes
from core.language.en.medicines.names import drugs
from core.language.en.patients.people import people_of
from core.language.en.quantities.matching import counted
from core.language.en.statements.limits import Limit, limit_of
from core.language.gloss import gloss, has_table, question_in_english, spoken_in

SAME = [
    ("Adrenalin 0,5 mg i.m. alle 5 Minuten", "adrenaline 0.5 mg intramuscularly every 5 minutes"),
    ("höchstens 2.000 mg pro Tag", "at most 2000 mg per day"),
    ("Furosemid 40 mg 1-0-1", "furosemide 40 mg twice daily"),
    ("Paracetamol 500 mg 4x tgl.", "paracetamol 500 mg 4 times daily"),
    ("mindestens 12 Stunden, mehr als 5 mg", "at least 12 hours, more than 5 mg"),
    ("zweimal täglich", "twice daily"),
    ("1.250,5 mg", "1250.5 mg"),
]


@pytest.mark.parametrize(("german", "english"), SAME)
def test_amounts_are_read_as_in_english(german: str, english: str) -> None:
    assert counted(gloss(german, "de")) == counted(english) != frozenset()


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("Ciprofloxacin ist in der Schwangerschaft kontraindiziert.", Limit.CONTRAINDICATION),
        ("Bei Penicillinallergie nicht geben.", Limit.CONTRAINDICATION),
        ("Nicht anwenden bei Niereninsuffizienz.", Limit.CONTRAINDICATION),
        ("Nur bei Erwachsenen anwenden.", Limit.EXCEPTION),
        ("Die Tabletten werden mit Wasser eingenommen.", None),
    ],
)
def test_limits_are_read(text: str, limit: Limit | None) -> None:
    assert limit_of(gloss(text, "de")) is limit


def test_patients_medicines_and_routes_are_read() -> None:
    text = gloss("Schwangere und Kinder unter 6 Jahren: Amoxicillin oral, Adrenalin i.m.", "de")
    people = people_of(text)
    assert set(people.groups) >= {"pregnant"}
    assert [interval.high for interval in people.ages] == [6 * 365.25]
    assert drugs(text) == ("amoxicillin", "adrenaline")
    assert routes(text) == {"oral", "intramuscular"}


def test_the_kidney_function_of_a_german_sentence_bounds_it() -> None:
    text = gloss("Bei einer Kreatinin-Clearance unter 45 mL/min nicht geben.", "de")
    (interval,) = people_of(text).kidney
    assert (interval.high, interval.high_open) == (45.0, True)


def test_english_is_left_as_it_is_and_a_language_without_a_table_says_nothing() -> None:
    assert gloss("Give 5 mg.", "en") == "Give 5 mg."
    assert gloss("Ge 5 mg | till vuxna.", "sv").split() == ["|", "."]
    assert (has_table("en"), has_table("de"), has_table("sv")) == (True, True, False)
    assert not has_table("../en")


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("Wie viel Adrenalin bei Anaphylaxie?", "de"),
        ("Adrenalin Dosis Anaphylaxie Erwachsene", "de"),
        ("adrenaline dose anaphylaxis adult", "en"),
        ("Hb 74 stable no bleeding no cardiac history transfuse?", "en"),
        ("flecainide dose for AF onset 3 hours ago, normal heart", "en"),
        ("Quelle est la dose d'adrénaline en cas d'anaphylaxie chez l'enfant ?", "fr"),
    ],
)
def test_the_language_of_a_question_is_told(question: str, code: str) -> None:
    assert spoken_in(question) == code


def test_a_question_is_read_in_english() -> None:
    assert (
        question_in_english("Wie viel Adrenalin für Kinder?") == "how much adrenaline for children?"
    )


def test_a_short_text_has_the_language_of_its_document() -> None:
    assert language("Adrenalin 0,5 mg", default="de") == "de"
    german = "Die Dosis ist nicht zu erhöhen und wird mit Wasser gegeben."
    assert prevailing([german, german, "The dose is not to be given with water."]) == "de"
