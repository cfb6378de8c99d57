"""Estimate whether the passages hold the answer at all: the gate for a language model.

For the extractive generator the gate is the probability that its best statement is right. A
language model reads all passages, may find none that answers, and is verified; for it the question
is whether there is anything to read. Learned by `manage.py train gate`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from chat.reader.features import LARGE, READER, Features
from core.rounding import LOGIT_DIGITS

FILE = Path(__file__).with_name("answerable.json")
NOTHING = -20.0  # log-odds where no statement was read
# Of all statements of the list, the highest of each; `second` the second highest.
READ_OFF = ("likeness", "words", "words with context", "passage words", READER, LARGE)


@dataclass(frozen=True)
class Answerable:
    """A linear model over the features of `of_list`."""

    version: str
    weights: Mapping[str, float]
    intercept: float
    threshold: float  # probability from which the language model is asked
    digest: str = ""  # 16 hex digits of the file

    def log_odds(self, features: Features) -> float:
        """Return the log-odds, rounded so that floating-point noise never opens the gate."""
        joint = of_list(features)
        if not joint:
            return NOTHING
        total = sum(self.weights.get(name, 0.0) * value for name, value in sorted(joint.items()))
        return round(self.intercept + total, LOGIT_DIGITS)


def of_list(features: Features) -> dict[str, float]:
    """Return the joint features of a list of statements; empty for none."""
    joint: dict[str, float] = {}
    for name in READ_OFF:
        column = np.sort(features.get(name, np.zeros(0)))[::-1]
        if column.size:
            joint[f"highest {name}"] = float(column[0])
            joint[f"second {name}"] = float(column[min(1, column.size - 1)])
    return joint


@cache
def answerable() -> Answerable:
    """Return the model of this release."""
    content = FILE.read_bytes()
    return Answerable(**json.loads(content), digest=hashlib.sha256(content).hexdigest()[:16])
