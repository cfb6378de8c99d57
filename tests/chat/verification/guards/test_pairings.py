"""Numbers stay with what they are of, and roles are kept."""

import pytest

from chat.verification.guards import pairings
from chat.verification.types import Cited, Label
from tests.chat.verification.guards.tables import Case, cases

TABLE = """
> Give amoxicillin 500 mg and metronidazole 400 mg.
+ Metronidazole 400 mg and amoxicillin 500 mg are given.
+ Give 500 mg of amoxicillin and 400 mg of metronidazole.
+ Amoxicillin 500 mg is given.
! Give amoxicillin 400 mg and metronidazole 500 mg.
! Give metronidazole 500 mg.
! Give 400 mg of amoxicillin.
> Treat women for 5 days and men for 7 days.
+ Men are treated for 7 days and women for 5 days.
! Treat women for 7 days and men for 5 days.
! Treat women for 5 days and men for 5 days.
> Glucose 10% | 200 mL | 15 minutes
+ Glucose 10% 200 mL over 15 minutes.
> Onset is 3 minutes; duration is 60 minutes.
+ Duration is 60 minutes.
! Onset is 60 minutes; duration is 3 minutes.
! Duration is 3 minutes.
> Add 40 mmol of potassium, or 20 mmol of magnesium.
+ Add 20 mmol of magnesium.
! Add 40 mmol of magnesium.
! Add 20 mmol of potassium.
> Warfarin increases the effect of aspirin.
+ The effect of aspirin is increased by warfarin.
+ Warfarin raises the effect of aspirin, and increases the effect of aspirin.
! Aspirin increases the effect of warfarin.
! The effect of warfarin is increased by aspirin.
> Rifampicin reduces ciclosporin.
+ Ciclosporin is reduced by rifampicin.
! Ciclosporin reduces rifampicin.
! Rifampicin is reduced by ciclosporin.
> Infection causes fever.
+ Fever is often caused by infection.
! Fever causes infection.
> Heparin replaces warfarin.
+ Warfarin is replaced by heparin.
! Warfarin replaces heparin.
> Give thiamine before glucose.
+ Thiamine is given before glucose.
+ Before glucose, give thiamine.
+ Glucose follows, after thiamine.
! Give glucose before thiamine.
! Before thiamine, give glucose.
> Oxygen is started after suction.
+ After suction, oxygen is started.
! Suction is started after oxygen.
> Plasma is slower than concentrate.
+ Plasma is slower in use than concentrate.
! Concentrate is slower than plasma.
> Use oxazepam instead of chlordiazepoxide.
+ Oxazepam is used instead of chlordiazepoxide.
! Use chlordiazepoxide instead of oxazepam.
> Metformin treats type 2 diabetes and insulin treats type 1 diabetes.
+ Insulin treats type 1 diabetes.
! Metformin treats type 1 diabetes and insulin treats type 2 diabetes.
> Hepatitis A is treated with rest. Hepatitis B has a vaccine.
+ Hepatitis B has a vaccine and hepatitis A is treated with rest.
! Hepatitis B is treated with rest.
> Vitamin K reverses warfarin.
+ Warfarin is reversed by vitamin K.
! Warfarin reverses vitamin K.
> The pump needs a line.
+ A line is needed by the pump.
! A line needs the pump.
> Offer zinc before feeding to a child with zinc deficiency.
+ A child with zinc deficiency is offered zinc before feeding.
+ Before feeding, offer zinc to a child with zinc deficiency.
! Offer feeding before zinc to a child with zinc deficiency.
! Offer zinc with feeding to a child with zinc deficiency.
> Neomycin impairs hearing and may cause vertigo.
+ Hearing is impaired by neomycin.
+ Neomycin may cause vertigo.
! Vertigo may impair hearing.
> Use a swab when a biopsy cannot be obtained.
+ When a biopsy cannot be obtained, use a swab.
! Use a biopsy when a swab cannot be obtained.
> The rash results from sunlight.
+ Sunlight causes the rash.
+ The rash is caused by sunlight.
! The rash causes sunlight.
! Sunlight results from the rash.
> Anaemia mimics heart failure.
! Heart failure mimics anaemia.
> Step 1 is glucose. Step 2 is insulin.
+ Step 2 is insulin.
! Step 1 is insulin. Step 2 is glucose.
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=str)
def test_table(case: Case) -> None:
    finding = pairings.check(case.claim, case.cited)
    assert (finding is None) is (case.sign == "+")
    assert finding is None or finding.label is Label.CONTRADICTED


PAIRS = [("amoxicillin", "cefalexin"), ("oxygen", "morphine"), ("salt", "water")]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("numbers", [("5 mg", "10 mg"), ("1 g", "4 g"), ("20 mL", "200 mL")])
def test_moved_numbers_are_found(pair: tuple[str, str], numbers: tuple[str, str]) -> None:
    (one, other), (few, many) = pair, numbers
    cited = Cited((f"Give {one} {few} and {other} {many}.",))
    assert pairings.check(f"Give {one} {many} and {other} {few}.", cited) is not None
    assert pairings.check(f"{other} {many} and {one} {few} are given.", cited) is None


@pytest.mark.parametrize("verb", ["increases", "reduces", "causes", "prevents", "affects"])
def test_exchanged_roles_are_found(verb: str) -> None:
    cited = Cited((f"The first enzyme {verb} the second hormone.",))
    assert pairings.check(f"Second hormone {verb} first enzyme.", cited) is not None
    assert pairings.check(f"First enzyme {verb} second hormone.", cited) is None
