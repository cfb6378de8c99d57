"""The values of a row stay together, each under its own label."""

import pytest

from chat.verification.guards import rows
from chat.verification.types import Cited, Label

HEADER = "Weight (kg) | Drug | Dose (mg) | Interval | First check"
LIGHT = "30 to 49 | Rifampicin capsules | 450 | Every 24 hours | 12 hours after the dose"
HEAVY = "50 to 69 | Isoniazid tablets | 600 | Every 48 hours | 24 hours after the dose"
NOTE = "* Round each dose to 50 mg."
CITED = Cited((LIGHT, HEADER, NOTE, HEAVY, HEADER))
WHOLE = (
    "Weight (kg): 30 to 49; Drug: Rifampicin capsules; Dose (mg): 450; Interval: Every 24 hours; "
    "First check: 12 hours after the dose"
)


@pytest.mark.parametrize(
    "claim",
    [
        WHOLE,
        f"{WHOLE} ({NOTE})",
        WHOLE.replace("Every 24 hours", "Once daily").replace("30 to 49", "30–49"),
        WHOLE.replace("Dose (mg): 450", "Dose: 450 mg").replace("; ", "\n"),
        "WEIGHT (KG): 50 to 69; DRUG: isoniazid; INTERVAL: every 2 days",
        "Weight: 30 to 49 kg; Dose: 450 mg. Weight: 50 to 69 kg; Dose: 600 mg.",
        "Weight (kg): 30 to 49; Drug: the usual; Interval: Every 24 hours",
        "At 30 to 49 kg give rifampicin 450 mg every 24 hours.",
        "Dose: 600 mg",
        "",
    ],
)
def test_a_row_stands_in_any_order_and_form(claim: str) -> None:
    assert rows.check(claim, CITED) is None


@pytest.mark.parametrize(
    ("cell", "other"),
    [
        ("30 to 49", "50 to 69"),
        ("Rifampicin capsules", "Isoniazid tablets"),
        ("450", "600"),
        ("Every 24 hours", "Every 48 hours"),
        ("Every 24 hours", "Every 2 days"),
        ("12 hours after", "24 hours after"),
    ],
)
def test_a_value_of_the_next_row_is_found(cell: str, other: str) -> None:
    finding = rows.check(WHOLE.replace(cell, other, 1), CITED)
    assert finding is not None
    assert finding.label is Label.CONTRADICTED
    assert finding.detail == "values of different rows of the table"


@pytest.mark.parametrize(
    ("claim", "quotes"),
    [
        ("Bolus (mg): 90; Infusion (mg): 10", ("10 | 90", "Bolus (mg) | Infusion (mg)")),
        ("Interval: 24 hours; Check: 48 hours", ("48 hours | 24 hours", "Interval | Check")),
        ("Loading: 500 mg; Later: 1 g", ("1 g | 500 mg", "Loading | Later")),
    ],
)
def test_a_value_of_another_column_is_found(claim: str, quotes: tuple[str, ...]) -> None:
    finding = rows.check(claim, Cited(quotes))
    assert finding is not None
    assert finding.detail == "number of another column of the table"


def test_a_cell_that_is_printed_once_for_several_rows_may_be_of_each() -> None:
    cited = Cited((" | Second | 20 mg", "Adults | First | 10 mg", "Group | Line | Dose"))
    assert rows.check("Group: Adults; Line: Second; Dose: 20 mg", cited) is None
    assert rows.check("Group: Adults; Line: Second; Dose: 10 mg", cited) is not None


def test_without_a_header_there_is_nothing_to_compare() -> None:
    assert rows.check("Dose: 5 mg; Interval: 8 hours", Cited(("Give 5 mg every 8 hours.",))) is None
    assert rows.check("Dose: 5 mg; Interval: 8 hours", Cited(("Dose | Interval",))) is None


BLEEDING = Cited(
    (
        "Above 9 | Stop it; menadiol 4 mg by vein | Stop it; menadiol 1 mg by mouth",
        "Level | Slight bleeding | No bleeding",
    )
)
FORBIDDEN = Cited(
    ("Capsules | 80 mg twice daily | Contraindicated", "Form | eGFR 40 to 59 | eGFR 20 to 39")
)


@pytest.mark.parametrize(
    ("claim", "cited"),
    [
        ("With slight bleeding give menadiol 4 mg.", BLEEDING),
        ("With no bleeding give menadiol 1 mg by mouth.", BLEEDING),
        ("Above 9 stop it.", BLEEDING),
        ("Capsules 80 mg are given at an eGFR of 40 to 59.", FORBIDDEN),
        ("Capsules are contraindicated at an eGFR of 20 to 39.", FORBIDDEN),
        ("Capsules are contraindicated in some.", FORBIDDEN),
    ],
)
def test_a_sentence_keeps_to_its_column(claim: str, cited: Cited) -> None:
    assert rows.check(claim, cited) is None


@pytest.mark.parametrize(
    ("claim", "cited"),
    [
        ("With slight bleeding give menadiol 1 mg.", BLEEDING),
        ("With no bleeding give menadiol 4 mg.", BLEEDING),
        ("Capsules are contraindicated at an eGFR of 40 to 59.", FORBIDDEN),
        ("Capsules 80 mg are given at an eGFR of 20 to 39.", FORBIDDEN),
    ],
)
def test_a_sentence_with_the_value_of_another_column_is_found(claim: str, cited: Cited) -> None:
    finding = rows.check(claim, cited)
    assert finding is not None
    assert finding.detail == "value of another column of the table"
