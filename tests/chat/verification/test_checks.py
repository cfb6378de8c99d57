"""Test the exact checks: what they stop, and what they leave to the verifier."""

import pytest

from chat.checks import claims, medicines, polarity
from chat.evidence.judgements import Evidence
from chat.verification.verbatim import is_verbatim


@pytest.mark.parametrize(
    ("claim", "evidence", "stopped"),
    [
        ("Give an ACE inhibitor with an angiotensin receptor blocker", "ACEI and ARB", ""),
        ("Low-molecular-weight heparin may start", "LMWH/UFH", ""),
        ("Give adrenaline", "epinephrine 1 mg", ""),
        ("Sulphasalazine is stopped", "Stop sulfasalazine", ""),
        ("People who lose albumin", "albuminuria", ""),
        ("Rest in bed", "Give aspirin", ""),
        ("Give frusemide", "bumetanide", "furosemide|frusemide"),
        ("Give cefixime", "cefalexin 500 mg", "cefixime"),
        ("Give a beta blocker", "Give bisoprolol", "beta blocker"),
    ],
)
def test_a_medicine_that_is_named_nowhere(claim: str, evidence: str, stopped: str) -> None:
    found = medicines.check(claim, Evidence((evidence,)))
    assert bool(found) is bool(stopped)
    if found:
        assert any(name in found.detail for name in stopped.split("|"))


def test_a_medicine_may_be_named_by_the_section_or_the_question() -> None:
    assert not medicines.check("Orlistat 120 mg", Evidence(("120 mg",), "Orlistat"))
    assert not medicines.check("Orlistat 120 mg", Evidence(("120 mg",), "", "orlistat dose?"))


def test_of_a_text_about_another_medicine_nothing_is_said_of_the_one_asked_about() -> None:
    asked = "fictomycin or amoxicillin?"
    assert medicines.check("Give amoxicillin", Evidence(("Give bisoprolol",), "", asked))


@pytest.mark.parametrize(
    ("claim", "evidence", "stopped"),
    [
        ("Give it intravenously", "IV", False),
        ("Give it by mouth", "125 mg orally", False),
        ("Inhale it", "nebulised salbutamol", False),
        ("Give it", "IV", False),
        ("Give it intravenously", "by mouth", True),
        ("Give it by injection under the skin", "500 mg", True),
    ],
)
def test_a_route_that_is_named_nowhere(claim: str, evidence: str, stopped: bool) -> None:
    assert bool(claims.check_routes(claim, Evidence((evidence,)))) is stopped


def test_a_route_of_the_question_counts_only_where_the_evidence_names_none() -> None:
    asked = "intravenous dose?"
    assert claims.check_routes("500 mg intravenously", Evidence(("by mouth",), "", asked))
    assert not claims.check_routes("500 mg intravenously", Evidence(("500 mg",), "", asked))


@pytest.mark.parametrize(
    ("claim", "stopped"),
    [
        ("Give sodium chloride in 1,000 mL of potassium chloride over 4 hours and stop.", True),
        ("Give potassium chloride in 1,000 mL of sodium chloride over 4 hours and stop.", False),
        ("Over 4 hours give potassium chloride in 1,000 mL of sodium chloride and stop.", False),
        ("Give 1,000 mL of sodium chloride with potassium chloride in it over 4 hours.", False),
    ],
)
def test_two_things_that_are_exchanged(claim: str, stopped: bool) -> None:
    told = "Give potassium chloride in 1,000 mL of sodium chloride over 4 hours and stop."
    assert bool(claims.check_exchanged(claim, Evidence((told,)))) is stopped


def test_both_sides_of_an_and_may_be_exchanged() -> None:
    told = Evidence(("Give amoxicillin and clarithromycin for 5 days.",))
    assert not claims.check_exchanged("Give clarithromycin and amoxicillin for 5 days.", told)


@pytest.mark.parametrize(
    ("claim", "evidence", "stopped"),
    [
        ("A child of five has 600 mg", "1 to 9 years: 600 mg", False),
        ("A man of 70 has it", "Adults aged 65 and over", False),
        ("A 67-year-old is not offered it", "1.1.9 Do not offer it", False),
        ("A 12-year-old child has 600 mg", "Children aged 1 to 9 years: 600 mg", True),
        ("Adults have 600 mg", "Children aged 1 to 9 years: 600 mg", True),
    ],
)
def test_people_whom_the_evidence_excludes(claim: str, evidence: str, stopped: bool) -> None:
    assert bool(claims.check_groups(claim, Evidence((evidence,)))) is stopped


@pytest.mark.parametrize(
    ("claim", "stopped"),
    [
        ("Offer loperamide to people with the infection", True),
        ("Do not offer loperamide to people with the infection", False),
        ("People with the infection should not have loperamide", False),
        ("Loperamide can be a help", False),  # left to the verifier
    ],
)
def test_a_negation_dropped_from_the_page_s_own_words(claim: str, stopped: bool) -> None:
    evidence = Evidence(("Do not offer loperamide to people with the infection.",))
    assert bool(polarity.check(claim, evidence)) is stopped


def test_a_negation_put_into_the_page_s_own_words() -> None:
    evidence = Evidence(("Observe the patient for 6 hours after one dose of adrenaline.",))
    claim = "Do not observe the patient for 6 hours after one dose of adrenaline."
    assert polarity.check(claim, evidence)


ROW, HEAD, NOTE = "6 to 11 years | 250 mg | Twice daily*", "Age | Dose | How often", "* Or once."


@pytest.mark.parametrize(
    ("claim", "quotes"),
    [
        ("Give 40 mg once daily.", ["Give 40 mg once daily."]),
        ("give 40 mg - once daily", ["Give 40 mg once daily."]),
        ("Give 40 mg once daily.", ["Give 40 mg once daily. Stop after a week."]),
        ("Do not give with: Tobramycin", ["Tobramycin", "Do not give with:"]),
        ("Age: 6 to 11 years; Dose: 250 mg; How often: Twice daily (Or once.)", [ROW, HEAD, NOTE]),
    ],
)
def test_what_is_its_quote_whole_is_verbatim(claim: str, quotes: list[str]) -> None:
    assert is_verbatim(claim, quotes)


@pytest.mark.parametrize(
    ("claim", "quotes"),
    [
        ("", ["Give 40 mg."]),
        ("Give 40 mg.", []),
        ("Give 40 mg", ["Give 40 mg once daily."]),
        ("Give 400 mg once daily.", ["Give 40 mg once daily."]),
        ("Give .4 mg once daily.", ["Give 4 mg once daily."]),
        ("Give 40 mg once daily to children.", ["Give 40 mg once daily."]),
        ("Tobramycin", ["Tobramycin", "Do not give with:"]),
        ("Age: 6 to 11 years; Dose: 250 mg; How often: Twice daily*", [ROW, HEAD, NOTE]),
        ("Age: 6 to 11 years; Dose: 250 mg; How often: Twice* (* Or once.)", [ROW, HEAD, NOTE]),
        ("It must not be used in asthma.", ["Give it. It must not be used in asthma."]),
    ],
)
def test_what_leaves_out_or_adds_a_word_is_not(claim: str, quotes: list[str]) -> None:
    assert not is_verbatim(claim, quotes)


@pytest.mark.parametrize(
    ("claim", "question", "stopped"),
    [
        ("Give fictomycin to adults with pneumonia", "", True),
        ("Give fictomycin to adults with acute pneumonia", "", True),
        ("Give fictomycin to adults with severe pneumonia", "", False),
        ("If it is severe, give adults with pneumonia fictomycin", "", False),
        ("Give fictomycin to adults with pneumonia", "severe pneumonia?", False),
        ("Give fictomycin to adults with sepsis", "", False),  # left to the verifier
    ],
)
def test_a_condition_without_what_limits_it(claim: str, question: str, stopped: bool) -> None:
    title = "Pneumonia in adults"
    evidence = Evidence(("Give fictomycin in severe pneumonia.",), title, question)
    assert bool(claims.check_qualifiers(claim, evidence)) is stopped


def test_a_qualifier_that_only_the_claim_has() -> None:
    claim, told = "Give it to adults with severe pneumonia", ("Give it to adults with pneumonia.",)
    assert claims.check_qualifiers(claim, Evidence(told))
    assert not claims.check_qualifiers(claim, Evidence(told, "Severe infections"))
    assert not claims.check_qualifiers(claim, Evidence(told, "", "severe pneumonia?"))


@pytest.mark.parametrize(
    ("claim", "question", "stopped"),
    [
        ("Fictomycin is given in pneumonia.", "How much fictomycin is given in pneumonia?", True),
        ("The fictomycin is given.", "When is fictomycin given?", True),
        ("Fictomycin is given in severe pneumonia.", "How much fictomycin in pneumonia?", False),
        ("Fictomycin is not given in pneumonia.", "When is fictomycin given in pneumonia?", False),
        ("Fictomycin may be given in pneumonia.", "May fictomycin be given in pneumonia?", False),
        ("Fictomycin is given.", "Which is given, fictomycin or nothing?", False),
        ("The dose is 5 mg.", "What is the dose, 5 mg?", False),
        ("Fictomycin is given.", "", False),
    ],
)
def test_a_claim_that_only_says_what_the_question_says(
    claim: str, question: str, stopped: bool
) -> None:
    evidence = Evidence(("Give fictomycin 5 mg in severe pneumonia.",), "", question)
    assert bool(claims.check_restated(claim, evidence)) is stopped


@pytest.mark.parametrize(
    ("claim", "question", "stopped"),
    [
        ("Yes, give 5000 mg", "Is 5000 mg right?", True),
        ("Give 10 micrograms/kg", "10 micrograms/kg?", True),
        ("At 70 kg and 35 mL/min give 500 mg", "70 kg, eGFR 35 mL/min", False),
        ("After 3 days of fever give 500 mg", "fever for 3 days", False),
    ],
)
def test_a_dose_that_only_the_question_names(claim: str, question: str, stopped: bool) -> None:
    assert bool(claims.check_numbers(claim, Evidence(("Give 500 mg.",), "", question))) is stopped
