"""Cache the vectors of recent texts: one question is used in several searches."""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np

from corpus.encoders.types import Vectors

ENTRIES = 512  # of 1,536 dimensions that is 3 MB

_CACHES: weakref.WeakSet[QueryCache] = weakref.WeakSet()


def forget_queries() -> None:
    """Empty every cache of this process, to measure what a question costs."""
    for cache in list(_CACHES):
        cache.forget()


class QueryCache:
    """The vectors of recent texts by their digests; no text is kept."""

    def __init__(
        self, encode: Callable[[Sequence[str]], Vectors], *, entries: int = ENTRIES
    ) -> None:
        self._encode, self._entries = encode, entries
        self._kept: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = threading.Lock()
        _CACHES.add(self)

    def forget(self) -> None:
        with self._lock:
            self._kept.clear()

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return a copy of the vectors, calling `encode` at most once."""
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
            for key in known:
                self._kept.move_to_end(key)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing or not texts:  # of no text, the encoder knows the shape
            made = self._encode(list(missing.values()))
            if not texts:
                return made
            known |= dict(zip(missing, made, strict=True))
            with self._lock:
                self._kept |= {key: known[key].copy() for key in missing}
                while len(self._kept) > self._entries:
                    self._kept.popitem(last=False)
        return np.stack([known[key] for key in keys])
