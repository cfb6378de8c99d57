"""Test that whom a row is for does not come from the footnote of one of its cells."""

from dataclasses import replace

from chat.caveats.applicability import applicability, claim_people
from chat.caveats.footnotes import footnotes, without_footnotes
from chat.types import DraftClaim, Quote
from tests.chat.evidence.hits import made_up_hit

NOTE = "* May cause haemolysis in the newborn."


def row() -> DraftClaim:
    where = made_up_hit()
    quotes = (
        Quote(where, 1, 100, 120, "First | Nitrofurantoin*"),
        Quote(where, 1, 80, 99, "Choice | Antibiotic"),
        Quote(where, 1, 130, 168, NOTE),
    )
    return DraftClaim(f"Choice: First; Antibiotic: Nitrofurantoin* ({NOTE})", quotes)


def test_the_text_below_a_row_is_a_footnote() -> None:
    assert [quote.text for quote in footnotes(row().quotes)] == [NOTE]
    assert "newborn" not in without_footnotes(row())


def test_a_footnote_names_nobody_that_the_row_is_for() -> None:
    assert "neonate" not in claim_people(row()).groups


def test_a_bound_in_a_footnote_bounds_its_cell_and_not_the_row() -> None:
    """`Men: trimethoprim†, else nitrofurantoin*`, and `* Only if eGFR is 45 or more`."""
    bound = "* Only if eGFR is 45 mL/min/1.73 m² or more."
    quotes = (*row().quotes[:2], replace(row().quotes[2], text=bound))
    claim = DraftClaim(row().text.replace(NOTE, bound), quotes)
    assert "eGFR" not in applicability("Which antibiotic?", [claim]).line
    own = replace(claim, text=claim.text.replace("First", "eGFR 45 mL/min or more"))
    assert "This statement is for an eGFR of 45" in applicability("Which antibiotic?", [own]).line
