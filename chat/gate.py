"""Is the evidence good enough to answer at all? Decided before anything is generated. Pure.

The score is the probability that the best passage answers the question, by logistic regression
over two features of a passage: its cosine similarity to the question, and the idf-weighted
share of the question's lexemes that it holds. The first knows paraphrase and overrates what is
merely near; the second knows that a word nobody wrote about is missing.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from chat.models import Reason
from retrieval.types import Evidence, Hit


@dataclass(frozen=True)
class Calibration:
    """Weights of the logistic regression, fitted by `manage.py fit_gate` (docs/evaluation.md)."""

    intercept: float = -9.35
    cosine: float = 10.99
    coverage: float = 7.66
    version: str = "samples-1"

    def probability(self, hit: Hit) -> float:
        """In (0, 1), higher is better."""
        z = self.intercept + self.cosine * hit.cosine + self.coverage * hit.coverage
        return 1.0 / (1.0 + math.exp(-z))

    def as_dict(self) -> dict[str, float | str]:
        return asdict(self)


@dataclass(frozen=True)
class Decision:
    """What the gate saw and said. `reason` is None where the way is open."""

    probability: float  # of the best passage; 0 without one
    threshold: float
    reason: Reason | None
    passages: tuple[Hit, ...]  # best first by probability, then by key


def decide(evidence: Evidence, *, calibration: Calibration, threshold: float) -> Decision:
    """Open the way if the best passage's probability reaches `threshold`."""
    passages = tuple(
        sorted(evidence.hits, key=lambda hit: (-calibration.probability(hit), hit.key))
    )
    if not passages:
        return Decision(0.0, threshold, Reason.NO_EVIDENCE, ())
    probability = calibration.probability(passages[0])
    reason = None if probability >= threshold else Reason.WEAK_EVIDENCE
    return Decision(probability, threshold, reason, passages)
