"""A sample that anybody can draw again. Pure."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable


def drawn(ids: Iterable[str], *, percent: float, seed: int) -> list[str]:
    """Return that share of the ids, rounded up, by the SHA-256 of seed and id; ties by id.

    The same seed draws the same ids whatever their order, and a higher share keeps those of a lower
    one. `percent` is in (0, 100].
    """
    ranked = sorted(set(ids), key=lambda id: (_lot(id, seed), id))
    return ranked[: math.ceil(len(ranked) * percent / 100)]


def _lot(id: str, seed: int) -> str:
    return hashlib.sha256(f"{seed}:{id}".encode()).hexdigest()
