from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.claims.share import share


def context_utilisation(
    gold_in_contexts: Sequence[Sequence[bool]], in_answer: Sequence[bool]
) -> float | None:
    """Return the share of the gold claims in the passages that the answer has, [0, 1].

    Higher is better; `gold_in_contexts` as for `context_precision`, `in_answer` as for
    `claim_recall`. Ru et al., RAGChecker, NeurIPS 2024, section 3.3: gold claims entailed by both,
    over those entailed by the passages. None where the passages entail none.
    """
    return share(
        [
            answered
            for place, answered in enumerate(in_answer)
            if any(entailed[place] for entailed in gold_in_contexts)
        ]
    )
