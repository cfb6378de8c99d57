"""Turn the reader's log-odds into a probability to compare with a threshold. Pure."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from core.rounding import SUM_DIGITS


@dataclass(frozen=True)
class Scale:
    """The learned log-odds as they are, or scaled to a site's own questions (Platt, 1999)."""

    version: str
    threshold: float
    encoder: str  # fingerprint of the encoder that it was learned or calibrated with
    slope: float = 1.0
    intercept: float = 0.0

    def score(self, odds: float | None) -> float:
        """Return the scaled log-odds, rounded; minus infinity where nothing was read."""
        if odds is None:
            return -math.inf
        return round(self.intercept + self.slope * odds, SUM_DIGITS)

    def probability(self, odds: float | None) -> float:
        return logistic(self.score(odds))

    def as_dict(self) -> dict[str, Any]:
        """Return the scale for the trace; slope and intercept only where they change anything."""
        values = asdict(self)
        if (self.slope, self.intercept) == (1.0, 0.0):
            del values["slope"], values["intercept"]
        return values


def logistic(score: float) -> float:
    """Return `1 / (1 + e^-score)`, without overflow at either end."""
    if score >= 0:
        return 1.0 / (1.0 + math.exp(-score))
    return math.exp(score) / (1.0 + math.exp(score))
