"""Numbers, units, ranges and bounds: what passes, and what is found."""

from __future__ import annotations

import pytest

from chat.verification.guards.figures import NAME, check, figures
from chat.verification.types import Cited, Label

# Quote, then a claim that says the same numbers.
FAITHFUL = [
    ("Give 500 mg now.", "Give 0.5 g."),
    ("Give 500 mg now.", "Give 500mg."),
    ("Give 0.25 g now.", "Give 250 milligrams."),
    ("Give 0.1 mg now.", "Give 100 micrograms."),
    ("Give 100 micrograms now.", "Give 100 mcg."),
    ("Give 100 micrograms now.", "Give 100 µg."),
    ("Give 100 μg now.", "Give 0.1 mg."),
    ("Give 50 nanograms/kg.", "Give 50 ng/kg."),
    ("Give 1,000 mL of fluid.", "Give 1 L of fluid."),
    ("Give 1,500 units.", "Give 1500 IU."),
    ("Give 1\u202f500 units.", "Give 1500 international units."),
    ("Give 2,500,000 units.", "Give 2.5 million units."),
    ("Give .5 mg now.", "Give 0.5 mg."),
    ("Give 0,5 mg now.", "Give 0.5 mg."),
    ("Give 1·5 mg now.", "Give 1.5 mg."),
    ("Give 5.0 mg now.", "Give 5 mg."),
    ("Give 5 to 10 mg.", "Give 5-10 mg."),
    ("Give 5 to 10 mg.", "Give between 5 and 10 mg."),
    ("Give 5–10 mg.", "Give 5 mg to 10 mg."),
    ("Give from 500 mg to 1 g.", "Give 0.5 to 1 g."),
    ("Give 5, 10 and 20 mg tablets.", "Tablets of 10 mg and of 20 mg."),
    ("Give 5, 10 and 20 mg tablets.", "Tablets of 5 mg."),
    ("Do not give more than 5 mg.", "Give at most 5 mg."),
    ("Do not exceed 4 g.", "The maximum is 4 g."),
    ("The dose should not exceed 4 g.", "Up to 4 g."),
    ("The maximum single dose is 560 mg.", "Give no more than 560 mg."),
    ("Give 7 mg/kg (maximum 560 mg).", "Give 7 mg per kg, up to 560 mg."),
    ("If potassium is less than 3.5 mmol/L", "If potassium is < 3.5 mmol/L"),
    ("If potassium is below 3.5 mmol/L", "If potassium is under 3.5 mmol per litre"),
    ("If potassium is 6.0 mmol/L or more", "If potassium is at least 6 mmol/L"),
    ("If potassium is 6.0 mmol/L or higher", "If potassium is ≥6.0 mmol/L"),
    ("If the score is more than 5", "If the score exceeds 5"),
    ("If the score is above 5", "If the score is >5"),
    ("If the score is 5 or less", "If the score is ≤ 5"),
    ("If the score is no less than 5", "If the score is >= 5"),
    ("If creatinine is above 0.2 mmol/L", "If creatinine is above 200 micromol/L"),
    ("If creatinine is above 200 µmol/L", "If creatinine is above 200 micromol/litre"),
    ("If haemoglobin is below 70 g/L", "If haemoglobin is below 7 g/dL"),
    ("If the temperature is 38 °C or more", "If the temperature is at least 100.4 °F"),
    ("If the temperature is 38.5 °C", "If the temperature is 101.3 degrees Fahrenheit"),
    ("If the temperature is 101 °F", "If the temperature is 38.3 °C"),
    ("Keep it at 2 to 8 °C.", "Keep it at 2-8 degrees Celsius."),
    ("Saturation below 92%", "Saturation below 92 per cent"),
    ("Saturation of 94% to 98%", "Saturation of 94–98 %"),
    ("Enoxaparin 1.5 mg/kg", "1.5 mg of enoxaparin per kg"),
    ("Give 100 mg/m² of it.", "Give 100 mg per m2."),
    ("Give 100 mg/m² of it.", "Give 100 mg per square metre."),
    ("when eGFR is below 30 mL/min/1.73 m²", "when eGFR is <30 mL/min/1.73m2"),
    ("Give 0.1–0.2 mg/kg/h.", "Give 0.1 to 0.2 mg/kg per hour."),
    ("Infuse at 60 mL/hour.", "Infuse at 1 mL/min."),
    ("Platelets below 50 x 10^9^/L", "Platelets below 50 × 10⁹/L"),
    ("Platelets below 50 x 10^9/L", "Platelets below 50,000/µL"),
    ("Platelets of 150 to 400 × 10⁹/L", "Platelets of 150-400 x 10^9/L"),
    ("Take two tablets.", "Take 2 tablets."),
    ("Take ½ tablet.", "Take half a tablet."),
    ("Take 2½ tablets.", "Take 2.5 tablets."),
    ("Take one and a half tablets.", "Take 1 1/2 tablets."),
    ("Twenty-five of them died.", "25 died."),
    ("One hundred and twenty patients", "120 patients"),
    ("It affects 1 in 10,000 people.", "It affects one in 10 000 people."),
    ("She saw 2 of her 7 children fall ill.", "Two of the 7 children fell ill."),
    ("Adrenaline 1 in 1,000", "Adrenaline 1:1000"),
    ("It affects 2 per 100,000.", "It affects 2 in 100,000."),
    ("Blood pressure below 140/90 mmHg", "Blood pressure below 140/90"),
    ("ECOG 0-1", "ECOG 0 to 1"),
    ("type 2 diabetes", "Type II diabetes"),
    ("a T-score of −2.5", "a T-score of -2.5"),
    ("Children aged 6 to 12 years", "Children between 6 and 12 years of age"),
    ("Patients aged 65 and over", "Patients 65 or older"),
    ("People over 60 years", "People older than 60 years"),
    ("Infants under 3 months", "Infants less than 3 months old"),
    ("Observe at 24 hours.", "Observe at 1 day."),
    ("Review within 2 weeks.", "Review within 14 days."),
    ("A child of 12 months", "A child of 1 year"),
    ("Review on days 1, 3 and 7.", "Review on day 3."),
    ("From 1 May 2024", "From May 1, 2024"),
    ("From 1 May 2024", "From 2024-05-01"),
    ("Call between 08:00 and 20:00.", "Call from 8 am to 8 pm."),
    ("Give 5 mg.[12] Then stop.", "Give 5 mg.[3]"),
    ("Serum IL-6 and HbA1c", "IL6 and HbA1c"),
    ("Weight (kg) | Dose\n50 to 99 | 40 mg", "Patients of 50 to 99 kg: 40 mg."),
    ("a CHA2DS2-VASc score of 2", "CHA2DS2-VASc 2"),
    ("Give 500 mg/8 h.", "Give 500 mg every 8 hours."),
    ("at least 12 but less than 18 years", "at least 12 years but less than 18 years"),
    ("Give it in the second trimester.", "Give it in the 2nd trimester."),
    ("4 g in 24 hours", "4 g a day"),
    ("Nothing is counted here.", "Nothing is counted."),
]

# Quote, then a claim with another number.
ALTERED = [
    ("Give 500 mg now.", "Give 50 mg."),
    ("Give 500 mg now.", "Give 5000 mg."),
    ("Give 500 mg now.", "Give 500 g."),
    ("Give 500 mg now.", "Give 500 micrograms."),
    ("Give 500 mg now.", "Give 500 mL."),
    ("Give 500 mg now.", "Give 500."),
    ("Give 500 now.", "Give 500 mg."),
    ("Give 500 mg now.", "Give 0.05 g."),
    ("Give 500 mg now.", "Give five mg."),
    ("Give 0.5 mg now.", "Give 5 mg."),
    ("Give .5 mg now.", "Give 5 mg."),
    ("Give 5 mg now.", "Give .5 mg."),
    ("Give 1.25 mg now.", "Give 12.5 mg."),
    ("Give 1,000 mg now.", "Give 1.000 mg."),
    ("Give 1,5 mg now.", "Give 15 mg."),
    ("Give 5 to 10 mg.", "Give 5 mg."),
    ("Give 5 to 10 mg.", "Give 10 mg."),
    ("Give 5 to 10 mg.", "Give up to 10 mg."),
    ("Give 5 to 10 mg.", "Give 5 to 100 mg."),
    ("Give 5 mg or 10 mg.", "Give 5 to 10 mg."),
    ("Give up to 10 mg.", "Give 10 mg."),
    ("Give 10 mg.", "Give up to 10 mg."),
    ("Give at least 10 mg.", "Give up to 10 mg."),
    ("Give at least 10 mg.", "Give more than 10 mg."),
    ("Give more than 10 mg.", "Give at least 10 mg."),
    ("if the score is less than 5", "if the score is 5 or less"),
    ("if the score is < 5", "if the score is ≤ 5"),
    ("if the score is below 5", "if the score is above 5"),
    ("if the score is ≥ 5", "if the score is ≤ 5"),
    ("Do not give more than 5 mg.", "Give more than 5 mg."),
    ("Do not give more than 5 mg.", "Give 5 mg."),
    ("The maximum daily dose is 4 g.", "Give 4 g."),
    ("Give 7 mg/kg.", "Give 7 mg."),
    ("Give 7 mg.", "Give 7 mg/kg."),
    ("Give 7 mg/kg.", "Give 7 mg/m2."),
    ("Give 7 mg/kg/hour.", "Give 7 mg/kg/minute."),
    ("Give 7 mg/kg/hour.", "Give 7 mg/kg."),
    ("when eGFR is below 30 mL/min/1.73 m²", "when eGFR is below 30 mL/min"),
    ("potassium 3.5 mmol/L", "potassium 3.5 micromol/L"),
    ("potassium 3.5 mmol/L", "potassium 3.5 mmol"),
    ("haemoglobin below 70 g/L", "haemoglobin below 70 g/dL"),
    ("temperature of 38 °C", "temperature of 38 °F"),
    ("temperature of 38 °C", "temperature of 101 °F"),
    ("temperature of 38.0 °C", "temperature of 39 °C"),
    ("Saturation below 92%", "Saturation below 29%"),
    ("a rise of 50%", "a rise of 50 mmol/L"),
    ("Platelets below 50 x 10^9/L", "Platelets below 50 x 10^6/L"),
    ("Platelets below 50 x 10^9/L", "Platelets below 5,000/µL"),
    ("Take two tablets.", "Take three tablets."),
    ("Take half a tablet.", "Take one tablet."),
    ("It affects 1 in 10,000 people.", "It affects 1 in 1,000 people."),
    ("She saw 2 of her 7 children fall ill.", "She saw 7 of her 2 children fall ill."),
    ("Adrenaline 1 in 1,000", "Adrenaline 1 in 10,000"),
    ("Blood pressure below 140/90", "Blood pressure below 140/80"),
    ("Blood pressure below 140/90 mmHg", "Blood pressure below 140/90 kPa"),
    ("ECOG 0-1", "ECOG 0-2"),
    ("type 2 diabetes", "type 1 diabetes"),
    ("grade 3 and stage 2", "stage 3"),
    ("a T-score of -2.5", "a T-score of 2.5"),
    ("Children aged 6 to 12 years", "Children aged 6 to 18 years"),
    ("Patients aged 65 and over", "Patients aged 65 and under"),
    ("Patients over 65 years", "Patients under 65 years"),
    ("Children of 6 years get 10 mL.", "Give 6 mL."),
    ("Children of 6 years get 10 mL.", "Give 10 mg."),
    ("Review within 2 weeks.", "Review within 2 days."),
    ("Review within 2 weeks.", "Review after 2 weeks."),
    ("Review at 30 days.", "Review at 1 month."),
    ("Review on days 1, 3 and 7.", "Review on day 5."),
    ("From 1 May 2024", "From 1 May 2023"),
    ("From 1 May 2024", "From 2 May 2024"),
    ("Call between 08:00 and 20:00.", "Call between 08:00 and 18:00."),
    ("Serum IL-6", "Serum IL-8"),
    ("BRCA1 and BRCA2", "BRCA2 and BRCA2"),
    ("mutation m.1555A>G", "mutation m.1556A>G"),
    ("5 or 10 mg", "10 or 10 mg"),
    ("Give it in the second trimester.", "Give it in the third trimester."),
    ("the 3rd dose", "the 4th dose"),
    ("Give 500 mg/day.", "Give 500 mg."),
    ("Weight (kg) | Dose\n50 to 99 | 40 mg", "Patients of 50 to 99 mg: 40 mg."),
    ("Give 15 mg in 5 mL.", "Give 5 mg in 15 mL."),
    ("Give 120 mg/5 mL.", "Give 120 mg/10 mL."),
]


@pytest.mark.parametrize(("quote", "claim"), FAITHFUL)
def test_the_same_numbers_pass(quote: str, claim: str) -> None:
    assert check(claim, Cited((quote,))) is None


@pytest.mark.parametrize(("quote", "claim"), ALTERED)
def test_another_number_is_found(quote: str, claim: str) -> None:
    found = check(claim, Cited((quote,)))
    assert found is not None
    assert found.guard == NAME


@pytest.mark.parametrize("text", [quote for pair in (*FAITHFUL, *ALTERED) for quote in pair])
def test_each_passes_by_itself(text: str) -> None:
    assert check(text, Cited((text,))) is None


@pytest.mark.parametrize(
    ("quote", "claim", "label", "detail"),
    [
        ("Give 5 mg.", "Give 6 mg.", Label.CONTRADICTED, "number not in the quote"),
        ("Give it.", "Give 6 mg.", Label.NOT_FOUND, "number not in the quote"),
        ("Give 5 mg.", "Give 5 g.", Label.CONTRADICTED, "unit not in the quote"),
        ("Give up to 5 mg.", "Give 5 mg.", Label.CONTRADICTED, "bound differs from the quote"),
        ("Take 1 tablet.", "Review on 12 May 2024.", Label.NOT_FOUND, "number not in the quote"),
    ],
)
def test_says_what_is_wrong(quote: str, claim: str, label: Label, detail: str) -> None:
    found = check(claim, Cited((quote,)))
    assert found is not None
    assert (found.label, found.detail) == (label, detail)


def test_a_number_may_stand_in_any_quote_and_in_no_context() -> None:
    assert check("Give 5 mg.", Cited(("Give it.", "The dose is 5 mg."))) is None
    assert check("Give 5 mg.", Cited(("Give it.",), "The dose is 5 mg.")) is not None


def test_numbers_of_two_quotes_do_not_run_into_each_other() -> None:
    assert check("below 50 mg", Cited(("below 50", "mg once daily"))) is not None


def test_figures_are_the_same_where_two_texts_count_the_same() -> None:
    assert figures("Give 0.5 g BD for 1 week") == figures("500 mg twice daily for 7 days")
    assert figures("Give 5 mg") != figures("Give 50 mg")
    assert figures("once daily") != figures("twice daily")
    assert figures("at night") != figures("in the morning")
    assert figures("No number") == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "5 mg, " * 2000,
        "9" * 50_000,
        "1," * 5000,
        "1 in " * 2000,
        "daily " * 200,
        "1 x 10^999999999",
    ],
    ids=lambda text: text[:8],
)
def test_what_was_made_to_take_long_is_refused_or_read(text: str) -> None:
    """An exponent is never worked out, and a claim of a thousand numbers is no claim."""
    found = check(text, Cited((text,)))
    assert found is None or found.detail == "too many numbers for one claim"


def test_a_claim_has_no_more_numbers_than_can_be_compared() -> None:
    text = ", ".join(f"{number} mg" for number in range(1, 120))
    found = check(text, Cited((text,)))
    assert found is not None
    assert found.label is Label.NOT_FOUND
