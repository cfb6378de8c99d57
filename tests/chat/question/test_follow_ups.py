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
    CYSTITIS,
    STROKE,
    golden,
)
from tests.published import DATA, MEDQUAD
from tests.tables import cases, yes

SEED = 5
WARFARIN = "INR 9 on warfarin, no bleeding"


def after(question: str, *before: str, answered: bool = True) -> Standalone:
    turns = [Asked(text, text, answered) for text in before]
    return standalone(question, turns, by="rules", timeout_s=1)


@pytest.mark.parametrize(("before", "question", "expected"), cases(__file__, "follow_ups.tsv"))
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


@pytest.mark.parametrize(("question",), cases(__file__, "standing_alone.tsv"))
def test_does_not_touch_what_stands_by_itself(question: str) -> None:
    for before in (CHILD, CLEARANCE, STROKE, CHOICE, BOTH):
        made = after(question, before)
        assert (made.text, made.is_follow_up) == (question, False)


@pytest.mark.parametrize(
    ("before", "question", "in_thread", "is_within", "is_about"),
    cases(__file__, "in_thread.tsv", str, str, str, yes, yes),
)
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


@pytest.mark.parametrize("question", ["how often do I recheck it", "when do I retest it?"])
def test_what_is_done_again_is_unclear_without_a_question_before(question: str) -> None:
    assert after(question).is_unclear


@pytest.mark.parametrize(
    "question", ["when not to give alteplase", "when not to use nitrofurantoin?"]
)
def test_when_something_is_not_given_is_a_question_of_its_own(question: str) -> None:
    assert not after(question, "UTI in a woman, what do I give").is_follow_up
