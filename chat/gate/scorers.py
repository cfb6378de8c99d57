"""Score a passage for the gate, as a calibrated probability. Pure."""

from __future__ import annotations

import hashlib
import json
import math
from bisect import bisect_right
from dataclasses import asdict, dataclass
from typing import Any

from retrieval.types import Hit


@dataclass(frozen=True)
class Calibration:
    """A logistic regression on cosine and coverage; isotonic over its score if it has knots.

    `manage.py calibrate` fits it on a site's own questions.
    """

    intercept: float
    cosine: float
    coverage: float
    version: str = ""
    threshold: float = 0.5
    encoder: str = ""  # fingerprint of the encoder whose cosines it was fitted on
    knots: tuple[tuple[float, float], ...] = ()  # (score, probability), both ascending

    def score(self, hit: Hit) -> float:
        """Return a passage's score, any real number, higher is better."""
        return self.score_at(hit.cosine, hit.coverage)

    def score_at(self, cosine: float, coverage: float) -> float:
        return self.intercept + self.cosine * cosine + self.coverage * coverage

    def probability(self, hit: Hit) -> float:
        return self.probability_at(self.score(hit))

    def probability_at(self, score: float) -> float:
        """Return the probability in [0, 1]: linear between knots, constant beyond the outermost."""
        return _interpolated(self.knots, score) if self.knots else logistic(score)

    def as_dict(self) -> dict[str, Any]:
        """Return the calibration for the trace, with a digest in place of its knots."""
        knots = json.dumps(self.knots).encode() if self.knots else b""
        return asdict(self) | {"knots": hashlib.sha256(knots).hexdigest()[:16] if knots else ""}


@dataclass(frozen=True)
class Learned:
    """The reader's probability that the best statement of a passage is the right answer.

    It takes paraphrase, words, place, the question's kind and its people into account
    (`chat.reader`).
    """

    version: str
    threshold: float
    encoder: str  # fingerprint of the encoder whose cosines it was learned on

    def score(self, hit: Hit) -> float:
        return -math.inf if hit.odds is None else hit.odds

    def probability(self, hit: Hit) -> float:
        return logistic(self.score(hit))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


Scale = Calibration | Learned  # turns a passage into a probability to compare with the threshold


def same_weights(one: str, other: str) -> bool:
    """Tell whether two encoder fingerprints differ at most in what computes with the weights.

    A fingerprint is `name:digest:computed by`; its digest covers weights, tokenizer, pooling and
    prefixes. The cosines of one encoder in float32 and bfloat16 differ by a thousandth, so one
    calibration is good for both, though its guarantee is not.
    """
    return one.rpartition(":")[0] == other.rpartition(":")[0] != ""


def logistic(score: float) -> float:
    """Return `1 / (1 + e^-score)`, without overflow at either end."""
    if score >= 0:
        return 1.0 / (1.0 + math.exp(-score))
    return math.exp(score) / (1.0 + math.exp(score))


def _interpolated(knots: tuple[tuple[float, float], ...], score: float) -> float:
    if math.isnan(score):
        return score
    after = bisect_right(knots, score, key=lambda knot: knot[0])
    if after == 0 or after == len(knots):
        return knots[max(0, after - 1)][1]
    (x0, y0), (x1, y1) = knots[after - 1], knots[after]
    return y0 + (y1 - y0) * (score - x0) / (x1 - x0)
