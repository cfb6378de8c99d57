"""Deterministic checks of a claim against its quotes: a pure module each, the cheapest first.

Each has a `NAME` and `check(claim, cited)`, which gives what it has against the claim, or None. A
guard looks at one kind of word, and at nothing that another looks at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from chat.verification.atomic import atomic_statements
from chat.verification.guards import (
    conditions,
    drugs,
    durations,
    effects,
    figures,
    frequencies,
    introductions,
    mixtures,
    pairings,
    polarity,
    populations,
    quantifiers,
    routes,
    rows,
    words,
)
from chat.verification.texts import normalised
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
    introductions.check,
    conditions.check,
    pairings.check,
    mixtures.check,
    effects.check,
    quantifiers.check,
    words.check,
)


def first_finding(claim: str, cited: Cited) -> Finding | None:
    """What the first guard has against the claim; None where all let it through.

    Of several citations one must bear out each statement of the claim by itself: from two together
    a lie can be put together of which each word stands there.
    """
    if not cited.citations:
        return _finding(claim, cited)
    if _is_row_after_row(claim, cited.citations):
        return None
    for statement in atomic_statements(claim) or [claim]:
        findings = [_finding(statement, one) for one in cited.citations]
        if all(findings):
            return findings[0]
    return None


def _is_row_after_row(claim: str, citations: Sequence[Cited]) -> bool:
    """Whether it says two rows of a table one after the other, each of them whole.

    What is whole has no room for a value of the other one.
    """
    cells = claim.split("; ") if len(citations) == 2 else []
    halves = (("; ".join(cells[:cut]), "; ".join(cells[cut:])) for cut in range(1, len(cells)))
    return any(
        all(map(_says_whole, parts, order))
        for parts in halves
        for order in (citations, citations[::-1])
    )


def _says_whole(part: str, cited: Cited) -> bool:
    said, quoted = (Counter(normalised(t).split()) for t in (_plain(part), _plain(cited.quotes[0])))
    return quoted <= said and _finding(part, cited) is None


def _plain(text: str) -> str:
    return "".join(letter if letter.isalnum() else " " for letter in text)


@lru_cache(maxsize=1024)
def _finding(claim: str, cited: Cited) -> Finding | None:
    """Return what the first guard says. Kept: a claim is checked first, and judged again later."""
    for check in GUARDS:
        if finding := check(claim, cited):
            return finding
    return None
