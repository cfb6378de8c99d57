"""A value of a row stands with the label of its own column, and a label with its own row."""

from __future__ import annotations

import pytest

from chat.verification.guards import cells, first_finding
from chat.verification.types import Cited, Label

PARACETAMOL = ("Paracetamol | 1 g | 15 mg/kg", "Medicine | Adults | Children")
INFECTIONS = (
    "Pneumonia | amoxicillin 500 mg",
    "Cellulitis | flucloxacillin 1 g",
    "Infection | First choice",
)
ROUTES = ("Vancomycin | 125 mg | 15 mg/kg", "Drug | Oral | Intravenous")
KIDNEYS = ("Metformin | 1000 mg | 500 mg", "Drug | eGFR 30 to 60 | eGFR below 30")
MERGED = ("| Intravenous | 250 mg", "Who | Route | Dose", "Adult")
WITH_ROW_ABOVE = ("| Intravenous | 250 mg", "Adult | Oral | 500 mg", "Who | Route | Dose")
WEIGHTS = ("40 to 49 kg | 80 mg | Every 7 hours", "Weight | Dose | Interval")

MOVED = [
    ("Paracetamol: Children: 1 g", PARACETAMOL),
    ("Paracetamol: Children: 1 g.", PARACETAMOL),
    ("Children: 1 g", PARACETAMOL),
    ("Medicine: Paracetamol; Adults: 15 mg/kg; Children: 1 g", PARACETAMOL),
    ("Children get 1 g of paracetamol", PARACETAMOL),
    ("Paracetamol for children: 1 g", PARACETAMOL),
    ("Paracetamol: 1 g in a child", PARACETAMOL),
    ("Adults get 15 mg/kg and children 1 g", PARACETAMOL),
    ("Cellulitis: Amoxicillin 500 mg", INFECTIONS),
    ("Infection: Cellulitis; First choice: amoxicillin 500 mg", INFECTIONS),
    ("Adult: Oral; Dose: 250 mg", WITH_ROW_ABOVE),
    ("Vancomycin: oral 15 mg/kg", ROUTES),
    ("Give vancomycin 125 mg by the intravenous route", ROUTES),
    ("eGFR below 30: 1000 mg", KIDNEYS),
]
IN_PLACE = [
    ("Paracetamol: Children: 15 mg/kg", PARACETAMOL),
    ("Children: 15 mg/kg", PARACETAMOL),
    ("Medicine: Paracetamol; Adults: 1 g; Children: 15 mg/kg", PARACETAMOL),
    ("Children get 15 mg/kg of paracetamol", PARACETAMOL),
    ("Adults get 1 g and children 15 mg/kg", PARACETAMOL),
    ("1 g for adults and 15 mg/kg for children", PARACETAMOL),
    ("Give adults and children 1 g and 15 mg/kg respectively", PARACETAMOL),
    ("Pneumonia: amoxicillin 500 mg", INFECTIONS),
    ("Pneumonia: amoxicillin 500 mg; Cellulitis: flucloxacillin 1 g", INFECTIONS),
    ("Infection: Cellulitis; First choice: flucloxacillin 1 g", INFECTIONS),
    ("Who: Adult; Route: Intravenous; Dose: 250 mg", MERGED),
    ("Vancomycin: oral 125 mg", ROUTES),
    ("Metformin 500 mg at an eGFR below 30", KIDNEYS),
    ("The dose at 40 to 49 kg is 80 mg every 7 hours", WEIGHTS),
    ("Give a dose every 7 hours", WEIGHTS),
    ("40 to 49 kg: 80 mg: Every 7 hours", WEIGHTS),
    ("Children: give 1 g", ("Adults are given 1 g.",)),  # no row is cited
]


@pytest.mark.parametrize(("claim", "quotes"), MOVED)
def test_a_value_at_the_label_of_another_column_or_row_is_stopped(
    claim: str, quotes: tuple[str, ...]
) -> None:
    found = cells.check(claim, Cited(quotes))
    assert found is not None
    assert (found.guard, found.label) == ("cells", Label.CONTRADICTED)
    assert first_finding(claim, Cited(quotes)) is not None


@pytest.mark.parametrize(("claim", "quotes"), IN_PLACE)
def test_a_value_at_its_own_label_passes(claim: str, quotes: tuple[str, ...]) -> None:
    assert cells.check(claim, Cited(quotes)) is None


@pytest.mark.parametrize(
    ("claim", "quotes"),
    [
        ("Medicine: Paracetamol; Adults: 1 g; Children: 15 mg/kg", PARACETAMOL),
        ("Paracetamol: Children: 15 mg/kg", PARACETAMOL),
        ("Who: Adult; Route: Intravenous; Dose: 250 mg", MERGED),
    ],
)
def test_what_a_row_says_stands_before_all_of_them(claim: str, quotes: tuple[str, ...]) -> None:
    assert first_finding(claim, Cited(quotes)) is None
