"""Test that cosines of other encoders are put on the scale of the bundled one."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from chat.errors import GateUnavailable
from chat.reader.likeness import anchors, bundled, comparable
from corpus.encoders.registry import get_embedder
from corpus.encoders.types import Vectors

WARD = ["Which antibiotic for sepsis?", "What is the dose of adrenaline?"]
SAYS = ["Give meropenem for sepsis.", "Inject 500 micrograms of adrenaline.", "Wash your hands."]


class Leaning:
    """Encodes as the bundled encoder does, with a direction that all texts have in common."""

    fingerprint = "leaning:0123456789abcdef:here"

    def __init__(self, share: float) -> None:
        self.embedder, self.share = get_embedder(), share

    def encode(self, texts: Sequence[str]) -> Vectors:
        own = self.embedder.encode(texts) * math.sqrt(1 - self.share)
        common = np.full((len(texts), 1), math.sqrt(self.share))
        return np.concatenate([own, common], axis=1).astype(np.float32)

    encode_queries = encode


class Constant(Leaning):
    """Gives all texts the same vector."""

    def __init__(self, component: float) -> None:
        self.component = component

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.full((len(texts), 4), self.component, dtype=np.float32)

    encode_queries = encode


def cosines(embedder: Any) -> Vectors:
    return np.asarray(embedder.encode_queries(WARD) @ embedder.encode(SAYS).T)


def test_the_bundled_encoder_is_as_it_was_measured_and_left_as_it_is() -> None:
    found = anchors(get_embedder())
    assert found.alike == pytest.approx(bundled().alike, abs=0.003)
    assert found.unlike == pytest.approx(bundled().unlike, abs=0.003)
    own = cosines(get_embedder()).astype(np.float64)
    assert (comparable(own, get_embedder()) == own.round(3)).all()


@pytest.mark.parametrize("share", [0.3, 0.8])
def test_an_encoder_that_calls_all_texts_alike_gets_the_same_cosines(share: float) -> None:
    """E5 and others give 0.7 to texts that have nothing in common."""
    leaning: Any = Leaning(share)
    raw = cosines(leaning).astype(np.float64)
    assert raw.min() > share - 0.1
    expected = cosines(get_embedder())
    assert comparable(raw, leaning) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("component", [0.5, math.nan])
def test_an_encoder_that_tells_nothing_apart_has_no_scale(component: float) -> None:
    constant: Any = Constant(component)
    with pytest.raises(GateUnavailable, match="doesn't tell a statement"):
        comparable(np.array([0.5]), constant)
