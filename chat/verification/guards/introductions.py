"""What stands above a quote and turns it round is said with it: `Do not give to:`."""

from __future__ import annotations

from chat.evidence.leads import is_negative_lead, limits
from chat.verification.types import Cited, Finding, Label

NAME = "introductions"


def check(claim: str, cited: Cited) -> Finding | None:
    """A claim without any word that limits, of a quote below a line that says `not`.

    How it limits is for the guard of polarity.
    """
    if limits(claim) or not any(is_negative_lead(quote) for quote in cited.quotes[1:]):
        return None
    return Finding(NAME, Label.CONTRADICTED, "leaves out the line above its quote")
