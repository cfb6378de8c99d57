# ruff: noqa: E501  # a case is read best on one line
"""The guards of numbers together, on sentences as guidelines and language models write them."""

from __future__ import annotations

import pytest

from chat.verification.guards import durations, figures, frequencies
from chat.verification.types import Cited

GUARDS = (figures.check, frequencies.check, durations.check)
PUFFS = "Use a spacer: 4 puffs, then 2 puffs every 2 minutes, to a maximum of 10 puffs."
STEROID = (
    "Give prednisolone 40 mg by mouth once daily for at least 5 days, within one hour of arrival."
)
PLATELETS = "It is likely when platelets fall by 50% or more between days 5 and 14."
SEIZURE = "Give lorazepam 4 mg intravenously for a seizure that lasts longer than 5 minutes."
CHOICE = "Give amoxicillin 500 mg three times daily, or doxycycline 100 mg once daily, for 7 days."
FLUID = "Correct it with 500 mL of sodium chloride 0.9% over 10 to 15 minutes, and repeat once."
CHILD = "Infants under 3 months are treated with cefotaxime 50 mg/kg every 8 hours for 7 days."
POTASSIUM = "Give potassium chloride 40 mmol in 1,000 mL of sodium chloride 0.9% over 4 hours."
RECURRENT = (
    "Recurrent means two or more infections in six months, or three or more in twelve months."
)
LEVEL = "Take a level 18 to 24 hours after the first dose. The target is less than 1 mg/L."
INR = "Repeat the INR 20 minutes after the dose and at 6 hours, and call if it is still above 1.5."
WAIT = "Wait at least 12 hours after a dose before a needle is placed."
AGES = "Patients aged 16 and 17 years follow the children's guideline; those over 65 do not."
TWO = "Call when ketones are above 6.0 mmol/L or bicarbonate is below 5.0 mmol/L."
DRINK = "Patients who drink more than 15 units a day, or score 20 or more, are likely to need it."
TABLE = "Weight (kg) | Dose | Interval\n50 to 99 | 40 mg | Once daily\n100 or more | 60 mg | Twice daily"

FAITHFUL = [
    (PUFFS, "Four puffs, followed by two puffs every two minutes (max 10 puffs)."),
    (PUFFS, "At most ten puffs may be given."),
    (STEROID, "Oral prednisolone 40 mg daily for ≥5 days, started within 1 hour of arrival."),
    (STEROID, "Prednisolone 40 mg OD for a minimum of five days."),
    (STEROID, "The first dose of prednisolone (40 mg) is given within 60 minutes of arrival."),
    (PLATELETS, "Suspect it when the platelet count falls by at least 50% between day 5 and day 14."),
    (PLATELETS, "A ≥50 % fall in platelets on days 5–14 suggests it."),
    (SEIZURE, "For a seizure lasting more than 5 min, give lorazepam 4 mg IV."),
    (SEIZURE, "If a seizure lasts > 5 minutes, 4 mg of lorazepam is given intravenously."),
    (CHOICE, "Amoxicillin 500 mg TDS for one week."),
    (CHOICE, "A 7-day course of doxycycline 100 mg daily is an alternative."),
    (CHOICE, "Amoxicillin 0.5 g every 8 hours or doxycycline 100 mg OD for 7 days."),
    (FLUID, "Give 0.5 L of 0.9% sodium chloride over 10–15 minutes."),
    (FLUID, "A bolus of 500 ml sodium chloride 0.9 % is given over 10-15 min."),
    (CHILD, "Cefotaxime 50 mg per kg 8-hourly for one week in infants younger than 3 months."),
    (CHILD, "Below the age of 3 months give cefotaxime 50 mg/kg three times daily for 7 days."),
    (POTASSIUM, "Potassium chloride 40 mmol in 1 litre of 0.9% saline, infused over four hours."),
    (RECURRENT, "At least 2 infections within 6 months or at least 3 within 12 months."),
    (RECURRENT, "Recurrent: ≥2 infections in 6 months, or ≥3 in one year."),
    (LEVEL, "The level is taken 18–24 h after the first dose; the target is below 1 mg/L."),
    (LEVEL, "Aim for a level under 1 mg/L."),
    (INR, "Check the INR 20 min after the dose and again at 6 h; call if it remains >1.5."),
    (WAIT, "A minimum of 12 hours must pass between a dose and the needle."),
    (WAIT, "Place the needle no sooner than 12 hours after a dose."),
    (AGES, "16–17 year olds follow the children's guideline."),
    (AGES, "Those older than 65 years do not follow it."),
    (AGES, "Patients aged 16 or 17 follow the children's guideline."),
    (TWO, "Call when ketones exceed 6 mmol/L or bicarbonate is under 5 mmol/L."),
    (TWO, "Bicarbonate < 5.0 mmol/L is a reason to call."),
    (DRINK, "Treatment is likely to be needed above 15 units per day or with a score of at least 20."),
    (DRINK, "People drinking >15 units daily or scoring ≥20 probably need it."),
    (TABLE, "Adults of 50 to 99 kg are given 40 mg once daily."),
    (TABLE, "From 100 kg: 60 mg twice daily."),
    (TABLE, "At a weight of 100 kg or more, give 60 mg every 12 hours."),
    ("Do not give more than 2 days of it to take home.", "Give at most a 2-day supply."),
    ("Age over 60 years is a risk.", "Age >60 is a risk."),
    ("Give 15 mg in 5 mL.", "Give 15 mg/5 mL."),
    ("Give 25 mg/kg twice daily (maximum 1 g per dose).", "25 mg/kg BD, up to 1 g per dose."),
    ("Give 25 mg/kg twice daily (maximum 1 g per dose).", "25 mg/kg BD; maximum single dose 1 g."),
    ("Score it every 2 hours for the first 24 hours.", "Score it 2-hourly for the first day."),
    ("The standards are insulin within 60 minutes in 90%.", "In 90%, insulin starts within 1 hour."),
    ("It audits one hundred admissions each month.", "100 admissions a month are audited."),
    ("Give 5,000 units twice daily.", "Give 5000 IU every 12 hours."),
    ("There is a 1 in 4 chance.", "The chance is one in four."),
    ("Give 1 g of it.", "Give 1 g (1000 mg) of it."),
    ("Do not give it more often than every 4 hours.", "At most every 4 hours."),
    ("Review within the first 24 hours.", "Review within 1 day."),
    ("Treat for 3 or more days.", "Treat for at least 3 days."),
    ("1 month–11 years: 20 mg", "From 1 month to 11 years 20 mg is given."),
    ("At 28+6 weeks give 1.5 g–2 g.", "Give 1.5 to 2 g at 28+6 weeks."),
    ("Give a quarter of a tablet.", "Give 0.25 tablets."),
    ("Stop when it is above three times the upper limit.", "Stop when it is > 3× ULN."),
    ("Acidosis means a pH below 7.30.", "Acidosis means pH<7.3."),
    ("Give 15 mg/kg (maximum 2 g per dose).", "Give 15 mg/kg (max. 2 g/dose)."),
    ("Children under 5 years are seen first.", "Under-5s are seen first."),
    ("Give it every third day.", "Give it every 3 days."),
    ("From day 3 to day 5 give 10 mg.", "Give 10 mg on days 3-5."),
    (f"{TABLE}\nGive 60 mg once daily to the very old.", "The very old are given 60 mg once daily."),
]  # fmt: skip
ALTERED = [
    (PUFFS, "Two puffs, then 4 puffs every 2 minutes, to a maximum of 100 puffs."),
    (PUFFS, "Ten puffs are given."),
    (PUFFS, "4 puffs, then 2 puffs every 2 hours."),
    (STEROID, "Prednisolone 40 mg once daily for 5 days."),
    (STEROID, "Prednisolone 40 mg twice daily for at least 5 days."),
    (STEROID, "Prednisolone 5 mg once daily for at least 40 days."),
    (STEROID, "Prednisolone 40 mg once daily for at least 5 weeks."),
    (STEROID, "Prednisolone 40 mg within 5 hours of arrival."),
    (PLATELETS, "It is likely when platelets fall by 5% or more."),
    (PLATELETS, "It is likely when platelets fall by up to 50%."),
    (PLATELETS, "It is likely between weeks 5 and 14."),
    (SEIZURE, "Give lorazepam 4 mg for a seizure that lasts 5 minutes."),
    (SEIZURE, "Give lorazepam 5 mg for a seizure that lasts longer than 4 minutes."),
    (SEIZURE, "Give lorazepam 4 g for a seizure that lasts longer than 5 minutes."),
    (CHOICE, "Give amoxicillin 100 mg three times daily."),
    (CHOICE, "Give amoxicillin 500 mg once daily."),
    (CHOICE, "Give doxycycline 500 mg three times daily."),
    (CHOICE, "Give amoxicillin 100 mg once daily, or doxycycline 500 mg three times daily."),
    (CHOICE, "Give doxycycline 100 mg once daily for 7 weeks."),
    (FLUID, "Correct it with 500 mL of sodium chloride 0.9% over 15 minutes."),
    (FLUID, "Correct it with 500 mL of sodium chloride 9%."),
    (CHILD, "Infants over 3 months are treated with cefotaxime 50 mg/kg."),
    (CHILD, "Infants are treated with cefotaxime for 3 months."),
    (CHILD, "Infants under 7 days are treated with cefotaxime."),
    (CHILD, "Cefotaxime 50 mg every 8 hours"),
    (CHILD, "Cefotaxime 50 mg/kg every 7 days for 8 hours"),
    (POTASSIUM, "Give potassium chloride 40 mmol in 100 mL."),
    (POTASSIUM, "Give potassium chloride 40 mmol/L over 4 hours."),
    (POTASSIUM, "Give potassium chloride 40 mg in 1,000 mL."),
    (RECURRENT, "Recurrent means two infections in six months."),
    (RECURRENT, "Recurrent means two or more infections in three months."),
    (LEVEL, "Take a level 18 to 24 hours before the first dose."),
    (LEVEL, "The target is more than 1 mg/L."),
    (LEVEL, "The target is less than 10 mg/L."),
    (LEVEL, "Take a level 24 hours after the first dose."),
    (INR, "Repeat the INR 20 hours after the dose and at 6 minutes."),
    (INR, "Call if the INR is below 1.5."),
    (WAIT, "Wait 12 hours after a dose before a needle is placed."),
    (WAIT, "Wait at most 12 hours after a dose."),
    (AGES, "Patients aged 15 and 16 years follow it."),
    (AGES, "Patients under 65 do not."),
    (TWO, "Call when ketones are above 5.0 mmol/L."),
    (TWO, "Call when bicarbonate is below 6.0 mmol/L."),
    (DRINK, "Patients who drink more than 15 units a week"),
    (DRINK, "Patients who drink more than 20 units a day, or score 15 or more"),
    (TABLE, "Adults of 50 to 99 kg are given 60 mg once daily."),
    ("Stop when it is above 3 times the upper limit.", "Stop when it is above 5× ULN."),
    ("Acidosis means a pH below 7.30.", "Acidosis means pH>7.3."),
    ("Give 15 mg/kg (maximum 2 g per dose).", "Give 15 mg/kg (max. 3 g/dose)."),
    ("Give 15 mg/kg (max. 2 g per dose).", "Give 15 mg/kg (2 g per dose)."),
    ("Children under 5 years are seen first.", "Over-5s are seen first."),
    ("Give it every third day.", "Give it on day 3."),
    ("Women in their 50s", "Women in their 60s"),
    ("Do not give it more often than every 4 hours.", "Give it every 4 hours."),
    ("Treat for 3 or more days.", "Treat for 3 days."),
    ("1 month–11 years: 20 mg", "1 month–12 years: 20 mg"),
    ("At 28+6 weeks give 1.5 g–2 g.", "At 28+2 weeks give 1.5 g–2 g."),
    ("Give a quarter of a tablet.", "Give half a tablet."),
]  # fmt: skip


def found_by(quote: str, claim: str) -> list[str]:
    return [found.guard for check in GUARDS if (found := check(claim, Cited((quote,))))]


@pytest.mark.parametrize(("quote", "claim"), FAITHFUL)
def test_a_faithful_claim_passes(quote: str, claim: str) -> None:
    assert found_by(quote, claim) == []


@pytest.mark.parametrize(("quote", "claim"), ALTERED)
def test_an_altered_claim_is_found(quote: str, claim: str) -> None:
    assert found_by(quote, claim) != []
