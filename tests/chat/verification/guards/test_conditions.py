"""What limits a statement is claimed with it."""

import pytest

from chat.verification.guards import conditions
from chat.verification.types import Cited, Label
from tests.chat.verification.guards.tables import Case, cases

TABLE = """
> Stop gentamicin and call the microbiologist if the creatinine rises by 50%.
+ If the creatinine rises by 50%, discontinue gentamicin and contact the microbiologist.
+ Gentamicin is stopped if the creatinine rises by 50%.
- Stop gentamicin.
- Call the microbiologist.
- Stop gentamicin and call the microbiologist.
> If the patient cannot swallow, give hydrocortisone 100 mg.
+ Give hydrocortisone 100 mg to patients who cannot swallow.
+ When the patient is not able to swallow, hydrocortisone 100 mg is given.
- Give hydrocortisone 100 mg.
- Hydrocortisone 100 mg is given to the patient.
> Halve the dose when eGFR is below 30 mL/min.
+ The dose is halved when eGFR is below 30 mL/min.
+ In patients with an eGFR below 30 mL/min, halve the dose.
- The dose is halved.
- Halve the dose when weight is low.
> Give magnesium sulfate 2 g in acute severe asthma.
+ In acute severe asthma, magnesium sulfate 2 g is given.
- Magnesium sulfate 2 g is given.
- Give magnesium sulfate 2 g in asthma.
> Use oxazepam in patients with cirrhosis.
+ In cirrhosis, oxazepam is used.
- Use oxazepam.
- Oxazepam is used in patients.
> Haemodialysis is needed when potassium stays high after treatment.
+ When potassium stays high after treatment, haemodialysis is needed.
- Haemodialysis is needed.
> Patients who take digoxin need calcium slowly.
+ Calcium is needed slowly by patients who take digoxin.
- Patients need calcium slowly.
> Give lorazepam 4 mg for a seizure that lasts longer than 5 minutes.
+ For a seizure that lasts longer than 5 minutes, give lorazepam 4 mg.
- Give lorazepam 4 mg.
> Measure magnesium daily, because hypokalaemia does not correct while magnesium is low.
+ Measure magnesium daily.
+ Magnesium should be measured every day.
> Because the drug is toxic, measure the level when the dose changes.
+ Measure the level when the dose changes.
- Measure the level.
> Change to tablets once the fever falls.
+ When the fever falls, change to tablets.
- Change to tablets.
> Give 5 mg once daily for asthma.
+ For asthma give 5 mg once daily.
- Give 5 mg once daily.
> During septic shock give noradrenaline.
+ Give noradrenaline during septic shock.
- Give noradrenaline.
> Record an ECG while potassium is low.
+ An ECG is recorded while potassium is low.
- Record an ECG.
> Provided the wound is clean, close it with tape.
+ Close the wound with tape, provided it is clean.
- Close it with tape.
> Give fluid to those with shock. Weigh the patient.
+ Weigh the patient.
+ Those with shock are given fluid.
- Give fluid.
> Discharge is considered when the peak flow is above 75%, and when the variation is small.
+ When the peak flow is above 75% and the variation is small, discharge is considered.
- Discharge is considered.
> Dilute the dose in 100 mL of sodium chloride.
+ The dose is diluted.
+ Dilute the dose in sodium chloride.
> Restart heparin as soon as bleeding is controlled.
+ As soon as bleeding is controlled, heparin is restarted.
+ Restart heparin when bleeding is controlled.
- Restart heparin.
> Restart heparin as soon as possible.
+ Restart heparin.
> The maximum is 2 g, after discussion with the hepatologist.
+ After discussion with the hepatologist, the maximum is 2 g.
- The maximum is 2 g.
> Discuss it with the microbiologist; another medicine is usual.
- Discuss it; another medicine is usual.
> For a procedure that cannot wait, give plasma 10 mL/kg.
+ Give plasma 10 mL/kg for a procedure that cannot wait.
- Give plasma 10 mL/kg.
> Give lorazepam 4 mg for any seizure that lasts longer than 5 minutes.
- Give lorazepam 4 mg for every seizure.
> In general, give plasma 10 mL/kg.
+ Give plasma 10 mL/kg.
> Ask the nurse in the morning.
+ Ask the nurse.
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=str)
def test_table(case: Case) -> None:
    finding = conditions.check(case.claim, case.cited)
    assert (finding is None) is (case.sign == "+")
    assert finding is None or finding.label is Label.NOT_FOUND


ACTS = ["give oxygen", "call the registrar", "measure the lactate", "stop the infusion"]
STATES = ["the saturation is low", "the rash spreads", "urine output falls", "the pupils differ"]


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("word", ["if", "when", "while", "whenever"])
def test_a_dropped_condition_is_found(act: str, state: str, word: str) -> None:
    cited = Cited((f"{act.capitalize()} {word} {state}.",))
    assert conditions.check(f"{act.capitalize()}.", cited) is not None
    assert conditions.check(f"{word.capitalize()} {state}, {act}.", cited) is None
