from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet


def concept_overlap(
    claims: Sequence[AbstractSet[str]], evidence: Sequence[AbstractSet[str]]
) -> float | None:
    """Return the mean share of a claim's concepts that its evidence names, [0, 1], higher better.

    The concepts of each claim, and in the same order those of what it cites. Our own: that all of
    them stand there does not say that the evidence supports the claim. A claim without a concept
    does not count; None where none has any.
    """
    shares = [
        len(said & held) / len(said) for said, held in zip(claims, evidence, strict=True) if said
    ]
    return sum(shares) / len(shares) if shares else None
