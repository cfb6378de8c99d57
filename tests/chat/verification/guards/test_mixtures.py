"""An amount stays with its own substance."""

import pytest

from chat.verification.guards import first_finding, mixtures
from chat.verification.types import Cited, Label
from tests.chat.verification.guards.tables import Case, cases

TABLE = """
> Give potassium chloride 40 mmol in 1,000 mL of sodium chloride 0.9% over 4 hours.
+ Over 4 hours, give potassium chloride 40 mmol in 1,000 mL of sodium chloride 0.9%.
+ Give 40 mmol of potassium chloride in 1,000 mL of sodium chloride 0.9% over 4 hours.
+ Give 40 mmol potassium chloride in 1 L of 0.9% sodium chloride over 4 hours.
+ Potassium chloride is given at 40 mmol in 1 litre sodium chloride 0.9% over 4 hours.
+ Give KCl 40 mmol in 1,000 mL of sodium chloride 0.9% over 4 hours.
+ Give potassium 40 mmol in 1,000 mL of sodium chloride 0.9% over 4 hours.
! Give sodium chloride 40 mmol in 1,000 mL of potassium chloride 0.9% over 4 hours.
! Give 40 mmol of sodium chloride in 1,000 mL of potassium chloride 0.9% over 4 hours.
! Give 1 litre of potassium chloride over 4 hours.
! Give 40 mmol sodium chloride over 4 hours.
! Give potassium chloride 0.9% over 4 hours.
! Sodium chloride is given at 40 mmol over 4 hours.
> Dilute amiodarone 300 mg in 250 mL of glucose 5%.
+ Amiodarone 300 mg is diluted in 250 mL of glucose 5%.
+ Dilute 300 mg of amiodarone in 250 mL of 5% glucose.
+ Dilute amiodarone 0.3 g in glucose 5% 250 mL.
! Dilute glucose 300 mg in 250 mL of amiodarone 5%.
! Dilute 250 mL of amiodarone in glucose.
! Dilute amiodarone in 300 mg of glucose 5%.
! Dilute amiodarone 5% in glucose.
> Mix 10 mL of lidocaine 1% with 2 mg of dexamethasone.
+ Mix lidocaine 1% 10 mL with dexamethasone 2 mg.
+ Mix 2 mg dexamethasone with 10 mL lidocaine 1%.
! Mix 10 mL of dexamethasone with 2 mg of lidocaine 1%.
! Mix dexamethasone 10 mL with lidocaine 2 mg.
! Mix 10 mL of lidocaine with dexamethasone 1%.
> Add 50 units of soluble insulin to 50 mL of sodium chloride 0.9%.
+ Soluble insulin 50 units is added to sodium chloride 0.9% 50 mL.
+ Add 50 units soluble insulin to 50 mL sodium chloride 0.9%.
! Add 50 units of sodium chloride to 50 mL of soluble insulin.
! Add 50 mL of soluble insulin to sodium chloride 0.9%.
! Add sodium chloride 50 units to soluble insulin.
> Give calcium gluconate 10% 30 mL, then salbutamol 10 mg.
+ Give 30 mL of calcium gluconate 10%, then 10 mg of salbutamol.
+ Give 10% calcium gluconate 30 mL intravenously, then salbutamol 10 mg.
! Give salbutamol 30 mL, then calcium gluconate 10 mg.
! Give 30 mL of salbutamol.
> Each sachet holds glucose 13.5 g, sodium chloride 2.6 g and potassium chloride 1.5 g.
+ Each sachet holds 13.5 g glucose, 2.6 g sodium chloride and 1.5 g potassium chloride.
+ Potassium chloride 1.5 g is in each sachet.
! Each sachet holds glucose 13.5 g, sodium chloride 1.5 g and potassium chloride 2.6 g.
! Each sachet holds 2.6 g of potassium chloride.
! Each sachet holds 13.5 g of sodium chloride.
> Paracetamol 1 g is given, to a maximum of 4 g of paracetamol.
+ Give 1 g of paracetamol, and no more than paracetamol 4 g.
> Give 20 mL of glucose 50% or 1 mg of glucagon.
+ Give 1 mg glucagon.
+ Glucose 50% 20 mL is given.
! Give 1 mg of glucose.
! Give glucagon 20 mL.
"""
# Texts that were written after the rules; what is false falls to any guard.
UNSEEN = """
> Add 20 mL of levobupivacaine 0.25% to 100 micrograms of fentanyl and make up to 50 mL with saline.
+ Add levobupivacaine 0.25% 20 mL to fentanyl 100 micrograms.
+ Add 20 mL levobupivacaine 0.25% to 100 mcg fentanyl and make up to 50 mL with saline.
- Add 20 mL of fentanyl to 100 micrograms of levobupivacaine.
- Add 100 micrograms of levobupivacaine 0.25% to 20 mL of fentanyl.
> Reconstitute ceftriaxone 1 g with 3.5 mL of lidocaine 1% for intramuscular use.
+ For intramuscular use, reconstitute ceftriaxone 1 g with lidocaine 1% 3.5 mL.
+ Reconstitute 1 g of ceftriaxone with 3.5 mL of 1% lidocaine.
- Reconstitute lidocaine 1 g with 3.5 mL of ceftriaxone for intramuscular use.
- Reconstitute 3.5 mL of ceftriaxone with lidocaine.
- Reconstitute ceftriaxone 1% with lidocaine 1 g.
> Infuse magnesium sulfate 2 g in 50 mL glucose 5% over 20 minutes.
+ Over 20 minutes, infuse 2 g magnesium sulfate in glucose 5% 50 mL.
+ Magnesium sulfate 2 g in 50 mL of 5% glucose is infused over 20 minutes.
- Infuse glucose 2 g in 50 mL magnesium sulfate 5% over 20 minutes.
- Infuse magnesium sulfate 5% over 20 minutes.
- Infuse 2 g of glucose over 20 minutes.
> Draw up noradrenaline 4 mg (4 mL) and add it to 46 mL of glucose 5%.
+ Draw up 4 mg (4 mL) of noradrenaline and add to 46 mL of glucose 5%.
+ Noradrenaline 4 mg is added to glucose 5% 46 mL.
- Draw up glucose 4 mg (4 mL) and add it to 46 mL of noradrenaline.
- Draw up noradrenaline 46 mL and add it to 4 mL of glucose 5%.
- Add noradrenaline to 4 mg of glucose 5%.
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=str)
def test_table(case: Case) -> None:
    finding = mixtures.check(case.claim, case.cited)
    assert (finding is None) is (case.sign == "+")
    assert finding is None or finding.label is Label.CONTRADICTED


@pytest.mark.parametrize("case", cases(UNSEEN), ids=str)
def test_unseen(case: Case) -> None:
    if case.sign == "+":
        assert mixtures.check(case.claim, case.cited) is None
    else:
        assert first_finding(case.claim, case.cited) is not None


@pytest.mark.parametrize("case", [each for each in cases(TABLE) if each.sign == "!"], ids=str)
def test_no_exchange_gets_past_all_guards(case: Case) -> None:
    assert first_finding(case.claim, case.cited) is not None


NAMES = [("potassium chloride", "sodium chloride"), ("magnesium sulfate", "glucose")]


@pytest.mark.parametrize("one, other", NAMES)
@pytest.mark.parametrize("few, many", [("5 mmol", "500 mL"), ("2 g", "0.1 L"), ("8 mg", "1 kg")])
def test_exchanged_names_are_found_in_any_units(one: str, other: str, few: str, many: str) -> None:
    cited = Cited((f"Give {one} {few} in {many} of {other}.",))
    assert mixtures.check(f"Give {other} {few} in {many} of {one}.", cited) is not None
    assert mixtures.check(f"{few} of {one} is given in {other} {many}.", cited) is None


def test_what_stands_word_for_word_is_not_looked_at() -> None:
    quote = "Give 5 mg of a drug; give 5 mL of that drug."
    assert mixtures.check(quote, Cited((quote,))) is None
