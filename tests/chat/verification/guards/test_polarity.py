"""What turns a statement round, bounds it or weakens it."""

import pytest

from chat.verification.guards import polarity
from chat.verification.types import Cited, Label
from tests.chat.verification.guards.tables import Case, cases

TABLE = """
> Weigh the child before the first dose.
+ Before the first dose, the child is weighed.
! Weigh the child before every dose.
! Weigh the child before all doses.
> Do not give gentamicin to a patient with myasthenia gravis.
+ Gentamicin should be avoided in patients with myasthenia gravis.
+ Gentamicin is contraindicated in myasthenia gravis.
+ Gentamicin must not be used in myasthenia gravis.
+ Never give gentamicin in myasthenia gravis.
+ Gentamicin is not recommended in myasthenia gravis.
+ Patients with myasthenia gravis must not be given gentamicin.
- Give gentamicin to a patient with myasthenia gravis.
- Gentamicin is safe in myasthenia gravis.
- Gentamicin is indicated in myasthenia gravis.
- Gentamicin is not contraindicated in myasthenia gravis.
- Do not avoid gentamicin in myasthenia gravis.
> Avoid salbutamol in tachyarrhythmia.
+ Salbutamol should not be used in tachyarrhythmia.
+ Do not use salbutamol in tachyarrhythmia.
- Use salbutamol in tachyarrhythmia.
- Salbutamol may be used in tachyarrhythmia.
> Give 40 mg once daily, unless the patient bleeds.
+ Unless the patient bleeds, give 40 mg once daily.
+ 40 mg is given once daily except if the patient bleeds.
- Give 40 mg once daily.
- Give 40 mg once daily if the patient bleeds.
- Do not give 40 mg once daily, unless the patient bleeds.
> Do not give more than 1.5 mg per kg.
+ Give no more than 1.5 mg per kg.
+ The maximum is 1.5 mg per kg.
+ Do not exceed 1.5 mg per kg.
+ At most 1.5 mg per kg is given.
- Give more than 1.5 mg per kg.
- Give 1.5 mg per kg.
- Give at least 1.5 mg per kg.
> Give fluid for at least 5 days.
+ Fluid is given for no less than 5 days.
+ Fluid is given for a minimum of 5 days.
- Give fluid for at most 5 days.
- Give fluid for 5 days.
- Give fluid for less than 5 days.
> Call the registrar when potassium is above 6.0 mmol/L.
+ When potassium is more than 6.0 mmol/L, call the registrar.
+ Call the registrar when potassium exceeds 6.0 mmol/L.
- Call the registrar when potassium is below 6.0 mmol/L.
- Call the registrar when potassium is not above 6.0 mmol/L.
- Call the registrar when potassium is at most 6.0 mmol/L.
> Call the registrar when potassium is 6.5 mmol/L or more.
+ When potassium is at least 6.5 mmol/L, call the registrar.
- Call the registrar when potassium is 6.5 mmol/L or less.
> Aminophylline is used only on the advice of a consultant.
+ Use aminophylline only on the advice of a consultant.
+ Aminophylline is reserved for the advice of a consultant.
- Aminophylline is used on the advice of a consultant.
- Aminophylline is not only used on the advice of a consultant.
> Stop warfarin.
+ Discontinue warfarin.
+ Warfarin should be stopped.
+ Warfarin should not be continued.
- Start warfarin.
- Continue warfarin.
- Do not stop warfarin.
- Give warfarin.
> Cetirizine may be given later.
+ Cetirizine can be given later.
+ Consider cetirizine later.
- Cetirizine must be given later.
- Cetirizine is given later.
- Cetirizine may not be given later.
> Give prednisolone within one hour.
- Prednisolone may be given within one hour.
- Withhold prednisolone within one hour.
- Prednisolone is omitted within one hour.
- Give prednisolone without one hour.
+ Prednisolone should be given within one hour.
> Warfarin increases the risk of bleeding.
+ The risk of bleeding is raised by warfarin.
+ Warfarin elevates the risk of bleeding.
- Warfarin decreases the risk of bleeding.
- Warfarin does not increase the risk of bleeding.
> Give thiamine before glucose.
+ Thiamine is given prior to glucose.
+ Glucose is given after thiamine.
- Give thiamine after glucose.
> Amoxicillin is the first-line drug, and cefalexin is second-line.
- Amoxicillin is the second-line drug, and cefalexin is first-line.
- Amoxicillin is the second-line drug.
+ Amoxicillin is the first-line drug.
> The test needs fever and rash.
+ The test needs rash and fever.
- The test needs fever or rash.
> All of the criteria are met.
- Any of the criteria are met.
> Lithium is effective but unsafe.
+ Lithium is effective but not safe.
- Lithium is effective and safe.
- Lithium is ineffective but unsafe.
> Neither drug is effective.
- Either drug is effective.
+ Neither drug is effective in the end.
> Give aspirin. Do not give ibuprofen.
+ Do not give ibuprofen.
+ Ibuprofen should be avoided.
+ Give aspirin.
- Do not give aspirin.
- Give ibuprofen.
> Raise the dose if the level is low, and reduce the dose if the level is high.
- Reduce the dose if the level is low, and raise the dose if the level is high.
+ If the level is low, increase the dose.
> Wait until the fever falls.
- Wait.
- Wait after the fever rises.
> Do not sedate a patient with asthma who is not ventilated.
+ Patients with asthma who are not ventilated should not be sedated.
- Patients with asthma who are not ventilated should be sedated.
> Whether or not the wound heals, wash it.
+ Wash the wound whether or not it heals.
- Do not wash the wound whether or not it heals.
> The pain is common and mild.
- The pain is rare and mild.
- The pain is common and severe.
+ The pain is frequent and mild.
> Do not exceed 3 g in 24 hours.
+ Don't exceed 3,000 mg in 24 hours.
+ Not > 3 g in 24 hours.
+ Give at most 3000 mg in 24 hours.
- Give at least 3,000 mg in 24 hours.
- Give more than 3,000 mg in 24 hours.
- Give 3,000 mg in 24 hours.
> Test the urine in fever of 38 °C or higher.
+ Test the urine in fever of 100.4 °F or higher.
- Test the urine in fever of 100.4 °F or lower.
- Test the urine in fever below 100.4 °F.
> Continue for at least five days.
+ Continue for at least 5 days.
+ Continue for at least 120 hours.
- Continue for at most 5 days.
> The infusion is stopped under 3 months.
+ Under three months the infusion is stopped.
- Over three months the infusion is stopped.
> Do not give i.v. fluid when Na+ is low.
+ Do not give IV fluid when sodium is low.
- Give i.v. fluid when Na+ is low.
> Do not omit the next dose of insulin.
+ Don't leave out the next insulin dose.
- Leave out the next insulin dose.
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=str)
def test_table(case: Case) -> None:
    finding = polarity.check(case.claim, case.cited)
    assert (finding is None) is (case.sign == "+")
    assert finding is None or finding.label is Label.CONTRADICTED


def test_negations_are_words_as_they_stand() -> None:
    assert polarity.negations("Do not give, unless not above 5") == {"not": 2, "unless": 1, "above": 1}  # fmt: skip  # noqa: E501
    assert not polarity.negations("Vomiting is common, commonly")


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Gentamicin is contraindicated in myasthenia gravis.", True),
        ("Do not give gentamicin in myasthenia gravis.", True),
        ("Myasthenia gravis is a contraindication.", True),
        ("Gentamicin in myasthenia gravis.", False),
        ("Myasthenia gravis", False),
        ("Give gentamicin in myasthenia gravis.", False),
    ],
)
def test_an_introduction_counts_for_its_items(claim: str, expected: bool) -> None:
    cited = Cited(("Myasthenia gravis", "Contraindications"), "Gentamicin in adults")
    assert (polarity.check(claim, cited) is None) is expected


PROHIBITED = [
    "Do not use {} in {}.",
    "{} should not be used in {}.",
    "{} must not be used in {}.",
    "{} is contraindicated in {}.",
    "{} is not recommended in {}.",
    "Avoid {} in {}.",
    "{} should be avoided in {}.",
    "Never use {} in {}.",
]
ALLOWED = ["Use {} in {}.", "{} is used in {}.", "{} is recommended in {}.", "{} is safe in {}."]


@pytest.mark.parametrize("said", [*PROHIBITED, *ALLOWED])
@pytest.mark.parametrize("quoted", PROHIBITED)
def test_forms_of_one_prohibition(said: str, quoted: str) -> None:
    names = ("gentamicin", "myasthenia gravis")
    finding = polarity.check(said.format(*names), Cited((quoted.format(*names),)))
    assert (finding is None) is (said in PROHIBITED)


@pytest.mark.parametrize("said", PROHIBITED)
@pytest.mark.parametrize("quoted", ALLOWED)
def test_what_is_allowed_is_not_prohibited(said: str, quoted: str) -> None:
    names = ("gentamicin", "pyelonephritis")
    assert polarity.check(said.format(*names), Cited((quoted.format(*names),))) is not None
