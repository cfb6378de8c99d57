"""Deterministic checks of a claim against its quotes: a pure module each, the cheapest first.

Each has a `NAME` and `check(claim, cited)`, which gives what it has against the claim, or None. A
guard looks at one kind of word, and at nothing that another looks at.
"""

from __future__ import annotations

from collections.abc import Callable

from chat.verification.atomic import atomic_statements
from chat.verification.guards import (
    cells,
    conditions,
    drugs,
    durations,
    figures,
    frequencies,
    introductions,
    pairings,
    polarity,
    populations,
    routes,
    words,
)
from chat.verification.types import Cited, Finding

Guard = Callable[[str, Cited], Finding | None]

GUARDS: tuple[Guard, ...] = (
    cells.check,
    figures.check,
    frequencies.check,
    durations.check,
    drugs.check,
    routes.check,
    populations.check,
    polarity.check,
    introductions.check,
    conditions.check,
    pairings.check,
    words.check,
)


def first_finding(claim: str, cited: Cited) -> Finding | None:
    """What the first guard has against the claim; None where all let it through.

    Of several citations one must bear out each statement of the claim by itself: from two together
    a lie can be put together of which each word stands there.
    """
    if not cited.citations:
        return _finding(claim, cited)
    for statement in atomic_statements(claim) or [claim]:
        findings = [_finding(statement, one) for one in cited.citations]
        if all(findings):
            return findings[0]
    return None


def _finding(claim: str, cited: Cited) -> Finding | None:
    for check in GUARDS:
        if finding := check(claim, cited):
            return finding
    return None
