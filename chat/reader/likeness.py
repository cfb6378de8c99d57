"""Put the cosines of another encoder on the scale of the one that the weights were learned with.

Encoders differ in how alike they call texts that have nothing in common, and texts that belong
together. Both are measured on the questions of `likeness.json`: the mean cosine with their own
statement, and with those of the others. The straight line through both is the scale.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from chat.errors import GateUnavailable
from chat.reader.features import Column
from chat.reader.weights import weights
from core.rounding import COSINE_DIGITS
from corpus.encoders.folders import same_weights
from corpus.encoders.types import Embedder

FILE = Path(__file__).with_name("likeness.json")
NEAREST = 0.75  # share of the questions whose own statement must be the nearest
APART = 0.02  # least distance of the two means: on a smaller one, rounding would decide


@dataclass(frozen=True)
class Anchors:
    """Mean cosines of questions with statements, to three decimals."""

    alike: float  # with their own
    unlike: float  # with those of the others


def comparable(cosines: Column, embedder: Embedder) -> Column:
    """Return cosines as the bundled encoder would give them, rounded; its own as they are.

    Raises `GateUnavailable` as `anchors` does.
    """
    if not is_bundled(embedder.fingerprint):
        own, wanted = anchors(embedder), bundled()
        share = (cosines - own.unlike) / (own.alike - own.unlike)
        cosines = wanted.unlike + share * (wanted.alike - wanted.unlike)
    return cosines.round(COSINE_DIGITS)


def is_bundled(encoder: str) -> bool:
    """Tell whether a fingerprint is of the weights of the bundled encoder."""
    return same_weights(weights().encoder, encoder)


@lru_cache(maxsize=2)
def anchors(embedder: Embedder) -> Anchors:
    """Measure an encoder. Raises `GateUnavailable` if it can't tell what answers from the rest."""
    pairs: Mapping[str, str] = _content()["pairs"]
    cosines = embedder.encode_queries(list(pairs)) @ embedder.encode(list(pairs.values())).T
    own = np.eye(len(pairs), dtype=bool)
    alike, unlike = (round(float(cosines[of].mean()), COSINE_DIGITS) for of in (own, ~own))
    nearest = (cosines.argmax(axis=1) == np.arange(len(pairs))).mean()
    if nearest < NEAREST or not alike - unlike >= APART:
        raise GateUnavailable(
            "The encoder in use doesn't tell a statement that answers a question from others, so "
            "the gate can't judge by it.",
            hint="Name another encoder in MEDRAG_ENCODERS. Nothing was lost.",
        )
    return Anchors(alike, unlike)


def bundled() -> Anchors:
    """Return what was measured of the bundled encoder."""
    return Anchors(_content()["alike"], _content()["unlike"])


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content
