"""Decide whether the evidence is good enough, before anything is generated. Pure.

The reader (`chat.reader`) estimates the log-odds that the best statement of the passages is the
right answer or, for a language model, that the passages hold the answer at all. A site that
calibrates the gate on its own questions scales them, and has a threshold of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from chat.gate.scorers import Scale
from chat.models import Reason
from chat.reader.types import ScoredStatements
from retrieval.types import Evidence, Hit


@dataclass(frozen=True)
class Gate:
    """A scale with its threshold, and the configuration that it was calibrated with."""

    scale: Scale
    threshold: float
    retrieval: str = ""  # fingerprint of the search that it was calibrated with; empty: any
    notes: tuple[str, ...] = ()  # differences between the calibration and this site
    of_list: str = ""  # version of the model for all passages; empty: the best decides

    def as_dict(self) -> dict[str, Any]:
        values = {"scale": self.scale.as_dict(), "threshold": self.threshold, "notes": self.notes}
        return values | ({"of_list": self.of_list} if self.of_list else {})


@dataclass(frozen=True)
class Decision:
    """The gate's verdict on the evidence. `reason` is None if the gate is open."""

    probability: float  # of the best passage, or of all together; 0 without passages
    threshold: float
    reason: Reason | None
    passages: tuple[Hit, ...]  # best first: by the reranker, else by the scale, then by rank
    reading: ScoredStatements = field(default_factory=ScoredStatements)  # of all passages
    not_found: tuple[str, ...] = ()  # words of the question that name a thing unknown here
    is_unknown_medicine: bool = False  # one of them stands where only a medicine can


def decide(evidence: Evidence, gate: Gate, *, together: float = -math.inf) -> Decision:
    """Open the gate if the best passage's probability reaches the threshold.

    For a gate over all passages `together`, the log-odds that they hold the answer at all, decides
    instead. A passage whose score is not a number comes last and never opens the gate. Reranked
    passages keep the reranker's order, which had more information than the gate.
    """

    def place(hit: Hit) -> tuple[float, int, str]:
        score = gate.scale.score(hit.odds)
        return math.inf if math.isnan(score) else -score, hit.rank, hit.key

    if not evidence.hits:
        return Decision(0.0, gate.threshold, Reason.NO_EVIDENCE, ())
    judged = tuple(sorted(evidence.hits, key=place))
    passages = evidence.hits if evidence.trace.reranked else judged
    probability = gate.scale.probability(together if gate.of_list else judged[0].odds)
    if not math.isfinite(probability):
        return Decision(0.0, gate.threshold, Reason.WEAK_EVIDENCE, passages)
    reason = None if probability >= gate.threshold else Reason.WEAK_EVIDENCE
    return Decision(probability, gate.threshold, reason, passages)
