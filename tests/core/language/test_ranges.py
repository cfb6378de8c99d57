"""The row of a dosing table that a number belongs to: a wrong row is a wrong dose."""

import math
import random
from collections.abc import Sequence

import pytest

from core.language.en.quantities.measures import Interval, levelled, measures
from core.language.en.quantities.row_ranges import interval_of, rows_in_range

INF = math.inf
YEAR, MONTH = 365.25, 30.4375

CELLS: dict[str, Interval | None] = {
    "More than 60": Interval(60, INF, low_open=True),
    "Over 50 kg†": Interval(50, INF, "kg", low_open=True),
    "> 60 mL/min": Interval(60, INF, "ml/min", low_open=True),
    "30 or more": Interval(30, INF),
    "65+": Interval(65, INF),
    "≥ 0.5": Interval(0.5, INF),
    "at least 12": Interval(12, INF),
    "not less than 30": Interval(30, INF),
    "No less than 30": Interval(30, INF),
    "at or above 5": Interval(5, INF),
    "greater than or equal to 5": Interval(5, INF),
    "<15": Interval(-INF, 15, high_open=True),
    "Less than 2.5 mmol/L": Interval(-INF, 2.5, "mmol/l", high_open=True),
    "Less than 2.5, or symptoms": Interval(-INF, 2.5, high_open=True),
    "fewer than 5": Interval(-INF, 5, high_open=True),
    "≤ 15": Interval(-INF, 15),
    "15 mL/min or less": Interval(-INF, 15, "ml/min"),
    "not more than 3 g": Interval(-INF, 3000, "mg"),
    "no more than 500 micrograms": Interval(-INF, 0.5, "mg"),
    "not above 5": Interval(-INF, 5),
    "up to and including 5": Interval(-INF, 5),
    "less than or equal to 5": Interval(-INF, 5),
    "40 to 60": Interval(40, 60),
    "40–60": Interval(40, 60),
    "between 40 and 60": Interval(40, 60),
    "30 to <60": Interval(30, 60, high_open=True),
    "30 up to but not including 60": Interval(30, 60, high_open=True),
    "≥30 and <60": Interval(30, 60, high_open=True),
    "<60 and ≥30": Interval(30, 60, high_open=True),
    "More than 30, up to 60": Interval(30, 60, low_open=True),
    "500 mg to 1 g": Interval(500, 1000, "mg"),
    "2 to 4 hours": Interval(120, 240, "minute"),
    ".5 to 1": Interval(0.5, 1),
    "0·5 to 1": Interval(0.5, 1),
    "3,5 to 4,5": Interval(3.5, 4.5),
    "1,000 to 1,500": Interval(1000, 1500),
    "More than 2ᵃ": Interval(2, INF, low_open=True),
    "More than 2 a": Interval(2, INF, low_open=True),
    "Under 6 months": Interval(-INF, 6 * MONTH, "day", high_open=True),
    "3 months and over, lower UTI": Interval(3 * MONTH, INF, "day"),
    "6 to 11 years": Interval(6 * YEAR, 12 * YEAR, "day", high_open=True),
    "6 months to under 6 years": Interval(6 * MONTH, 6 * YEAR, "day", high_open=True),
    "at least 12 but less than 18 years": Interval(12 * YEAR, 18 * YEAR, "day", high_open=True),
    "Over 12 years": Interval(12 * YEAR, INF, "day", low_open=True),
    "50": Interval(50, 50),
    "50.5 kg": Interval(50.5, 50.5, "kg"),
    # Ambiguous or unreliable texts give no interval.
    "below 5 or above 9": None,
    "1 to 3 months (under 5 kg)": None,
    "30 ≤ x < 60": None,
    "-2 to 3": None,
    "10 x 5": None,
    "185/110": None,
    "Stage 3": None,
    "Day 1": None,
    "Not measured": None,
    "": None,
    "60 mg/kg, not more than 3 g": None,
    "10% at 50 mL/hour": None,
}


@pytest.mark.parametrize("cell", CELLS)
def test_reads_the_bounds_of_a_cell(cell: str) -> None:
    assert interval_of(cell) == CELLS[cell]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Interval(0, 5), Interval(5, 9), True),
        (Interval(0, 5, high_open=True), Interval(5, 9), False),
        (Interval(0, 5), Interval(5, 9, low_open=True), False),
        (Interval(5, 5), Interval(5, INF, low_open=True), False),
        (Interval(5, 5, "kg"), Interval(0, 9), False),
        (Interval(5, 5, "kg"), Interval(0, 9, "day"), False),
        (Interval(9, 1), Interval(5, 5), False),
    ],
)
def test_intervals_meet_only_in_one_unit(one: Interval, other: Interval, expected: bool) -> None:
    assert one.meets(other) is other.meets(one) is expected


CLEARANCE = (
    ["Creatinine clearance (mL/min)", "Dose", "Interval"],
    [
        ["More than 60", "7 mg/kg*", "Every 24 hours"],
        ["40 to 60", "5 mg/kg*", "Every 36 hours"],
        ["20 to 39", "4 mg/kg*", "Every 48 hours"],
        ["Less than 20†", "3 mg/kg single dose", "Do not repeat without a level"],
    ],
)
WEIGHT = (
    ["Body weight (kg)", "Total dose (mg)", "Bolus (mg)*", "Infusion over 60 minutes (mg)"],
    [
        ["50", "45.0", "4.5", "40.5"],
        ["60", "54.0", "5.4", "48.6"],
        ["70", "63.0", "6.3", "56.7"],
        ["80", "72.0", "7.2", "64.8"],
        ["100 or more†", "90.0", "9.0", "81.0"],
    ],
)
AGE = (
    ["Age", "Dose", "Volume"],
    [
        ["Over 12 years", "500 micrograms", "0.5 mL"],
        ["6 to 12 years", "300 micrograms", "0.3 mL"],
        ["6 months to under 6 years", "150 micrograms", "0.15 mL"],
        ["Under 6 months", "100 micrograms", "0.1 mL"],
    ],
)
AGE_IN_YEARS = (["Age (years)", "Dose"], [["Under 1", "1 mg"], ["1 to 4", "2 mg"], ["5+", "5 mg"]])
GROUP = (
    ["Group", "Single dose", "Frequency"],
    [
        ["3 to 5 months", "60 mg", "Every 4 to 6 hours, at most 4 doses"],
        ["6 to 23 months", "120 mg", "Every 4 to 6 hours, at most 4 doses"],
        ["2 to 3 years", "180 mg", "Every 4 to 6 hours, at most 4 doses"],
        ["Adults of 50 kg or more", "1 g", "Every 4 to 6 hours, at most 4 g"],
        ["Adults under 50 kg", "15 mg/kg", "Every 6 hours, at most 60 mg/kg"],
    ],
)
INTRAVENOUS = (
    ["Body weight", "Dose", "Minimum interval", "Maximum in 24 hours"],
    [
        ["Less than 10 kg*", "7.5 mg/kg", "6 hours", "30 mg/kg"],
        ["10 to 33 kg", "15 mg/kg", "6 hours", "60 mg/kg, not more than 2 g"],
        ["34 to 50 kg", "15 mg/kg", "6 hours", "60 mg/kg, not more than 3 g"],
        ["More than 50 kg†", "1 g", "4 hours", "4 g"],
    ],
)
GLUCOSE = (
    ["Preparation", "Volume", "Time", "Glucose given"],
    [
        ["Glucose 20%*", "100 mL", "15 minutes", "20 g"],
        ["Glucose 10%", "200 mL", "15 minutes", "20 g"],
        ["Glucose 50%†", "Not used", "-", "-"],
    ],
)
CHILD_UTI = (
    ["Age and illness", "Antibiotic", "Duration"],
    [
        ["Under 3 months, any UTI", "Cefotaxime", "7 days"],
        ["3 months and over", "Trimethoprim", "3 days"],
    ],
)
DAY = (["Day", "Dose"], [[str(day), f"{8 - day} tablets"] for day in range(1, 8)])
POTASSIUM = (
    ["Severity", "Serum potassium (mmol/L)", "Treatment"],
    [
        ["Mild", "3.0 to 3.4", "tablets"],
        ["Moderate", "2.5 to 2.9", "more tablets"],
        ["Severe", "Less than 2.5, or symptoms", "a drip"],
    ],
)  # fmt: skip
Table = tuple[Sequence[str], Sequence[Sequence[str]]]

QUESTIONS: list[tuple[Table, str, set[int] | None]] = [
    (CLEARANCE, "gentamicin interval CrCl 75 mL/min", {0}),
    (CLEARANCE, "gentamicin if creatinine clearance is 60 mL/min", {1}),
    (CLEARANCE, "gentamicin if creatinine clearance is 60.1 mL/min", {0}),
    (CLEARANCE, "gentamicin CrCl 19.9 ml / min", {3}),
    (CLEARANCE, "gentamicin CrCl 20ml per minute", {2}),
    (CLEARANCE, "gentamicin CrCl 25", {2}),
    (CLEARANCE, "gentamicin creatinine clearance below 20", {3}),
    (CLEARANCE, "gentamicin creatinine clearance over 60", {0}),
    (CLEARANCE, "gentamicin creatinine clearance not below 60 mL/min", {0, 1}),
    (CLEARANCE, "gentamicin with a creatinine clearance of 30-50 mL/min", {1, 2}),
    (CLEARANCE, "When is a gentamicin level taken?", None),
    # A value between two rows matches none.
    (CLEARANCE, "gentamicin CrCl 39.5 mL/min", set()),
    # A weight beside the words of a clearance is not one.
    (CLEARANCE, "gentamicin dose 82kg crcl 35", {2}),
    (CLEARANCE, "gentamicin dose 82 kg creatinine clearance 35 mL/min", {2}),
    (CLEARANCE, "gentamicin dose with creatinine 300 micromol/L, clearance 35 mL/min", {2}),
    # Another quantity, or another unit, must not pick a row: creatinine 300 is renal failure.
    (CLEARANCE, "gentamicin dose with creatinine 300", set()),
    (CLEARANCE, "gentamicin dose with a creatinine of 300 micromol/L", set()),
    (CLEARANCE, "gentamicin dose with a creatinine of 300 µmol/L", set()),
    (CLEARANCE, "gentamicin in stage 3 kidney disease", None),
    (CLEARANCE, "gentamicin in covid-19 and type 2 diabetes", None),
    (WEIGHT, "alteplase bolus for an 80 kg stroke patient", {3}),
    (WEIGHT, "alteplase bolus for a 80kg patient", {3}),
    (WEIGHT, "alteplase bolus for 120 kg", {4}),
    (WEIGHT, "alteplase infusion over 60 minutes for 70 kg", {2}),
    (WEIGHT, "alteplase infusion for 60 kg", {1}),  # 60 stands in a header too, as minutes
    (WEIGHT, "alteplase dose, weight 75", set()),
    (WEIGHT, "alteplase bolus for a patient of 75 kg", set()),
    (WEIGHT, "alteplase, body weight 12 stone", set()),  # 76.2 kg
    (WEIGHT, "alteplase for a patient of 16 stone", {4}),  # 101.6 kg
    (WEIGHT, "alteplase, weight 150 lb", set()),
    (WEIGHT, "alteplase, weight 11 stone 4 lb", set()),
    (WEIGHT, "alteplase, height 180 cm", None),
    (AGE, "adrenaline for an 8 year old", {1}),
    (AGE, "adrenaline for an 8-year-old", {1}),
    (AGE, "adrenaline for an eight year old", {1}),
    (AGE, "adrenaline at age 8", {1}),
    (AGE, "adrenaline for a child aged 8", {1}),
    (AGE, "adrenaline for a 5½ year old", {2}),
    (AGE, "adrenaline for an 18 month old", {2}),
    (AGE, "adrenaline for a baby of 10 weeks", {3}),
    (AGE, "adrenaline at 12 years", {1}),
    (AGE, "repeat adrenaline after 5 minutes in a 13 year old", {0}),
    (AGE, "adrenaline given after 7 days of illness", None),
    (AGE_IN_YEARS, "dose for a 2 year old", {1}),
    (AGE_IN_YEARS, "dose for a 4.5 year old", {1}),
    (AGE_IN_YEARS, "dose for an 8 month old", {0}),
    (AGE_IN_YEARS, "dose for a child aged 5", {2}),
    (GROUP, "oral paracetamol dose for a 3 year old", {2}),
    (GROUP, "oral paracetamol for an adult of 42 kg", {4}),
    (GROUP, "oral paracetamol for an adult of 120 kg", {3}),  # 120 days is 3 to 5 months
    (GROUP, "oral paracetamol for a 2 year old of 12 kg", {2}),
    (GROUP, "oral paracetamol for a 30 year old of 42 kg", {4}),
    (GROUP, "oral paracetamol at 24 months", {2}),
    (GROUP, "oral paracetamol at 23.5 months", {1}),
    (INTRAVENOUS, "maximum intravenous paracetamol in 24 hours for a 42 kg patient", {2}),
    (INTRAVENOUS, "intravenous paracetamol 5 hours after the last dose, 60 kg", {3}),
    (INTRAVENOUS, "intravenous paracetamol at 33.5 kg", set()),
    (GLUCOSE, "What volume of glucose 10% do I give?", None),  # 10% is no volume
    (CHILD_UTI, "Cefotaxime for a baby under 3 months", {0}),
    (CHILD_UTI, "trimethoprim in children over 3 months", {1}),
    (CHILD_UTI, "trimethoprim for 3 days", None),
    (CHILD_UTI, "fever for 3 days in a 2 year old", {1}),
    (DAY, "chlordiazepoxide dose on day 3", {2}),
    (DAY, "chlordiazepoxide dose on day 8", set()),
    (POTASSIUM, "mild hypokalaemia with potassium 3.2", {0}),
    (POTASSIUM, "hypokalaemia with a serum potassium of 2.9 mmol/L", {1}),
    (POTASSIUM, "hypokalaemia with a serum potassium of 2.4 mmol per litre", {2}),
    (POTASSIUM, "hypokalaemia, K 2.4", {2}),
    (POTASSIUM, "hypokalaemia with potassium 2.95", set()),
]


@pytest.mark.parametrize(("table", "question", "expected"), QUESTIONS, ids=lambda v: str(v)[:60])
def test_takes_the_row_that_holds_the_number(
    table: Table, question: str, expected: set[int] | None
) -> None:
    header, rows = table
    assert rows_in_range(question, header, rows) == expected


def test_every_number_takes_exactly_the_row_that_holds_it() -> None:
    header, rows = CLEARANCE
    for tenths in range(1200):
        value = tenths / 10
        rules = [value > 60, 40 <= value <= 60, 20 <= value <= 39, value < 20]
        expected = {index for index, holds in enumerate(rules) if holds}
        assert rows_in_range(f"gentamicin at {value} mL/min", header, rows) == expected, value


def test_two_numbers_must_both_hold() -> None:
    header = ["Age", "Weight (kg)", "Dose"]
    rows = [
        ["1 to 5 years", "10 to 20", "a"],
        ["1 to 5 years", "21 to 30", "b"],
        ["6 to 9 years", "21 to 30", "c"],
    ]
    assert rows_in_range("4 year old of 25 kg", header, rows) == {1}
    assert rows_in_range("7 year old of 15 kg", header, rows) == set()


def test_ranges_in_few_of_the_cells_decide_nothing() -> None:
    header, rows = ["Weight (kg)", "Dose"], [["Any", "1"], ["Under 50", "2"], ["Unknown", "3"]]
    assert rows_in_range("dose at 40 kg", header, rows) is None


WEIGHTS = {
    "1500 g": [1.5], "2,240 g": [2.24], "4 lb 15 oz": [2.24], "a 4-lb 15-oz baby": [2.24],
    "7 lb 3 1/2 oz, 2 days old": [3.274], "seven pounds four ounces": [3.289],
    "12 st 4 lb": [78.018], "12st4lb8oz": [78.245], "twelve stone four": [78.018],
    "12 and a half stone": [79.379], "12 st 4 tablets": [76.204], "12 st 4-6 lb": [76.204, 1.814],
    "1kg5": [1.5], "1kg05": [1.05], "1 kg and 500 g": [1.5], "5 kg and a half": [5.5],
    "5 kg half dose": [5.0], "70 kg 500 mg": [70.0], "70 kg 50 g charcoal": [70.0],
    "2kg 10 days old": [2.0], "20 kg 4 hourly": [20.0], "154 lb 12 year old": [69.853],
    "100 to 500 g": [0.1], "750 g to 1 kg": [0.75], "1st line at 30 kg": [30.0], "50 g": [],
}  # fmt: skip


@pytest.mark.parametrize("text", WEIGHTS)
def test_reads_a_weight_in_two_units_as_one(text: str) -> None:
    found = [m.interval for m in measures(levelled(text)) if m.interval.unit == "kg"]
    assert [round(interval.low, 3) for interval in found] == WEIGHTS[text]


@pytest.mark.parametrize("rows", [[], [[]], [[], ["1"]], [["", ""]]])
def test_odd_tables_decide_nothing(rows: list[list[str]]) -> None:
    assert rows_in_range("dose at 40 kg", [], rows) is None


def test_never_raises_and_ends_on_any_text() -> None:
    random.seed(7)
    pieces = (
        "0 1 60 3.5 .5 1,000 ½ ² ٥ kg mL/min years to - – < > ≥ ≤ and under over not / ( ) * |"
    ).split()
    for _ in range(500):
        text = " ".join(random.choices(pieces, k=random.randrange(1, 30)))
        interval_of(text)
        for header, rows in (CLEARANCE, AGE, WEIGHT):
            rows_in_range(text, header, rows)


def test_a_long_question_of_one_repeated_piece_ends() -> None:
    for piece in ("9", "1 to ", "not less than ", "a/", "1 ", "1 kg ", "< ", " " * 40):
        text = piece * (20_000 // len(piece))
        measures(levelled(text))


BLEEDS = [["10 or less", "Hold"], ["More than 10", "Give 2.5 mg"], ["Major bleed", "Give 10 mg"]]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("INR 6, massive GI bleed", {0, 2}),
        ("INR 12 and bleeding", {1, 2}),
        ("INR 6", {0}),
        ("INR 6, major surgery tomorrow", {0, 2}),  # it says a word of it: shown, not hidden
    ],
)
def test_a_row_without_a_range_is_left_where_the_question_names_it(
    question: str, rows: set[int]
) -> None:
    assert rows_in_range(question, ["INR", "Action"], BLEEDS) == rows


def test_a_named_row_answers_where_no_range_holds_the_number() -> None:
    rows = [["30 to 60", "5 mg"], ["15 to 29", "2 mg"], ["On dialysis", "1 mg"]]
    asked = "eGFR 8 mL/min on haemodialysis or dialysis"
    assert rows_in_range(asked, ["eGFR (mL/min)", "Dose"], rows) == {2}


@pytest.mark.parametrize(
    "asked", ["37 weeks pregnant", "37 weeks of pregnancy", "37-week gestation"]
)
def test_weeks_of_a_pregnancy_are_no_duration_of_treatment(asked: str) -> None:
    rows = [["Nitrofurantoin", "7 days"], ["Cefalexin", "7 days"], ["Pivmecillinam", "5 days"]]
    header = ["Antibiotic", "Duration"]
    assert rows_in_range(f"nitrofurantoin ok at {asked}?", header, rows) is None
    weeks = [["Under 28", "A"], ["28 to 36", "B"], ["Over 36", "C"]]
    assert rows_in_range(asked, ["Gestation (weeks)", "Steroid"], weeks) in ({2}, None)
