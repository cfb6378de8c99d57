from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.claims.share import share


def context_precision(gold_in_contexts: Sequence[Sequence[bool]]) -> float | None:
    """Return the share of passages that entail a gold claim or more, [0, 1], higher is better.

    `gold_in_contexts[i][j]`: whether passage i entails gold claim j. Ru et al., RAGChecker, NeurIPS
    2024, section 3.3; unlike the measure of that name in RAGAS it does not look at ranks. None
    without passages, and without gold claims.
    """
    return share([any(entailed) for entailed in gold_in_contexts if len(entailed)])
