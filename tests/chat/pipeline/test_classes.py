"""Test that what a guideline says of a class answers for its members, and no sister's dose does."""

import pytest

from chat.ask import turn_ask
from chat.models import Channel, Turn, TurnStatus
from chat.types import AskedQuestion
from core.language.en.questions.limits import asks_limits, when_contraindicated
from core.language.en.short_forms.medicines import classes_of, tells_of_class
from retrieval.lexicon.classes import in_class_words, in_words_of_limits
from tests.corpora import publish

CLASSES = """# Medicines on the medical ward
## Clot busting
Tenecteplase: give 0.25 mg/kg as one bolus.
## Contraindications to thrombolysis
- A brain haemorrhage at any time.
- Neurosurgery within the previous 3 months.
## Blood pressure
Lisinopril: start 10 mg once daily.
ACE inhibitors are contraindicated in pregnancy; give labetalol instead.
## Pain
NSAIDs are avoided in heart failure.
Diclofenac: give 50 mg three times daily.
## Statins
Statins are stopped in rhabdomyolysis.
"""

database = pytest.mark.django_db


def ask(question: str) -> Turn:
    publish(CLASSES)
    return turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND))


@database
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("contraindications to alteplase", "Neurosurgery within"),
        ("who should not get reteplase?", "Neurosurgery within"),
        ("ramipril in pregnancy", "ACE inhibitors are contraindicated in pregnancy"),
        ("can I give enalapril in pregnancy?", "ACE inhibitors are contraindicated in pregnancy"),
        ("is naproxen ok in heart failure", "NSAIDs are avoided in heart failure"),
        ("should simvastatin be stopped in rhabdomyolysis?", "Statins are stopped"),
    ],
)
def test_what_limits_a_class_limits_its_members(question: str, said: str) -> None:
    turn = ask(question)
    assert turn.status == TurnStatus.ANSWERED
    assert said in " ".join(claim.text for claim in turn.claims.all())


@database
@pytest.mark.parametrize(
    ("question", "dose"),
    [
        ("alteplase dose", "0.25 mg/kg"),
        ("ramipril starting dose for blood pressure", "10 mg"),
        ("can I give ramipril for blood pressure", "10 mg"),
        ("is naproxen ok for pain", "50 mg"),
    ],
)
def test_a_sister_s_dose_answers_nothing(question: str, dose: str) -> None:
    turn = ask(question)
    assert dose not in " ".join(claim.text for claim in turn.claims.all())


@database
@pytest.mark.parametrize("question", ["contraindications to warfarin", "when not to give codeine"])
def test_the_limits_of_a_class_are_nobody_else_s(question: str) -> None:
    turn = ask(question)
    assert "Neurosurgery" not in " ".join(claim.text for claim in turn.claims.all())


@pytest.mark.parametrize(
    ("medicine", "text", "tells"),
    [
        ("ramipril", "ACE-inhibitors are not given; use labetalol.", True),
        ("bumetanide", "Withhold diuretics until the patient drinks.", True),
        ("bumetanide", "Withhold ACE inhibitors.", False),
        ("ramipril", "Avoid enalapril and other ACE inhibitors.", False),
        ("dapagliflozin", "Stop SGLT2 inhibitors.", True),
        ("insulin", "Long acting insulin is continued.", False),
    ],
)
def test_a_text_tells_of_a_class_that_names_no_sister(
    medicine: str, text: str, tells: bool
) -> None:
    assert tells_of_class(frozenset((medicine,)), text) == tells


def test_classes_go_by_the_names_that_guidelines_print() -> None:
    assert classes_of("alteplase") == ("thrombolysis", "thrombolytic")
    assert classes_of("ramipril")[0] == "ACE inhibitor"
    assert classes_of("furosemide") == ("loop diuretic", "diuretic")
    assert classes_of("enoxaparin") == ("LMWH",)  # its words would name heparin
    assert classes_of("insulin") == ()


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("contraindications to alteplase", True),
        ("ramipril in pregnancy", True),
        ("ibuprofen and asthma", True),
        ("can I give naproxen", True),
        ("ramipril dose in pregnancy", False),
        ("how is gentamicin given in sepsis", False),
        ("ramipril 5 mg in heart failure", False),
    ],
)
def test_limits_are_asked_without_an_amount(question: str, asks: bool) -> None:
    assert asks_limits(question) == asks
    assert bool(in_words_of_limits(question)) == asks


def test_a_question_is_worded_for_the_class_of_its_only_medicine() -> None:
    assert in_class_words("can lisinopril be restarted?") == "can an ACE inhibitor be restarted?"
    assert in_class_words("is bumetanide ok") == "is a loop diuretic ok"
    assert in_class_words("can I give ramipril with bumetanide?") == ""
    assert in_class_words("is paracetamol ok") == ""


@pytest.mark.parametrize(
    "question",
    [
        "contraindications to alteplase",
        "What are the contraindications of alteplase?",
        "when not to give alteplase",
        "who shouldn't have alteplase",
    ],
)
def test_contraindications_are_asked_in_a_sentence(question: str) -> None:
    assert when_contraindicated(question) == "When is alteplase contraindicated?"


@pytest.mark.parametrize("question", ["what if warfarin is contraindicated", "alteplase dose"])
def test_other_questions_stay_as_they_are(question: str) -> None:
    assert when_contraindicated(question) == question
