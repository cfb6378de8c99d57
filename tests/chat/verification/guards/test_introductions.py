"""A line above a quote that says `not` is not left out of a claim."""

from __future__ import annotations

import pytest

from chat.verification.guards import first_finding, introductions
from chat.verification.types import Cited

ASTHMA = "Adults with asthma and pain."
LEADS = [
    "Do not give ibuprofen to:",
    "Ibuprofen must not be given to the following people.",
    "Contraindications",
    "Never in",
]


@pytest.mark.parametrize("lead", LEADS)
def test_a_claim_without_it_is_stopped(lead: str) -> None:
    assert introductions.check(ASTHMA, Cited((ASTHMA, lead))) is not None
    assert first_finding(ASTHMA, Cited((ASTHMA, lead))) is not None
    row = Cited(("Ibuprofen | 400 mg", "Medicine | Dose", lead))
    assert introductions.check("Ibuprofen: 400 mg", row) is not None


@pytest.mark.parametrize("lead", LEADS)
def test_a_claim_that_says_it_in_its_words_passes(lead: str) -> None:
    for claim in (f"{lead} {ASTHMA}", "Avoid it in adults with asthma.", "It is contraindicated."):
        assert introductions.check(claim, Cited((ASTHMA, lead))) is None


def test_what_is_no_line_above_or_says_no_not_is_left_alone() -> None:
    for further in ("Give ibuprofen to:", "Medicine | Not in", "Do not give it in renal failure."):
        assert introductions.check(ASTHMA, Cited((ASTHMA, further))) is None
