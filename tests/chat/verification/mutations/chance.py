"""What looks like chance and is the same in every process. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator


def digest(*parts: str) -> bytes:
    """Bytes that order things as if by chance, the same in every process."""
    return hashlib.sha256("\x1f".join(parts).encode()).digest()


def shuffled(texts: Iterable[str], *seed: str) -> Iterator[str]:
    """Each text once, in an order that the seed decides."""
    yield from sorted(dict.fromkeys(texts), key=lambda text: digest(*seed, text))
