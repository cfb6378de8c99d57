"""Load the weights of the features, learned by `manage.py train choice`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("weights.json")


@dataclass(frozen=True)
class Weights:
    """Four linear models over the features of a statement, by feature name.

    `shortlist` uses the cheap features and chooses which statements are encoded; `best` chooses
    which of those the large reader reads; `order` ranks them; `right` gives the log-odds that the
    first one is right, trained with unanswerable questions too.
    """

    version: str
    encoder: str  # fingerprint of the encoder whose cosines they were learned on
    shortlist: Mapping[str, float]
    best: Mapping[str, float]
    unread: tuple[float, float]  # the large reader's odds, from the small one's: intercept, slope
    order: Mapping[str, float]
    right: Mapping[str, float]
    intercept: float  # of `right`
    threshold: float  # probability from which it may be shown
    digest: str  # 16 hex digits of the file


@cache
def weights() -> Weights:
    """Return the weights of this release."""
    content = FILE.read_bytes()
    return Weights(**json.loads(content), digest=hashlib.sha256(content).hexdigest()[:16])
