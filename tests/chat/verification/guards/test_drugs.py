"""Which medicines a claim may name."""

import pytest

from chat.verification.guards import drugs
from chat.verification.types import Cited, Label
from tests.chat.verification.guards.tables import Case, cases

TABLE = """
> Give adrenaline 500 micrograms by intramuscular injection.
+ Give epinephrine 500 micrograms by intramuscular injection.
+ Adrenaline 500 micrograms should be given IM.
! Give noradrenaline 500 micrograms by intramuscular injection.
! Give ephedrine 500 micrograms by intramuscular injection.
! Give atropine 500 micrograms by intramuscular injection.
> Paracetamol 1 g may be given every 6 hours.
+ Acetaminophen 1 g may be given every 6 hours.
! Ibuprofen 1 g may be given every 6 hours.
! Propacetamol or codeine 1 g may be given every 6 hours.
> Give hydralazine 25 mg three times daily.
+ Hydralazine 25 mg is given three times daily.
! Hydroxyzine 25 mg is given three times daily.
> Prescribe prednisolone 40 mg once daily.
+ Prednisolone 40 mg is prescribed once daily.
! Prescribe prednisone 40 mg once daily.
! Prescribe hydrocortisone 40 mg once daily.
! Prescribe methylprednisolone 40 mg once daily.
> Start bisoprolol at 1.25 mg in heart failure.
+ Bisoprolol is started at 1.25 mg in heart failure.
! Start a beta-blocker at 1.25 mg in heart failure.
! Start carvedilol at 1.25 mg in heart failure.
! Start amlodipine at 1.25 mg in heart failure.
> Stop ACE inhibitors and NSAIDs.
+ Angiotensin converting enzyme inhibitors and non-steroidal anti-inflammatory drugs are stopped.
+ ACE inhibitors are stopped.
! Stop ramipril and NSAIDs.
! Stop ibuprofen.
> Give lorazepam 4 mg intravenously.
+ Lorazepam 4 mg is given IV.
! Give diazepam 4 mg intravenously.
! Give midazolam 4 mg intravenously.
! Give a benzodiazepine 4 mg intravenously.
> Amoxicillin 500 mg three times daily is the first choice.
+ The first choice is amoxicillin 500 mg three times daily.
! The first choice is amoxycillinate or ampicillin 500 mg three times daily.
! The first choice is flucloxacillin 500 mg three times daily.
! The first choice is a penicillins mixture of 500 mg three times daily.
> Potassium chloride 40 mmol is added to each litre.
+ Add potassium chloride 40 mmol to each litre.
! Add potassium phosphate 40 mmol to each litre.
! Add sodium chloride 40 mmol to each litre.
> Measure creatinine daily. {Once-daily gentamicin in adults}
+ Measure creatinine daily in patients on gentamicin.
- Measure creatinine daily in patients on tobramycin.
> Warfarin raises the risk. {Enoxaparin after surgery}
! Enoxaparin raises the risk.
+ Warfarin raises the risk beside enoxaparin.
> Give amoxicillin with metronidazole.
+ Give metronidazole with amoxicillin.
+ Metronidazole is given.
! Give amoxicillin with clindamycin.
> Replace warfarin with heparin; heparin is stopped before surgery.
+ Heparin replaces warfarin.
! Replace heparin with heparin; warfarin is stopped before surgery.
> Salbutamol is given first, and ipratropium is given second.
! Ipratropium is given first, and ipratropium is given second.
> GTN relieves angina.
+ Glyceryl trinitrate relieves angina.
+ Nitroglycerin relieves angina.
! Nicorandil relieves angina.
> The child is thirsty.
+ The child wants water.
- The child wants codeine.
- The child wants demonstramab.
> Give co-amoxiclav for seven days.
+ Co-amoxiclav is given for seven days.
! Give co-trimoxazole for seven days.
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=str)
def test_table(case: Case) -> None:
    finding = drugs.check(case.claim, case.cited)
    if case.sign == "+":
        assert finding is None
    else:
        assert finding is not None
        assert (finding.label is Label.CONTRADICTED) is (case.sign == "!")


def test_one_thing_has_one_name() -> None:
    assert drugs.drugs("adrenaline") == drugs.drugs("Epinephrine")
    assert drugs.drugs("NSAIDs") == drugs.drugs("non-steroidal anti-inflammatory drugs")
    assert drugs.drugs("frusemide") == drugs.drugs("furosemide")
    assert not drugs.drugs("The patient drinks water in April.")


@pytest.mark.parametrize("name", ["vancomycin", "ramipril", "aspirin", "tobramycin", "morphine"])
@pytest.mark.parametrize("own", ["gentamicin", "insulin", "warfarin", "codeine", "furosemide"])
def test_a_name_in_place_of_another_is_contradicted(name: str, own: str) -> None:
    quote = f"Give {own} 5 mg once daily to adults."
    finding = drugs.check(quote.replace(own, name), Cited((quote,)))
    assert finding is not None
    assert finding.label is Label.CONTRADICTED
    assert drugs.check(quote, Cited((quote,))) is None
