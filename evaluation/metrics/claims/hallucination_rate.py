from __future__ import annotations

from collections.abc import Sequence

from chat.verification.types import Label
from evaluation.metrics.claims.share import share


def hallucination_rate(by_contexts: Sequence[Label], by_gold: Sequence[Label]) -> float | None:
    """Return the share of the answer's claims that are refuted and unsupported, [0, 1].

    Lower is better. Of each claim, what the passages say and what the gold answer says: counted is
    one that either contradicts and no passage supports. Ru et al., RAGChecker, NeurIPS 2024,
    section 3.3, count each wrong claim that no passage entails; one that nothing speaks of is here
    neither faithful nor refuted (Ji et al., ACM Computing Surveys 2023, section 2, on intrinsic and
    extrinsic hallucination). Never more than 1 - claim-faithfulness. None where the answer claims
    nothing.
    """
    return share(
        [
            Label.SUPPORTED is not passages and Label.CONTRADICTED in (passages, gold)
            for passages, gold in zip(by_contexts, by_gold, strict=True)
        ]
    )
