from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.claims.share import share


def claim_recall(in_answer: Sequence[bool]) -> float | None:
    """Return the share of the gold claims that the answer entails, [0, 1], higher is better.

    The overall recall of Ru et al., RAGChecker, NeurIPS 2024, section 3.3 (their "claim recall" is
    of the passages). None without gold claims.
    """
    return share(in_answer)
