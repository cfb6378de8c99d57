from __future__ import annotations

from collections.abc import Sequence


def share(flags: Sequence[bool]) -> float | None:
    """Return the share of what is true, [0, 1]; None for none at all."""
    return sum(flags) / len(flags) if flags else None
