"""rank-bm25 and FAISS, fused by RRF: the parts of many simple retrieval systems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.peers.types import CANDIDATES, Found, Passage, Vectors, fused, needed, ranked

_WORD = re.compile(r"\w+")


class RankBm25Faiss:
    """Both sides score every passage: exact, and linear in their number."""

    name = "rank-bm25 + FAISS + RRF"
    packages = ("rank_bm25", "faiss")
    about = "BM25Okapi over lower-case words, IndexFlatIP, RRF (k = 60) of two lists"

    def index(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        self._keys = [passage.key for passage in passages]
        self._bm25: Any = needed("rank_bm25").BM25Okapi([_words(p.text) for p in passages])
        self._flat: Any = needed("faiss").IndexFlatIP(vectors.shape[1])
        self._flat.add(np.ascontiguousarray(vectors, dtype=np.float32))

    def search(self, query_text: str, query_vector: Vectors, k: int) -> Found:
        depth = min(max(k, CANDIDATES), len(self._keys))
        scores = np.asarray(self._bm25.get_scores(_words(query_text)))
        lexical = [(key, score) for key, score in ranked(self._keys, scores, depth) if score]
        near, places = self._flat.search(query_vector.reshape(1, -1), depth)
        dense = [(self._keys[p], float(s)) for p, s in zip(places[0], near[0], strict=True)]
        dense.sort(key=lambda entry: (-entry[1], entry[0]))
        return fused([lexical, dense], k)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
