"""Test that texts in German are read as the same texts in English are, and others not at all."""

import json
import tomllib
from pathlib import Path

import pytest

from core.language import gloss as gloss_module
from core.language.detection import language, prevailing
from core.language.en.clinical_terms import routes
from core.language.en.medicines.names import drug_classes, drugs
from core.language.en.patients.people import people_of
from core.language.en.quantities.matching import counted
from core.language.en.statements.limits import Limit, limit_of
from core.language.gloss import gloss, has_table, question_in_english, spoken_in
from tests.tables import cases

ROOT = Path(__file__).resolve().parents[3]
TABLES = ROOT / "core" / "language" / "de"
GERMAN = ROOT / "tests" / "golden" / "german.json"
ENGLISH_QUESTIONS = [
    ROOT / "samples" / "questions.json",
    *sorted(set((ROOT / "tests" / "golden").glob("*.json")) - {GERMAN}),
]
# By its stop words, which Danish has too.
TAKEN_FOR_DANISH = {"Ever since Iraq I get flashbacks. A friend takes diazepam for his; could I?"}


@pytest.mark.parametrize(("german", "english"), cases(__file__, "german_amounts.tsv"))
def test_amounts_are_read_as_in_english(german: str, english: str) -> None:
    assert counted(gloss(german, "de")) == counted(english) != frozenset()


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("Ciprofloxacin ist in der Schwangerschaft kontraindiziert.", Limit.CONTRAINDICATION),
        ("Bei Penicillinallergie nicht geben.", Limit.CONTRAINDICATION),
        ("Nicht anwenden bei Niereninsuffizienz.", Limit.CONTRAINDICATION),
        ("Nur bei Erwachsenen anwenden.", Limit.EXCEPTION),
        ("Schwangere dürfen kein Ciprofloxacin erhalten.", Limit.CONTRAINDICATION),
        ("Metamizol wird bei Säuglingen nicht gegeben.", Limit.CONTRAINDICATION),
        ("Nicht geben, außer bei Sepsis.", Limit.CONTRAINDICATION),
        ("Nur wenn der Blutdruck stabil ist.", Limit.EXCEPTION),
        ("Cave: Hypotonie.", Limit.EXCEPTION),
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


@pytest.mark.parametrize(("question", "code"), cases(__file__, "spoken.tsv"))
def test_the_language_of_a_question_is_told(question: str, code: str) -> None:
    assert spoken_in(question) == code


@pytest.mark.parametrize("file", ENGLISH_QUESTIONS, ids=lambda file: file.stem)
def test_every_english_question_stays_english(file: Path) -> None:
    rows = json.loads(file.read_text(encoding="utf-8"))
    turns = [turn for row in rows for turn in (row if isinstance(row, list) else [row])]
    asked = [turn["question"] for turn in turns]
    strange = {question for question in asked if spoken_in(question) != "en"}
    assert strange <= TAKEN_FOR_DANISH


def test_a_compound_is_read_by_its_parts_and_an_allergy_is_never_lost() -> None:
    assert gloss("Adrenalininjektion", "de") == "adrenaline injection"
    assert gloss("Amoxicillinallergie", "de") == "amoxicillin allergy"
    assert gloss("Schwangerschaftsdiabetes", "de") == "pregnancy diabetes"
    assert gloss("schwangeren", "de") == "pregnant women"


@pytest.mark.parametrize(
    ("german", "english"),
    [
        ("Kind 4 J", "child 4 years old"),
        ("ein dreijähriges Kind", "a 3 year old child"),
        ("ab der 36. SSW", "from 36 weeks of pregnancy"),
        ("SSW 37+2", "37 weeks of pregnancy"),
        ("Defibrillation mit 200 J", "Defibrillation with 200 J"),
        ("Krea-Clearance < 30 ml/min", "creatinine clearance < 30 ml/min"),
        ("nur bei eGFR 25 Dosis halbieren", "only in eGFR 25, dose halve"),
    ],
)
def test_short_forms_are_read(german: str, english: str) -> None:
    assert gloss(german, "de") == english


def test_each_medicine_of_the_table_is_one_that_rules_know() -> None:
    table = tomllib.loads((TABLES / "medicines.toml").read_text(encoding="utf-8"))["words"]
    unknown = {name for name, english in table.items() if not drugs(english)}
    others = {name for name in unknown if not drug_classes(table[name])}
    assert others == {
        "antikoagulation",
        "glucose",
        "glukose",
        "vitamin k antagonist",
        "vitamin k antagonisten",
    }


def test_a_question_is_read_in_english() -> None:
    assert (
        question_in_english("Wie viel Adrenalin für Kinder?") == "how much adrenaline for children?"
    )


def test_a_short_text_has_the_language_of_its_document() -> None:
    assert language("Adrenalin 0,5 mg", default="de") == "de"
    german = "Die Dosis ist nicht zu erhöhen und wird mit Wasser gegeben."
    assert prevailing([german, german, "The dose is not to be given with water."]) == "de"


def test_a_table_that_lacks_what_rules_need_counts_as_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "es").mkdir()
    words = '[patterns]\n"x" = "y"\n[words]\n"dos veces al día" = "twice daily"\n'
    (tmp_path / "es" / "words.toml").write_text(words, encoding="utf-8")
    monkeypatch.setattr(gloss_module, "_FOLDER", tmp_path)
    monkeypatch.setattr(gloss_module, "_TABLES", ["es"])
    gloss_module.table_of.cache_clear()
    try:
        assert not has_table("es")
    finally:
        gloss_module.table_of.cache_clear()
