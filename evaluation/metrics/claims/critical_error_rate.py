from __future__ import annotations

from collections.abc import Sequence

from chat.verification.types import Label
from evaluation.metrics.claims.share import share

CRITICAL = frozenset({"dose", "contraindication", "triage"})


def critical_error_rate(
    kinds: Sequence[str], by_contexts: Sequence[Label], by_gold: Sequence[Label]
) -> float | None:
    """Return the share of safety-critical claims that are refuted, [0, 1], lower is better.

    Of the answer's claims, in one order: kind, what the passages say, what the gold answer says.
    One that either contradicts is refuted. Kinds after Singhal et al., Nature 2023, who have
    clinicians rate possible harm; the formula is our own. None without a claim of such a kind.
    """
    return share(
        [
            Label.CONTRADICTED in labels
            for kind, *labels in zip(kinds, by_contexts, by_gold, strict=True)
            if kind in CRITICAL
        ]
    )
