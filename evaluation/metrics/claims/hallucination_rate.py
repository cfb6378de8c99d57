from __future__ import annotations

from collections.abc import Sequence

from chat.verification.types import Label
from evaluation.metrics.claims.share import share


def hallucination_rate(labels: Sequence[Label]) -> float | None:
    """Return the share of the answer's claims that the passages refute, [0, 1], lower is better.

    `labels` as for `claim_faithfulness`. Intrinsic hallucinations, which contradict their source
    (Ji et al., ACM Computing Surveys 2023, section 2); Ru et al., RAGChecker, NeurIPS 2024, section
    3.3, also count what no passage speaks of, which here is neither faithful nor refuted. None
    where the answer claims nothing.
    """
    return share([label is Label.CONTRADICTED for label in labels])
