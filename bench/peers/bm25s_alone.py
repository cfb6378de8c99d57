"""bm25s: exact BM25 in the process, the fastest lexical search for Python."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.peers.types import Found, Passage, Vectors, needed, ranked


class Bm25s:
    """Lexical search alone, with eager sparse scores, by its numba backend."""

    name = "bm25s"
    packages = ("bm25s", "numba")
    about = "method lucene, k1 1.5, b 0.75 (its defaults), English stop words, no vectors"

    def index(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        self._bm25s: Any = needed("bm25s")
        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it logs every step
        needed("numba")
        self._keys = [passage.key for passage in passages]
        texts = [passage.text for passage in passages]
        self._index: Any = self._bm25s.BM25(backend="numba")
        self._index.index(self._bm25s.tokenize(texts, show_progress=False), show_progress=False)

    def search(self, query_text: str, query_vector: Vectors, k: int) -> Found:
        words = self._bm25s.tokenize(query_text, return_ids=False, show_progress=False)[0]
        known = [word for word in words if word in self._index.vocab_dict]
        if not known:
            return []
        scores = np.asarray(self._index.get_scores(known))
        return [entry for entry in ranked(self._keys, scores, k) if entry[1] > 0]
