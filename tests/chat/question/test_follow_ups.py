"""Test that follow-ups become complete questions, and complete questions are left alone."""

import random
import tarfile
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

import pytest

from chat.question.follow_ups import Asked, Standalone, standalone
from tests.chat.question.follow_up_questions import (
    BOTH,
    CHILD,
    CHOICE,
    CLEARANCE,
    CODEINE,
    CYSTITIS,
    STROKE,
    TRIMESTER,
    golden,
)
from tests.published import DATA, MEDQUAD

SEED = 5
WARFARIN = "INR 9 on warfarin, no bleeding"


def after(question: str, *before: str, answered: bool = True) -> Standalone:
    turns = [Asked(text, text, answered) for text in before]
    return standalone(question, turns, by="rules", timeout_s=1)


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        # population
        (CHILD, "and in pregnancy?",
         "What is the dose of cefalexin in pregnancy with pyelonephritis?"),
        (CHILD, "What about adults?",
         "What is the dose of cefalexin for adults with pyelonephritis?"),
        (CHILD, "and for a 4 year old?",
         "What is the dose of cefalexin for a 4 year old with pyelonephritis?"),
        (CHILD, "does this apply to adults?",
         "What is the dose of cefalexin for adults with pyelonephritis?"),
        (CHOICE, "what about children?",
         "What is the second choice antibiotic for lower UTI in children?"),
        (CHOICE, "In pregnancy?",
         "What is the second choice antibiotic for lower UTI in pregnancy?"),
        (CHOICE, "and in renal impairment?",
         "What is the second choice antibiotic for lower UTI in adults in renal impairment?"),
        (CYSTITIS, "and in pregnancy?",
         "What is the dose of nitrofurantoin for cystitis in pregnancy?"),
        (CYSTITIS, "how about children?",
         "What is the dose of nitrofurantoin for cystitis in children?"),
        (CODEINE, "and a 4 year old?", "Can a 4 year old have codeine?"),
        # medicine
        (CHILD, "what about trimethoprim?",
         "What is the dose of trimethoprim for a child with pyelonephritis?"),
        (CYSTITIS, "and with warfarin?",
         "What is the dose of nitrofurantoin for cystitis with warfarin?"),
        # condition
        (CHOICE, "and for pyelonephritis?",
         "What is the second choice antibiotic for pyelonephritis in adults?"),
        # value
        (CYSTITIS, "and if the eGFR is 25?",
         "What is the dose of nitrofurantoin for cystitis if the eGFR is 25?"),
        (CLEARANCE, "what if it is 25?", CLEARANCE.replace("45", "25")),
        (CLEARANCE, "and if the creatinine clearance is 15 mL/min?", CLEARANCE.replace("45", "15")),
        (STROKE, "and at 80 kg?", STROKE.replace("70", "80")),
        # what is asked for
        (CHILD, "how often?", "How often: cefalexin for a child with pyelonephritis?"),
        (CHILD, "And for how long?", "For how long: cefalexin for a child with pyelonephritis?"),
        (CHILD, "what is the maximum dose?",
         "What is the maximum dose: cefalexin for a child with pyelonephritis?"),
        (CYSTITIS, "what dose in pregnancy?",
         "What dose: nitrofurantoin for cystitis in pregnancy?"),
        (TRIMESTER, "why?",
         "Why: can trimethoprim be used for UTI in the first trimester of pregnancy?"),
        # pronouns
        (CHILD, "is it safe with warfarin?",
         "Is cefalexin safe with warfarin for a child with pyelonephritis?"),
        (CHILD, "How often should it be repeated?",
         "How often should cefalexin be repeated for a child with pyelonephritis?"),
        (CLEARANCE, "can it be given orally?",
         "Can gentamicin be given orally if the creatinine clearance is 45 mL/min?"),
        (CYSTITIS, "what are its side effects?",
         "What are nitrofurantoin's side effects for cystitis?"),
        # a statement about the patient, without a question
        (CYSTITIS, "crcl 20", "What is the dose of nitrofurantoin for cystitis if crcl 20?"),
        (CYSTITIS, "she is on warfarin",
         "What is the dose of nitrofurantoin for cystitis, she is on warfarin?"),
        (CYSTITIS, "he has cirrhosis",
         "What is the dose of nitrofurantoin for cystitis, he has cirrhosis?"),
        (CYSTITIS, "K 6.8", "What is the dose of nitrofurantoin for cystitis if K 6.8?"),
        (CYSTITIS, "dialysis", "What is the dose of nitrofurantoin for cystitis, dialysis?"),
        (CHOICE, "penicillin allergy",
         "What is the second choice antibiotic for lower UTI in adults, penicillin allergy?"),
        (STROKE, "and if she weighs 50 kg", STROKE.replace("70", "50")),
        (CHOICE, "how is it treated?", "How is lower UTI treated in adults?"),
        ("low severity community acquired pneumonia treatment", "how long do I treat it?",
         "How long do I treat low severity community acquired pneumonia?"),
        ("treatment of mild pneumonia", "and if penicillin allergic?",
         "treatment of mild pneumonia, if penicillin allergic"),
        (CODEINE, "can they have ibuprofen?", "Can a child have ibuprofen?"),
        (CYSTITIS, "is this drug safe in pregnancy?",
         "Is nitrofurantoin safe in pregnancy for cystitis?"),
        # what the thread is about stands behind a question that no fact of it completes
        (CHOICE, "what about trimethoprim?",
         "Trimethoprim: second choice antibiotic for lower UTI in adults?"),
        (CHILD, "what if it gets worse quickly?",
         "It gets worse quickly: cefalexin for a child with pyelonephritis?"),
        (CHILD, "when can she go home?",
         "When can she go home: cefalexin for a child with pyelonephritis?"),
        ("Alteplase dose for 95 kg?", "contraindications?", "Contraindications: Alteplase?"),
        ("steroid dose in acute asthma adult", "oral instead?",
         "Oral instead: steroid dose in acute asthma adult?"),
        (CYSTITIS, "what can i give instead",
         "What can I give instead of nitrofurantoin for cystitis?"),
        # what the follow-up contradicts is left out
        ("adrenaline dose in anaphylaxis, adult", "And in a child of 4?",
         "adrenaline dose in anaphylaxis, a child of 4"),
        ("UTI in a child of 2 months, treatment?", "and of 5 years?",
         "UTI in a child of 5 years, treatment?"),
        ("paracetamol dose for a child of 6", "and iv, adult of 45 kg?",
         "Iv, adult of 45 kg: paracetamol dose?"),
        (STROKE, "and for a child?",
         "For a child: total alteplase dose patient with acute stroke?"),
        (CLEARANCE, "and if the eGFR is 25?",
         "If the eGFR is 25: gentamicin dosing interval should I use?"),
        ("hypoglycaemia, conscious patient can swallow, what do I give?", "and if unconscious?",
         "If unconscious: hypoglycaemia, what do I give?"),
        (WARFARIN, "and if she is bleeding?", "INR 9 on warfarin, if she is bleeding"),
        # what was said of the patient is kept, what was asked is not
        ("Max: paracetamol dose for a child of 6?", "how often?",
         "How often: paracetamol dose for a child of 6?"),
        ("If unconscious: hypoglycaemia, what do I give?", "and if there is no drip?",
         "If there is no drip: If unconscious: hypoglycaemia, what do I give?"),
    ],
)  # fmt: skip
def test_puts_in_what_a_follow_up_leaves_out(before: str, question: str, expected: str) -> None:
    made = after(question, before)
    assert (made.text, made.is_follow_up, made.by) == (expected, True, "rules")


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("", "how often?"),
        (BOTH, "is it safe with warfarin?"),  # which of the two?
        (CHILD, "what if it is 25?"),  # what is?
        ("Dose of cefalexin for a child or an adult?", "and in pregnancy?"),
        ("", "crcl 20"),
        ("", "allergic to penicillin"),
        ("", "72 year old on warfarin"),
        (CHOICE, "any alternatives?"),
        ("and in pregnancy?", "what about children?"),  # the question before is a follow-up itself
        (f"{CHILD} {STROKE}", "how often?"),
    ],
)
def test_leaves_what_can_not_be_told(before: str, question: str) -> None:
    made = after(question, *([before] if before else []))
    assert (made.text, made.is_follow_up, made.by) == (question, True, "")
    assert made.is_unclear
    assert made.searched.startswith(before.strip(" ?.") or question)
    assert made.searched.split()[-1].strip("?.") == question.split()[-1].strip("?.")
    assert made.notes
    assert question not in " ".join(made.notes)


@pytest.mark.parametrize(
    "question",
    [
        "", "?", "warfarin", "asthma", "trisomy 13", "alteplase INR 1.7",
        "paracetamol with warfarin", "potassium 6.8 treatment",
        "what can I give instead of warfarin?", "UTI in pregnancy",
        "And what is the dose of enoxaparin?",
        "An 8 year old after a tonsillectomy, when can she go home?", "chest drain size",
        "What is the dose of amoxicillin for it?" + " It hurts.",
        "Is it safe to give ibuprofen in pregnancy?", "How long does it take for warfarin to work?",
        "What causes kidney disease?", "What are the symptoms of cirrhosis?",
        "When is quinine contraindicated?", "when dialysis in AKI",
        "In septic shock, when do I give hydrocortisone?",
        "What should be done if the potassium is 6.2 mmol/L?",
        "Does warfarin interact with antibiotics when they are given by mouth?",
        "Should bicarbonate be given in DKA?", "platelet threshold before lumbar puncture",
        "If a patient has a head injury, is it right that warfarin is stopped?",
        "What dose of codeine linctus can a 7 year old have for a dry cough?",
    ],
)  # fmt: skip
def test_does_not_touch_what_stands_by_itself(question: str) -> None:
    for before in (CHILD, CLEARANCE, STROKE, CHOICE, BOTH):
        made = after(question, before)
        assert (made.text, made.is_follow_up) == (question, False)


@pytest.mark.parametrize(
    ("before", "question", "in_thread", "is_within", "is_about"),
    [
        # It names what was measured: with the value, in the documents of the thread.
        ("K+ 6.8, tented T waves, how do I give the calcium?", "how often do I recheck K+?",
         "how often do I recheck K+, K+ 6.8?", True, True),
        (STROKE, "What is the target blood pressure after thrombolysis?",
         "What is the target blood pressure after thrombolysis, 70 kg?", True, False),
        # What points back stands with the topic.
        ("When can ramipril go back on?", "when do I check the potassium after that?",
         "When do I check the potassium after that: ramipril go back on?", True, True),
        # `It` is the thread's only medicine.
        ("alteplase dose for 80 kg", "INR is 2, can I still give it?",
         "INR is 2, can I still give alteplase, 80 kg?", True, True),
        # Another condition is another topic; another medicine may be for the same patient.
        (CHILD, "gentamicin dose in sepsis", "gentamicin dose in sepsis, a child?", False, False),
        ("cystitis, she is 20 weeks pregnant", "can I give trimethoprim and ibuprofen?",
         "can I give trimethoprim and ibuprofen, pregnant?", True, True),
        ("she is allergic to penicillin, cystitis", "amoxicillin dose?",
         "amoxicillin dose, allergic to penicillin?", True, True),
        (CHILD, CHILD, "", False, False),  # asked again
        (CHILD, "", "", False, False),
    ],
)  # fmt: skip
def test_a_question_that_stands_by_itself_has_its_reading_in_the_thread(
    before: str, question: str, in_thread: str, is_within: bool, is_about: bool
) -> None:
    made = after(question, before)
    assert (made.text, made.is_follow_up) == (question, False)
    assert (made.in_thread, made.is_within, made.is_about) == (in_thread, is_within, is_about)


def test_what_may_stand_in_another_guideline_is_looked_for_in_all() -> None:
    assert after("how often?", CHILD).is_within
    assert after("crcl 20", CYSTITIS).is_within
    assert not after("and in pregnancy?", CYSTITIS).is_within
    assert not after("and trimethoprim?", CYSTITIS).is_within


def test_the_last_question_counts_as_it_was_understood() -> None:
    turns = [
        Asked(CHILD, "", True),
        Asked("and in adults?", CHILD.replace("a child", "adults"), True),
    ]
    made = standalone("how often?", turns, by="rules", timeout_s=1)
    assert made.text == "How often: cefalexin for adults with pyelonephritis?"


def test_passages_are_searched_by_all_since_the_topic() -> None:
    turns = [Asked(STROKE, STROKE, True), Asked(CHILD, CHILD, True)]
    turns += [Asked("does the CRP matter?", "does the CRP matter?", False)]
    made = standalone("what if it is 25?", turns, by="rules", timeout_s=1)
    assert made.is_unclear
    assert made.searched == f"{CHILD.rstrip('?')}; does the CRP matter; it is 25"
    made = standalone("and for late-onset?", turns, by="rules", timeout_s=1)
    assert made.text == "For late-onset: cefalexin for a child with pyelonephritis?"


def test_a_follow_up_goes_on_from_one_that_was_composed() -> None:
    first = after("how often?", CHILD).text
    assert after("and the maximum dose?", first).text == (
        "The maximum dose: cefalexin for a child with pyelonephritis?"
    )
    assert after("and in pregnancy?", first).text == (
        "How often: cefalexin in pregnancy with pyelonephritis?"
    )


def test_why_needs_an_answer() -> None:
    assert after("why?", CHILD).by == "rules"
    assert after("why?", CHILD, answered=False).text == "why?"


def test_off_looks_at_nothing() -> None:
    turns = [Asked(CHILD, CHILD, True)]
    assert standalone("how often?", turns, by="off", timeout_s=1) == Standalone("how often?")


def merged(questions: Sequence[str]) -> list[str]:
    pairs = zip([questions[-1], *questions], questions, strict=False)
    return [question for before, question in pairs if after(question, before).is_follow_up]


def test_golden_questions_are_never_mixed() -> None:
    questions = golden()
    assert len(questions) == 133
    assert merged(questions) == []
    assert merged(questions[::-1]) == []


def medquad() -> Iterator[str]:
    with tarfile.open(MEDQUAD) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".xml") else None
            if file is not None:
                for found in ElementTree.fromstring(file.read()).iter("Question"):
                    yield " ".join((found.text or "").split())


def liveqa() -> Iterator[str]:
    (path,) = DATA.joinpath("liveqa").glob("*.xml")
    for found in ElementTree.parse(path).iter():
        if found.tag in ("SUBJECT", "MESSAGE") or found.tag.endswith("SUMMARY"):
            yield " ".join((found.text or "").split())


@pytest.mark.skipif(not MEDQUAD.is_file(), reason=f"no {MEDQUAD}; set MEDRAG_SHARED_DATA")
def test_published_questions_are_hardly_ever_mixed() -> None:
    questions = sorted({*medquad(), *liveqa()} - {""})
    random.Random(SEED).shuffle(questions)
    assert len(questions) > 15_000
    assert len(merged(questions[:4000])) <= 4  # 0.1 %


@pytest.mark.parametrize(
    ("question", "before", "text"),
    [
        ("she has a metal mitral valve", [WARFARIN],
         "INR 9 on warfarin, no bleeding, she has a metal mitral valve"),
        ("give vit K?", [WARFARIN], "Give vit K: INR 9 on warfarin, no bleeding?"),
        ("what if she is allergic to penicillin? rash only",
         ["antibiotic for cystitis in pregnancy"],
         "antibiotic for cystitis in pregnancy, she is allergic to penicillin, rash only"),
        ("culture: only sensitive to nitrofurantoin", ["antibiotic for cystitis in pregnancy"],
         "antibiotic for cystitis in pregnancy, culture: only sensitive to nitrofurantoin"),
        ("contraindications?", ["Time window for thrombolysis in stroke"],
         "Contraindications: thrombolysis in stroke?"),
        ("what can I give instead of warfarin?", [WARFARIN], ""),
        ("give vitamin K in major bleeding", [WARFARIN], ""),
    ],
)  # fmt: skip
def test_what_is_said_of_the_patient_is_kept(question: str, before: list[str], text: str) -> None:
    made = standalone(question, [Asked(one, one, True) for one in before], by="rules", timeout_s=0)
    assert (made.text if made.by else "") == text


@pytest.mark.parametrize(
    "question", ["LMWH 70kg", "clexane crcl 22", "INR 9 no bleeding on warfarin", "give vit K?"]
)
def test_short_questions_that_name_their_subject_are_asked_alone(question: str) -> None:
    assert standalone(question, [], by="rules", timeout_s=0) == Standalone(question)


def test_what_is_asked_for_him_without_a_medicine_stays_unclear() -> None:
    """Joined to the question before, it found the volume of another medicine."""
    before = Asked("anaphylaxis fluid bolus, 5 yr old, 18kg", "", was_answered=True)
    assert standalone("how many mL for him", [before], by="rules", timeout_s=0).is_unclear
