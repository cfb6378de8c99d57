"""Test which questions are multiple-choice questions, and their parts; every text is invented."""

import pytest

from chat.question.multiple_choice import is_exception, parsed
from chat.types import Option

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


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Is the interval A. 24 hours or B. 36 hours?", None),  # no stem that asks
        ("Which interval? A. 24 hours B. 36 hours", ("24 hours", "36 hours")),
        ("Which dose? A. 0.5 mg B. 1.5 mg C. 5 mg", ("0.5 mg", "1.5 mg", "5 mg")),
        ("First-line treatment is A) rest B) ice C) heat", ("rest", "ice", "heat")),
        ("The dose of gentamicin is: (a) 5 mg/kg (b) 7 mg/kg (c) 9 mg/kg",
         ("5 mg/kg", "7 mg/kg", "9 mg/kg")),
        ("Which organism is likeliest? A. E. coli B. C. difficile C. B. fragilis",
         ("E. coli", "C. difficile", "B. fragilis")),
        ("What covers E. coli best? A. Amoxicillin B. Cefuroxime", ("Amoxicillin", "Cefuroxime")),
        ("A man has hepatitis A. Which test is right? A. IgM B. IgG C. PCR", ("IgM", "IgG", "PCR")),
        ("Which vitamin is given? A. vitamin A B. vitamin B C. vitamin K",
         ("vitamin A", "vitamin B", "vitamin K")),
        ("How is it given? A. i.v. at 8 a.m. B. by mouth at 8 p.m.",
         ("i.v. at 8 a.m", "by mouth at 8 p.m")),
        ("Which is right? A. one B. two C. three D. four E. five",
         ("one", "two", "three", "four", "five")),
        ("Which drug is next for a woman aged 30? A. metformin and gliclazide B. insulin",
         ("metformin and gliclazide", "insulin")),
    ],
)  # fmt: skip
def test_reads_what_each_option_says(question: str, texts: tuple[str, ...] | None) -> None:
    choice = parsed(question)
    assert (choice and tuple(option.text for option in choice.options)) == texts


@pytest.mark.parametrize(
    "question",
    [
        "", "What is the dose of gentamicin?", "Is vitamin A or B given?",
        "Is it vitamin A: or vitamin B: that is needed?",
        "Which vaccine protects against hepatitis A, B?",
        "What is given for hepatitis A. or hepatitis B. in pregnancy?",
        "How is Group A streptococcus treated?", "Compare group A: 5 mg and group B: 10 mg daily",
        "Compare regimen A: 5 mg with regimen B: 10 mg?", "Doses: 5 mg at 8 a.m., 10 mg at 8 p.m.",
        "Doses: a) 5 mg b) 10 mg c) 15 mg",
        "The patient takes: a) metformin 500 mg b) ramipril 5 mg c) aspirin 75 mg",
        "The patient takes a) metformin b) ramipril. Which should be stopped?",
        "He was given: A. gentamicin 320 mg B. amoxicillin 1 g. What is the next dose?",
        "Which one? A. only one option", "Which one? A. first C. third",
        "Which one? B. second C. third", "Which one? A. first B. second D. fourth",
        "Which one? A. first B.", "Which one? A. the same B. the same",
        "Which one? A. 1 B. 2 C. 3 D. 4 E. 5 F. 6", "Does E. coli or C. difficile cause this?",
        "A. first B. second C. third", "Which? A. x B. y",
        "See section A. and section B. of the protocol. What is the dose?", "Blood group A) or B)?",
        "x" * 20_000 + "? A. one B. two",
    ],
)  # fmt: skip
def test_takes_no_other_question_for_one(question: str) -> None:
    assert parsed(question) is None


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
