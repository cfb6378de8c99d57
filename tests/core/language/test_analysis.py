"""The analysis of questions: tables of invented cases."""

from __future__ import annotations

import time

import pytest

from core.language.detection import language
from core.language.en.clinical_terms import dates
from core.language.en.medicines.names import drugs
from core.language.en.negation import asks_for_exception, negations
from core.language.en.patients.groups import populations
from core.language.en.questions.narrative import focus
from retrieval.analysis import analyse, expansions, spelled_out
from retrieval.lexicon.terms import Lexicon
from tests.retrieval.hostile import HANDMADE, random_queries


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("MAP target on noradrenaline", ["mean arterial pressure"]),
        ("crcl 25 mL/min", ["creatinine clearance"]),
        ("When has DKA resolved?", ["diabetic ketoacidosis"]),
        ("PCC dose and INR", ["prothrombin complex concentrate", "international normalised ratio"]),
        ("map of the hospital", []),  # a word in small letters
        ("give iv fluids in pe lessons", ["intravenous"]),
        ("MAP (mean arterial pressure) target", []),  # spelled out already
        ("DKA or DKA", ["diabetic ketoacidosis"]),
        ("", []),
    ],
)
def test_expansions(question: str, words: list[str]) -> None:
    assert [each.words for each in expansions(question) if not each.same] == words


@pytest.mark.django_db
def test_spelled_out_keeps_what_was_typed() -> None:
    assert spelled_out("MAP target") == "MAP (mean arterial pressure) target"
    assert spelled_out("no abbreviation") == "no abbreviation"
    assert spelled_out(analyse("DKA, then dka")) == "DKA (diabetic ketoacidosis), then dka"


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which drug is not safe in asthma?", ("not",)),
        ("No steroids without Paracetamol, never NSAIDs", ("No", "without", "never")),
        ("What should be avoided in gout?", ("avoided",)),
        ("Contraindications to metformin", ("Contraindications",)),
        ("is it contra-indicated", ("contra-indicated",)),
        ("Patients who don't respond", ("don't",)),
        ("He can’t swallow", ("can’t",)),
        ("All are true EXCEPT", ("EXCEPT",)),
        ("Which is LEAST likely?", ("LEAST",)),
        ("at least two doses", ()),
        ("guideline No. 5", ()),
        ("bed no 7", ()),
        ("whether or not to treat", ()),
        ("not only adults", ()),
        ("notable nothing knot", ()),
        ("neither warfarin nor heparin", ("neither", "nor")),
        ("withhold metformin unless eGFR is above 30", ("withhold", "unless")),
        ("", ()),
    ],
)
def test_negations(question: str, found: tuple[str, ...]) -> None:
    assert negations(question) == found


@pytest.mark.parametrize(
    "question",
    [
        "Which of the following is LEAST likely to cause hyponatraemia?",
        "Which is least appropriate in shock?",
        "All of the following are signs of meningitis except:",
        "All of these are true EXCEPT which one?",
        "Which drug is NOT used in status epilepticus?",
        "Which of these is not a risk factor for stroke?",
        "Which statement is incorrect about insulin?",
        "Which of the following statements about sepsis is false?",
        "what is not a cause of jaundice",
        "WHICH OF THE FOLLOWING IS NOT A SIGN OF SHOCK?",
    ],
)
def test_asks_for_exception(question: str) -> None:
    assert asks_for_exception(question)


@pytest.mark.parametrize(
    "question",
    [
        "What should I do if the patient does not respond to salbutamol?",
        "Patients not on dialysis: dose of enoxaparin",
        "Give oxygen except in COPD with retention",
        "at least how many doses of vaccine?",
        "WHAT IS THE DOSE IF NOT ON DIALYSIS",
        "treatment when antibiotics have not worked",
        "",
    ],
)
def test_a_plain_negation_asks_for_no_exception(question: str) -> None:
    assert not asks_for_exception(question)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("dose in children and adults", ("child", "adult")),
        ("78-year-old man", ("elderly",)),
        ("a 40 year old woman", ("adult",)),
        ("6 month old with cough", ("infant",)),
        ("10-day-old baby", ("neonate", "infant")),
        ("8 y/o girl", ("child",)),
        ("aged 15", ("adolescent",)),
        ("aged 3 weeks", ("neonate",)),
        ("newborns born preterm", ("preterm", "neonate")),
        ("in pregnancy, second trimester", ("pregnant",)),
        ("while breast feeding", ("breastfeeding",)),
        ("frail older people", ("elderly",)),
        ("CrCl 20 mL/min", ("renal impairment",)),
        ("on haemodialysis", ("dialysis",)),
        ("Child-Pugh C", ("hepatic impairment",)),
        ("cirrhosis", ("hepatic impairment",)),
        ("neutropenic after chemotherapy", ("immunocompromised",)),
        ("ventilated on the ICU", ("critically ill",)),
        ("after childbirth", ()),
        ("kidding about 300 years old manuscripts", ()),
        ("", ()),
    ],
)
def test_populations(question: str, found: tuple[str, ...]) -> None:
    assert populations(question) == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Gentamicin with Vancomycin or gentamicin", ("gentamicin", "vancomycin")),
        ("apixaban, sitagliptin and empagliflozin", ("apixaban", "sitagliptin", "empagliflozin")),
        ("carvedilol or bisoprolol", ("carvedilol", "bisoprolol")),
        ("co-amoxiclav or magnesium sulfate", ("co-amoxiclav", "magnesium sulfate")),
        ("ceftriaxone for adalimumab users", ("ceftriaxone", "adalimumab")),
        ("chlordiazepoxide, ferrous sulfate", ("chlordiazepoxide", "ferrous sulfate")),
        ("insulin in April, cholesterol in May", ("insulin",)),
        ("vaccine, urine, spine, machine, medicine, baseline, reason, person", ()),
        ("orbital sulfate escort cystatin", ()),
        ("", ()),
    ],
)
def test_drugs(question: str, found: tuple[str, ...]) -> None:
    assert drugs(question) == found


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("guideline of 2019 or 2021-05-03", ("2019", "2021-05-03")),
        ("published in March 2024, again 3rd of May 2025", ("March 2024", "3rd of May 2025")),
        ("since 01/02/2020", ("01/02/2020",)),
        ("2000 mg and 2000mL, 1950 kcal, 2000 units", ()),
        ("1.2019 or 2019.5 or 20190", ()),
        ("may 5 doses march on", ()),
        ("", ()),
    ],
)
def test_dates(question: str, found: tuple[str, ...]) -> None:
    assert dates(question) == found


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("What is the dose of gentamicin in the elderly?", "en"),
        ("Wie hoch ist die Dosis von Gentamicin bei einem Kind?", "de"),
        ("Quelle est la dose de gentamicine chez les enfants?", "fr"),
        ("¿Cuál es la dosis de gentamicina en los niños?", "es"),
        ("Qual é a dose de gentamicina para uma criança?", "pt"),
        ("Qual è la dose di gentamicina per il bambino?", "it"),
        ("Wat is de dosis gentamicine voor een kind met sepsis?", "nl"),
        ("Vad är dosen av gentamicin för ett barn och när?", "sv"),
        ("Mikä on annos ja miten se annetaan lapselle?", "fi"),
        ("Çocuklarda gentamisin dozu nedir ve nasıl verilir?", "tr"),
        ("Какая доза гентамицина у детей?", "ru"),
        ("Која је доза љека за дјецу?", "sr"),
        ("Ποια είναι η δόση της γενταμικίνης;", "el"),
        ("ما هي جرعة الجنتاميسين", "ar"),
        ("बच्चों में खुराक क्या है", "hi"),
        ("gentamicin dosis", "en"),  # short
        ("de novo", "en"),
        ("TNF-α and β-blockers in the elderly", "en"),
        ("in vitro in vivo in situ", "en"),
        ("ductus arteriosus botalli persistens sub partu", "en"),
        ("", "en"),
    ],
)
def test_language(question: str, code: str) -> None:
    assert language(question) == code


@pytest.mark.parametrize(
    ("story", "kept"),
    [
        (
            "Dear doctors, I hope you are well. My mother is 71 and was told last month that she"
            " has polymyalgia rheumatica. She lives alone and likes gardening. How long will she"
            " have to take prednisolone for it? Thank you so much for your help. Regards, Ann",
            "My mother is 71 and was told last month that she has polymyalgia rheumatica. "
            "How long will she have to take prednisolone for it?",
        ),
        (
            "Hello, we moved house in June and everything has been rather busy since then, with"
            " the dog and all that comes with a new garden. Can gabapentin be"
            " stopped at once? Many thanks",
            "Can gabapentin be stopped at once?",
        ),
        (
            "I am writing from a small ward. We had a patient who came in by night with a rash and "
            "she was later found to have Kawasaki disease. I would like to know what follow-up is "
            "advised. Regards\nJohn Sample",
            "We had a patient who came in by night with a rash and she was later found to have "
            "Kawasaki disease. I would like to know what follow-up is advised.",
        ),
        ("Is ibuprofen safe? I am pregnant.", ""),  # no story
        ("word " * 60, ""),  # one sentence
        ("", ""),
    ],
)
def test_focus_of_a_story(story: str, kept: str) -> None:
    assert focus(story) == kept


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
