"""The row of a dosing table that a number belongs to: a wrong row is a wrong dose."""

import random
from pathlib import Path

import pytest

from core.language.en.quantities.measures import Interval, levelled, measures
from core.language.en.quantities.row_ranges import interval_of, rows_in_range
from tests.tables import cases

INF = float("inf")
DAYS = {"month": 30.4375, "year": 365.25}
BLOCKS = Path(__file__).with_name("row_ranges.txt").read_text(encoding="utf-8").split("\n\n")[1:]


def interval(bounds: str, unit: str) -> Interval | None:
    """Read `[3 6)`, which holds 3 but not 6."""
    if not bounds:
        return None
    low, high = (float(bound) * DAYS.get(unit, 1) for bound in bounds[1:-1].split())
    ends = {"low_open": bounds[0] == "(", "high_open": bounds[-1] == ")"}
    return Interval(low, high, "day" if unit in DAYS else unit, **ends)


@pytest.mark.parametrize(("cell", "bounds", "unit"), cases(__file__, "bounds.tsv"))
def test_reads_the_bounds_of_a_cell(cell: str, bounds: str, unit: str) -> None:
    assert interval_of(cell) == interval(bounds, unit)


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


def table(block: str) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of a block's table."""
    rows = [line[2:].split(" | ") for line in block.splitlines() if line.startswith("|")]
    return rows[0], rows[1:]


ASKED = [
    (block, *line.split("\t"))
    for block in BLOCKS
    for line in block.splitlines()
    if not line.startswith(("|", "#"))
]


@pytest.mark.parametrize(("block", "rows", "question"), ASKED, ids=[case[2] for case in ASKED])
def test_takes_the_rows_that_hold_the_number(block: str, rows: str, question: str) -> None:
    found = rows_in_range(question, *table(block))
    said = "all" if found is None else " ".join(map(str, sorted(found))) or "none"
    assert said == rows


def test_every_number_takes_exactly_the_row_that_holds_it() -> None:
    header, rows = table(BLOCKS[0])
    for tenths in range(1200):
        value = tenths / 10
        rules = [value > 60, 40 <= value <= 60, 20 <= value <= 39, value < 20]
        expected = {index for index, holds in enumerate(rules) if holds}
        assert rows_in_range(f"gentamicin at {value} mL/min", header, rows) == expected, value


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
        for block in BLOCKS[:3]:
            rows_in_range(text, *table(block))


def test_a_long_question_of_one_repeated_piece_ends() -> None:
    for piece in ("9", "1 to ", "not less than ", "a/", "1 ", "1 kg ", "< ", " " * 40):
        text = piece * (20_000 // len(piece))
        measures(levelled(text))
