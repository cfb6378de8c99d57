"""Is the evidence good enough to answer at all? Decided before anything is generated. Pure.

By default the score is how likely the best statement of the passages is the right answer, as
reading them told (`chat.reader`). A site that calibrates the gate on its own questions has it by
logistic regression over two features of a passage: its cosine similarity to the question, and the
idf-weighted share of the question's lexemes that it holds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from chat.gate.scorers import Scale
from chat.models import Reason
from chat.reader.types import Reading
from core.errors import MedragError
from retrieval.types import Evidence, Hit


class GateUnavailable(MedragError):
    """There is no gate that can judge what is found, so nothing may be answered."""


@dataclass(frozen=True)
class Gate:
    """A scale with its bar, and what its calibration was made with."""

    scale: Scale
    threshold: float
    retrieval: str = ""  # fingerprint of the search that it was calibrated with; empty: of none
    notes: tuple[str, ...] = ()  # what does not fit between the calibration and this site
    of_list: str = ""  # version of what judges the passages together; empty: the best decides

    def as_dict(self) -> dict[str, Any]:
        found = {"scale": self.scale.as_dict(), "threshold": self.threshold, "notes": self.notes}
        return found | ({"of_list": self.of_list} if self.of_list else {})


@dataclass(frozen=True)
class Decision:
    """What the gate saw and said. `reason` is None where the way is open."""

    probability: float  # of the best passage, or of all together; 0 without one
    threshold: float
    reason: Reason | None
    passages: tuple[Hit, ...]  # best first: by the reranker, else by the scale, then as found
    reading: Reading = field(default_factory=Reading)  # of all passages


def decide(
    evidence: Evidence, *, calibration: Scale, threshold: float, together: float | None = None
) -> Decision:
    """Open the way if the best passage's probability reaches `threshold`.

    `together` is the probability that the passages hold the answer at all, and takes its place.
    A passage whose score is not a number stands last and never opens it. Where something ordered
    the passages anew its order stands for what is handed on: it has read more than the gate.
    """

    def place(hit: Hit) -> tuple[float, int, str]:
        score = calibration.score(hit)
        return math.inf if math.isnan(score) else -score, hit.rank, hit.key

    if not evidence.hits:
        return Decision(0.0, threshold, Reason.NO_EVIDENCE, ())
    judged = tuple(sorted(evidence.hits, key=place))
    passages = evidence.hits if evidence.trace.reranked else judged
    probability = calibration.probability(judged[0]) if together is None else together
    if not math.isfinite(probability):
        return Decision(0.0, threshold, Reason.WEAK_EVIDENCE, passages)
    reason = None if probability >= threshold else Reason.WEAK_EVIDENCE
    return Decision(probability, threshold, reason, passages)
