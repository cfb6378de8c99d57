"""Which ways of giving a claim may name, and which it has to."""

import pytest

from chat.verification.guards import routes
from chat.verification.types import Cited, Label
from tests.chat.verification.guards.tables import Case, cases

TABLE = """
> Give prednisolone 40 mg by mouth once daily.
+ Oral prednisolone 40 mg once daily.
+ Prednisolone 40 mg PO once daily.
+ Prednisolone is taken orally.
! Prednisolone 40 mg IV once daily.
! Give prednisolone 40 mg intramuscularly once daily.
! Give prednisolone 40 mg rectally once daily.
- Give prednisolone 40 mg once daily.
> Give gentamicin 7 mg/kg by intravenous infusion, to a maximum of 560 mg.
+ Gentamicin 7 mg/kg is given IV.
+ Gentamicin 7 mg/kg is given i.v. as an infusion.
+ The maximum is 560 mg.
+ Gentamicin is given with a maximum.
! Give gentamicin 7 mg/kg by intrathecal infusion.
! Give gentamicin 7 mg/kg by mouth.
! Give gentamicin 7 mg/kg by subcutaneous infusion.
- Give gentamicin 7 mg/kg by infusion.
> Give gentamicin 7 mg/kg by intravenous infusion. {Intravenous gentamicin in adults}
+ Give gentamicin 7 mg/kg by infusion.
> Give adrenaline 1 in 1,000 by intramuscular injection.
+ Adrenaline is injected IM.
! Adrenaline is injected IV.
! Adrenaline is injected subcutaneously.
! Adrenaline is given into a vein.
> Enoxaparin 40 mg is injected subcutaneously.
+ Enoxaparin 40 mg SC.
+ Enoxaparin 40 mg is injected under the skin.
! Enoxaparin 40 mg IM.
! Enoxaparin 40 mg is injected intradermally.
> Give salbutamol 5 mg by nebuliser.
+ Nebulised salbutamol 5 mg.
+ Salbutamol 5 mg is nebulized.
+ Inhaled salbutamol 5 mg.
! Salbutamol 5 mg by mouth.
! Salbutamol 5 mg intravenously.
> Inhaled budesonide is used twice daily.
+ Budesonide is used by inhaler twice daily.
! Budesonide is nebulised twice daily.
! Budesonide is taken orally twice daily.
> Give glyceryl trinitrate 400 micrograms under the tongue.
+ Sublingual glyceryl trinitrate 400 micrograms.
! Buccal glyceryl trinitrate 400 micrograms.
! Glyceryl trinitrate 400 micrograms by skin patch.
> Use the cream twice daily.
+ Topical use twice daily.
! Take it orally twice daily.
> Naloxone 2 mg is sprayed into each nostril.
+ Intranasal naloxone 2 mg.
! Intravenous naloxone 2 mg.
> Insert an intraosseous needle and give adrenaline 1 mg.
+ Adrenaline 1 mg is given by IO needle.
! Adrenaline 1 mg is given by IV needle.
> Give diazepam 10 mg PR.
+ Rectal diazepam 10 mg.
! Buccal diazepam 10 mg.
! Vaginal diazepam 10 mg.
> Vitamin K 3 mg intravenously or vitamin K 2 mg by mouth.
+ Vitamin K 2 mg by mouth or vitamin K 3 mg intravenously.
! Vitamin K 3 mg by mouth or vitamin K 2 mg by mouth.
> Repeat the dose after 5 minutes. {Adrenaline › Intramuscular dose}
+ Repeat the intramuscular dose after 5 minutes.
- Repeat the intravenous dose after 5 minutes.
> Examine the oral cavity.
+ Look at the oral cavity.
> Put one drop into the eye.
+ Give one drop as eye drops.
! Give one drop as ear drops.
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=str)
def test_table(case: Case) -> None:
    finding = routes.check(case.claim, case.cited)
    if case.sign == "+":
        assert finding is None
    else:
        assert finding is not None
        assert (finding.label is Label.CONTRADICTED) is (case.sign == "!")


WAYS = ["orally", "intravenously", "intramuscularly", "subcutaneously", "rectally", "sublingually"]


@pytest.mark.parametrize("said", WAYS)
@pytest.mark.parametrize("quoted", WAYS)
def test_no_way_stands_for_another(said: str, quoted: str) -> None:
    cited = Cited((f"The drug 5 mg is given {quoted} at night.",))
    finding = routes.check(f"At night the drug 5 mg is given {said}.", cited)
    assert (finding is None) is (said == quoted)
