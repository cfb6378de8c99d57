"""What acts stays what acts, and what it acts on stays with its verb."""

import pytest

from chat.verification.guards import effects, first_finding
from chat.verification.types import Cited, Label
from tests.chat.verification.guards.tables import Case, cases

TABLE = """
> Heparin reduces the risk of thrombosis but increases the risk of bleeding.
+ Heparin reduces the risk of thrombosis.
+ Heparin increases the risk of bleeding.
+ Heparin increases the risk of bleeding but reduces the risk of thrombosis.
+ The risk of thrombosis is reduced by heparin.
+ Heparin lowers the risk of thrombosis and raises the risk of bleeding.
+ The risk of bleeding is increased by heparin, and the risk of thrombosis is reduced.
! Heparin reduces the risk of bleeding.
! Heparin increases the risk of thrombosis.
! Heparin increases the risk of thrombosis but reduces the risk of bleeding.
! Bleeding reduces the risk of thrombosis.
! Thrombosis increases the risk of bleeding.
! The risk of bleeding is reduced by heparin.
! Heparin lowers the risk of bleeding.
! Heparin reduces the risk of thrombosis and bleeding.
> Digoxin slows the pulse. Furosemide lowers potassium and spironolactone raises potassium.
+ Spironolactone raises potassium.
+ Furosemide decreases potassium.
+ Potassium is raised by spironolactone.
! Furosemide raises potassium.
! Spironolactone lowers potassium.
! Potassium is lowered by spironolactone.
> Steroids improve breathing, worsen sleep and increase appetite.
+ Steroids increase appetite.
+ Sleep is worsened by steroids.
+ Steroids improve breathing and increase appetite.
! Steroids improve sleep.
! Steroids worsen breathing.
! Appetite is worsened by steroids.
! Steroids increase sleep.
> Vaccination prevents measles, and measles causes pneumonia.
+ Measles is prevented by vaccination.
+ Measles causes pneumonia.
! Vaccination prevents pneumonia.
! Vaccination causes pneumonia.
! Pneumonia prevents measles.
> Rifampicin induces the enzyme, whereas ketoconazole inhibits the transporter.
+ The transporter is inhibited by ketoconazole.
+ Rifampicin induces the enzyme and ketoconazole inhibits the transporter.
! Rifampicin induces the transporter.
! Ketoconazole inhibits the enzyme.
! Rifampicin inhibits the transporter.
> Morphine relieves pain and may cause constipation.
+ Pain is relieved by morphine.
+ Constipation may be caused by morphine.
! Morphine may cause pain.
! Morphine relieves constipation.
! Constipation may cause pain.
> If bleeding increases, reduce the dose of heparin.
+ Reduce the dose of heparin if bleeding increases.
+ When bleeding increases, the dose of heparin is reduced.
> Treat hypoglycaemia before it causes seizures, and treat the cause.
+ Treat hypoglycaemia before seizures are caused.
! Treat seizures before they cause hypoglycaemia.
> An increase in urea and a reduced urine output suggest renal injury.
+ Renal injury is suggested by an increase in urea and a reduced urine output.
> Statins reduce stroke in adults and increase myalgia in women.
+ In adults, statins reduce stroke.
+ Statins markedly increase myalgia in women.
! Statins reduce myalgia in women.
! Statins increase stroke in adults.
"""
# Texts that were written after the rules; what is false falls to any guard.
UNSEEN = """
> Beta-blockers lower the heart rate and mortality but can worsen asthma and cause fatigue.
+ Beta-blockers can worsen asthma.
+ Fatigue can be caused by beta-blockers.
+ Mortality is lowered by beta-blockers.
+ Beta-blockers lower the heart rate.
+ Beta-blockers reduce heart rate and mortality.
- Beta-blockers lower asthma.
- Beta-blockers can worsen mortality.
- Beta-blockers can cause asthma.
- Asthma can worsen fatigue.
- Beta-blockers can worsen the heart rate.
> Thiazides raise calcium and lower sodium, whereas loop diuretics lower both calcium and potassium.
+ Thiazides raise calcium.
+ Thiazides lower sodium.
+ Loop diuretics lower calcium and potassium.
- Loop diuretics raise calcium.
- Thiazides lower potassium.
- Thiazides raise sodium.
> Aspirin prevents stroke; in some people it causes gastric ulcers, which omeprazole prevents.
+ Aspirin prevents stroke.
+ In some people aspirin causes gastric ulcers.
+ Omeprazole prevents gastric ulcers.
- Aspirin prevents gastric ulcers.
- Aspirin causes stroke.
- Omeprazole causes gastric ulcers.
- Omeprazole prevents stroke.
> Dexamethasone reduced mortality in ventilated patients and increased blood glucose.
+ Dexamethasone increased blood glucose.
+ Mortality in ventilated patients was reduced by dexamethasone.
- Dexamethasone increased mortality in ventilated patients.
- Dexamethasone reduced blood glucose.
- Blood glucose reduced mortality in ventilated patients.
> Smoking is associated with an increased risk of clots; sport is linked to a reduced risk of falls.
+ Sport is associated with a reduced risk of falls.
- Smoking is associated with a reduced risk of clots.
- Smoking is associated with an increased risk of falls.
- Sport is associated with a reduced risk of clots.
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=str)
def test_table(case: Case) -> None:
    finding = effects.check(case.claim, case.cited)
    assert (finding is None) is (case.sign == "+")
    assert finding is None or finding.label is Label.CONTRADICTED


@pytest.mark.parametrize("case", cases(UNSEEN), ids=str)
def test_unseen(case: Case) -> None:
    if case.sign == "+":
        assert effects.check(case.claim, case.cited) is None
    else:
        assert first_finding(case.claim, case.cited) is not None


@pytest.mark.parametrize("case", [each for each in cases(TABLE) if each.sign == "!"], ids=str)
def test_no_lie_gets_past_all_guards(case: Case) -> None:
    assert first_finding(case.claim, case.cited) is not None


VERBS = [
    ("reduces", "increases"),
    ("prevents", "causes"),
    ("improves", "worsens"),
    ("inhibits", "stimulates"),
    ("lowers", "triggers"),
]


@pytest.mark.parametrize("one, other", VERBS)
@pytest.mark.parametrize("joint", ["and", "but", ", and", ", whereas it"])
def test_exchanged_objects_are_found(one: str, other: str, joint: str) -> None:
    cited = Cited((f"The medicine {one} thirst {joint} {other} hunger.",))
    assert effects.check(f"The medicine {one} hunger.", cited) is not None
    assert effects.check(f"The medicine {other} thirst.", cited) is not None
    assert effects.check(f"The medicine {one} thirst.", cited) is None
    assert effects.check(f"The medicine {other} hunger.", cited) is None


@pytest.mark.parametrize("one, other", VERBS)
def test_the_object_of_one_verb_does_not_do_the_other(one: str, other: str) -> None:
    cited = Cited((f"The medicine {one} thirst and {other} hunger.",))
    assert effects.check(f"Hunger {one} thirst.", cited) is not None
    assert effects.check(f"Thirst {other} hunger.", cited) is not None
