from __future__ import annotations

from collections.abc import Sequence

from chat.verification.types import Label
from evaluation.metrics.claims.claim_faithfulness import claim_faithfulness


def guideline_adherence(labels: Sequence[Label], authority: Sequence[float]) -> float | None:
    """Return the claim-faithfulness times the mean authority of what is cited, [0, 1].

    Higher is better; `authority`, [0, 1], one for each cited document. Our own, without a published
    source: an answer that is faithful to a national guideline counts more than one to a leaflet.
    None where the answer claims nothing or cites nothing.
    """
    faithful = claim_faithfulness(labels)
    if faithful is None or not authority:
        return None
    return faithful * sum(authority) / len(authority)
