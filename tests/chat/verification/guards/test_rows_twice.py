"""Cells of a row, or two sentences, that say the same: each is counted."""

import pytest

from chat.verification.guards import first_finding
from chat.verification.types import Cited

HEADER = "Drug | eGFR 30 to 44 | eGFR 15 to 29 | eGFR below 15"
ROW = "Doxorin | 100 mg once daily | Contraindicated | Contraindicated"
MIXED = "Doxorin | 100 mg once daily | Contraindicated | 50 mg once daily"


def said(*cells: str) -> str:
    labels = HEADER.split(" | ")
    return "; ".join(f"{label}: {cell}" for label, cell in zip(labels, cells, strict=True))


def test_two_cells_that_say_the_same_may_both_be_claimed() -> None:
    claim = said("Doxorin", "100 mg every 24 hours", "Contraindicated", "Contraindicated")
    assert first_finding(claim, Cited((ROW, HEADER))) is None


@pytest.mark.parametrize(
    ("cells", "row"),
    [
        (("Doxorin", "100 mg every 24 hours", "Contraindicated", "Contraindicated"), MIXED),
        (("Doxorin", "Contraindicated", "Contraindicated", "Contraindicated"), ROW),
    ],
)
def test_a_cell_is_not_claimed_once_more_than_it_stands(cells: tuple[str, ...], row: str) -> None:
    assert first_finding(said(*cells), Cited((row, HEADER))) is not None
