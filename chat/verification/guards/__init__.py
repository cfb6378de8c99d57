"""Deterministic checks of a claim against its quotes: a pure module each, the cheapest first.

Each has a `NAME` and `check(claim, cited)`, which gives what it has against the claim, or None. A
guard looks at one kind of word, and at nothing that another looks at.
"""

from __future__ import annotations

from collections.abc import Callable

from chat.verification.guards import (
    conditions,
    drugs,
    durations,
    figures,
    frequencies,
    pairings,
    polarity,
    populations,
    routes,
    rows,
    words,
)
from chat.verification.types import Cited, Finding

Guard = Callable[[str, Cited], Finding | None]

GUARDS: tuple[Guard, ...] = (
    figures.check,
    rows.check,
    frequencies.check,
    durations.check,
    drugs.check,
    routes.check,
    populations.check,
    polarity.check,
    conditions.check,
    pairings.check,
    words.check,
)


def first_finding(claim: str, cited: Cited) -> Finding | None:
    """What the first guard has against the claim; None where all let it through."""
    for check in GUARDS:
        if finding := check(claim, cited):
            return finding
    return None
