"""Test which questions are multiple-choice questions, and their parts; every text is invented."""

import pytest

from chat.question.multiple_choice import is_exception, parsed
from chat.types import Option
from tests.tables import cases

STEM = "Which antibiotic is first choice for cystitis in pregnancy?"
OPTIONS = ("Nitrofurantoin", "Amoxicillin", "Cefalexin", "Trimethoprim")

WRITINGS = [
    "{stem} A. {0} B. {1} C. {2} D. {3}",
    "{stem} A) {0} B) {1} C) {2} D) {3}",
    "{stem} (A) {0} (B) {1} (C) {2} (D) {3}",
    "{stem} [A] {0} [B] {1} [C] {2} [D] {3}",
    "{stem} A: {0} B: {1} C: {2} D: {3}",
    "{stem} A - {0} B - {1} C - {2} D - {3}",
    "{stem} a. {0} b. {1} c. {2} d. {3}",
    "{stem} a) {0} b) {1} c) {2} d) {3}",
    "{stem} (a) {0} (b) {1} (c) {2} (d) {3}",
    "{stem} a: {0} b: {1} c: {2} d: {3}",
    "{stem} (a){0} (b){1} (c){2} (d){3}",
    "{stem} A){0} B){1} C){2} D){3}",
    "{stem}\nA. {0}\nB. {1}\nC. {2}\nD. {3}",
    "{stem}\n  a) {0}\n  b) {1}\n  c) {2}\n  d) {3}\n",
    "{stem}\r\n\r\nA: {0}\r\nB: {1}\r\nC: {2}\r\nD: {3}",
    "{stem} A. {0}, B. {1}, C. {2}, D. {3}",
    "{stem} A) {0}; B) {1}; C) {2}; or D) {3}.",
    "{stem} Option A: {0} Option B: {1} Option C: {2} Option D: {3}",
    "{stem} Options: A. {0} B. {1} C. {2} D. {3}",
    "{stem} A. {0}. B. {1}. C. {2}. D. {3}. Answer:",
]


@pytest.mark.parametrize("writing", WRITINGS)
def test_reads_the_usual_writings(writing: str) -> None:
    choice = parsed(writing.format(*OPTIONS, stem=STEM))
    assert choice is not None
    assert choice.stem == STEM
    assert choice.options == tuple(map(Option, "ABCD", OPTIONS))
    assert not is_exception(choice.stem)


@pytest.mark.parametrize("row", cases(__file__, "multiple_choice.tsv"), ids=lambda row: row[0])
def test_reads_what_each_option_says_and_takes_no_other_question_for_one(row: list[str]) -> None:
    question, *texts = row
    choice = parsed(question)
    assert (texts == [option.text for option in choice.options]) if choice else not texts


def test_a_long_stem_is_no_multiple_choice_question() -> None:
    assert parsed("x" * 20_000 + "? A. one B. two") is None


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("All of the following are contraindications to thrombolysis EXCEPT", True),
        ("All of these are true of gentamicin except:", True),
        ("Which of the following is NOT true of gentamicin?", True),
        ("Which of the following is LEAST likely to help?", True),
        ("Which statement about potassium is false?", True),
        ("Which statement is incorrect?", True),
        ("Which drug is contraindicated in myasthenia gravis?", False),
        ("Which drug should be avoided in pregnancy?", False),
        ("Which of the following is true of gentamicin?", False),
        ("What is the least dose?", False),
    ],
)
def test_knows_stems_that_ask_for_the_exception(stem: str, expected: bool) -> None:
    assert is_exception(stem) is expected
    choice = parsed(f"{stem} A. one B. two C. three")
    assert choice is not None
    assert is_exception(choice.stem) is expected


def test_reads_a_run_of_letters_in_linear_time() -> None:
    assert parsed("Which one? " + "A. B. " * 1600) is None
