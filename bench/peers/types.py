"""Passages, results and the protocol of a peer. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from core.errors import MedragError

Vectors = npt.NDArray[np.float32]
Found = list[tuple[str, float]]  # key and score: score descending, then key ascending

CANDIDATES = 50  # entries of each list that is fused, as in ours; more where k is larger
RRF_K = 60  # Cormack, Clarke and Buettcher, SIGIR 2009


class PeerUnavailable(MedragError):
    """A package that a peer needs is not installed."""


@dataclass(frozen=True)
class Passage:
    """A passage as our own search indexes it: `text` is the context line, then the passage."""

    key: str
    text: str


class Peer(Protocol):
    """Another search engine over the same passages and the same vectors."""

    @property
    def name(self) -> str:
        """Its name in tables."""

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages of the extra `bench` that it imports."""

    @property
    def about(self) -> str:
        """Its parts and settings, for the report."""

    def index(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Index all passages; `vectors` is `(n, dimensions)` float32 of unit norm, in their order.

        Called once. Raises PeerUnavailable.
        """

    def search(self, query_text: str, query_vector: Vectors, k: int) -> Found:
        """Return at most `k` passages for a query and its unit vector `(dimensions,)`."""


def needed(module: str) -> Any:
    """Import a package of the extra `bench` late. Raises PeerUnavailable where it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise missing(module) from error


def missing(module: str) -> PeerUnavailable:
    return PeerUnavailable(
        f"The package of {module} is not installed, so that peers can't be compared with.",
        hint='Install the extra: pip install -e ".[bench]". Nothing else needs it.',
    )


def ranked(keys: Sequence[str], scores: npt.NDArray[Any], k: int) -> Found:
    """Return the `k` best passages by score, ties by key, as every list of the evaluation."""
    places: npt.NDArray[np.intp] = np.arange(len(keys))
    if k < len(keys):
        # Keep all that tie with the last, so that the key decides among them and not chance.
        bar = np.partition(scores, len(keys) - k)[len(keys) - k]
        places = np.flatnonzero(scores >= bar)
    found = [(keys[place], float(scores[place])) for place in places.tolist()]
    return sorted(found, key=lambda entry: (-entry[1], entry[0]))[:k]


def fused(lists: Sequence[Found], k: int) -> Found:
    """Fuse lists of distinct keys by reciprocal ranks and return the `k` best, ties by key."""
    scores: dict[str, float] = {}
    for found in lists:
        for rank, (key, _) in enumerate(found, start=1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[:k]
