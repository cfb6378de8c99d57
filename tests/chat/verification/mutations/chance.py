"""Choose by hashes: like chance, and the same in every process. Pure."""

import hashlib
from collections.abc import Iterable, Iterator


def digest(*parts: str) -> bytes:
    """Return a hash of the parts, to order things by."""
    return hashlib.sha256("\x1f".join(parts).encode()).digest()


def shuffled(texts: Iterable[str], *seed: str) -> Iterator[str]:
    """Yield each text once, in an order that the seed decides."""
    yield from sorted(dict.fromkeys(texts), key=lambda text: digest(*seed, text))
