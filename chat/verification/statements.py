"""Pairs to judgements: each atomic statement by itself, where the verifier weighs meaning. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from chat.errors import VerifierUnavailable
from chat.verification.atomic import atomic_statements
from chat.verification.entailment.types import Verifier
from chat.verification.types import Judgement, Label, Pair

WORST = (Label.CONTRADICTED, Label.NOT_FOUND, Label.SUPPORTED)  # the first decides


def judged_pairs(verifier: Verifier, pairs: Sequence[Pair], *, timeout_s: float) -> list[Judgement]:
    """One judgement a pair, in order; of a claim of several statements that of the worst.

    Its score is their least, its contradiction their greatest. In one batch. Raises
    `VerifierUnavailable`, also for judgements that can't be used.
    """
    asked = [_pairs_of(pair, verifier) for pair in pairs]
    flat = [pair for atoms in asked for pair in atoms]
    found = list(verifier.judge(flat, timeout_s=timeout_s)) if flat else []
    if len(found) != len(flat) or not all(map(_is_usable, found)):
        raise VerifierUnavailable(
            "The verifier gave judgements that can't be used. No claim was shown.",
            hint="Check MEDRAG_VERIFIER.",
        )
    rest = iter(found)
    return [worst(atoms, [next(rest) for _ in atoms]) for atoms in asked]


def worst(atoms: Sequence[Pair], judgements: Sequence[Judgement]) -> Judgement:
    """Of the statements of one claim, at least one; the first of equals says why."""
    if len(judgements) == 1:
        return judgements[0]
    label = next(label for label in WORST if any(each.label is label for each in judgements))
    place = next(n for n, each in enumerate(judgements) if each.label is label)
    why = judgements[place].detail
    return Judgement(
        label,
        min(each.score for each in judgements),
        max(each.contradiction for each in judgements),
        "" if label is Label.SUPPORTED else f"{atoms[place].claim} {why}".strip(),
    )


def _pairs_of(pair: Pair, verifier: Verifier) -> list[Pair]:
    if not verifier.wants_atoms:
        return [pair]
    return [Pair(atom, pair.cited) for atom in atomic_statements(pair.claim)] or [pair]


def _is_usable(judgement: Judgement) -> bool:
    figures = (judgement.score, judgement.contradiction)
    return judgement.label in WORST and all(math.isfinite(f) and 0 <= f <= 1 for f in figures)
