from __future__ import annotations

from collections.abc import Sequence

from chat.verification.types import Label
from evaluation.metrics.claims.share import share


def claim_faithfulness(labels: Sequence[Label]) -> float | None:
    """Return the share of the answer's claims that the passages support, [0, 1], higher is better.

    `labels` says of each claim what the retrieved passages together say of it. |V| / |S| of Es et
    al., RAGAS, EACL 2024, section 3; faithfulness of Ru et al., RAGChecker, NeurIPS 2024, section
    3.3. None where the answer claims nothing.
    """
    return share([label is Label.SUPPORTED for label in labels])
