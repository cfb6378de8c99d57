"""Whom a claim may be about."""

import pytest

from chat.verification.guards import populations
from chat.verification.types import Cited, Label
from tests.chat.verification.guards.tables import Case, cases

TABLE = """
> Give 500 mL to adults with shock.
+ Adults with shock are given 500 mL.
+ In adult patients with shock, give 500 mL.
- Give 500 mL to patients with shock.
- Give 500 mL in shock.
! Give 500 mL to children with shock.
! Give 500 mL to adults and children with shock.
! Give 500 mL to older people with shock.
> Children under 12 years must not take codeine.
+ Codeine must not be taken by children under 12 years.
+ Paediatric patients under 12 years must not take codeine.
- Codeine must not be taken under 12 years.
! Adults under 12 years must not take codeine.
! Neonates must not take codeine.
> A repeat scan is planned in infants under 6 months with persistent fever and a poor response.
+ In infants under 6 months with persistent fever, a repeat scan is planned.
- A repeat scan is planned.
> Trimethoprim is avoided in the first trimester of pregnancy.
+ In the first trimester of pregnancy trimethoprim is avoided.
- Trimethoprim is avoided in pregnancy.
! Trimethoprim is avoided in the third trimester of pregnancy.
- Trimethoprim is avoided.
> Admit every pregnant woman with suspected pyelonephritis.
+ Pregnant women with suspected pyelonephritis are admitted.
+ Admit for suspected pyelonephritis in pregnancy.
- Admit women with suspected pyelonephritis.
- Admit every patient with suspected pyelonephritis.
! Admit every breastfeeding woman with suspected pyelonephritis.
> Treat women for 5 days and men for 7 days.
+ Men are treated for 7 days.
+ Women are treated for 5 days and men for 7 days.
- Treat for 5 days.
! Treat children for 5 days.
> Halve the dose in patients with renal impairment.
+ In renal impairment the dose is halved.
+ Halve the dose in kidney disease.
- Halve the dose.
! Halve the dose in patients with hepatic impairment.
> Avoid metformin in liver failure.
+ Metformin is avoided in hepatic failure.
! Metformin is avoided in dialysis.
- Avoid metformin.
> Newborns and infants are weighed daily.
+ Neonates and infants are weighed daily.
+ Newborns are weighed daily.
! Children are weighed daily.
- Weigh daily.
> Older people may have sepsis without fever.
+ Elderly people may have sepsis without fever.
+ Older patients may have sepsis without fever.
- People may have sepsis without fever.
! Children may have sepsis without fever.
> Breastfeeding mothers can take paracetamol.
+ Paracetamol can be taken by lactating women.
! Pregnant mothers can take paracetamol.
- Mothers can take paracetamol.
> Measure glucose every hour. {Ketoacidosis in adults}
+ Measure glucose every hour in adults.
+ Measure glucose every hour.
- Measure glucose every hour in children.
> Immunocompromised patients need isolation.
+ Patients with immunosuppression need isolation.
- Patients need isolation.
! Pregnant patients need isolation.
> Give fluid slowly to young adults, older people and smokers. Weigh the patient.
+ Weigh the patient.
+ Young adults are given fluid slowly.
- Give fluid slowly.
> Adults need 1 g; children need 15 mg per kg.
+ Adults need 1 g.
+ Children need 15 mg per kg.
- Patients need 1 g.
> Patients with diabetes have their feet checked.
+ Diabetic patients have their feet checked.
- Patients have their feet checked.
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=str)
def test_table(case: Case) -> None:
    finding = populations.check(case.claim, case.cited)
    if case.sign == "+":
        assert finding is None
    else:
        assert finding is not None
        assert (finding.label is Label.CONTRADICTED) is (case.sign == "!")


GROUPS = ["adults", "children", "neonates", "pregnant women", "older people", "men"]


@pytest.mark.parametrize("said", [*GROUPS, "patients"])
@pytest.mark.parametrize("quoted", GROUPS)
def test_no_group_stands_for_another(said: str, quoted: str) -> None:
    cited = Cited((f"Give the vaccine to {quoted} with asthma.",))
    finding = populations.check(f"The vaccine is given to {said} with asthma.", cited)
    assert (finding is None) is (said == quoted)
