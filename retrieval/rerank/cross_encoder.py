"""Rerank with a cross-encoder, which reads the question and a passage together.

`retrieval.rerank.pair_models` loads the model and bounds its time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from functools import lru_cache

from django.core.exceptions import ImproperlyConfigured

from retrieval.rerank.extracts import extract
from retrieval.rerank.pair_models import (
    BATCH,
    Late,
    PairModel,
    classifier_fault,
    folder_fingerprint,
    folder_of,
    read_config,
    weights_fault,
)
from retrieval.rerank.types import Passage, RerankUnavailable

__all__ = ["BATCH", "CrossEncoderReranker", "folder_fault", "folder_fingerprint", "folder_of"]

# Of the tokens of a passage: with a question of some 30 a pair stays below 256, above which the
# time of a pair grows faster than what is won by reading more.
PASSAGE_TOKENS = 220


class CrossEncoderReranker(PairModel):
    """A reranker whose scores are the model's logits."""

    name = "cross-encoder"

    @property
    def fingerprint(self) -> str:
        return self.folder_fingerprint

    def score(
        self, query: str, passages: Sequence[Passage], *, timeout_s: float
    ) -> Sequence[float]:
        deadline = time.monotonic() + timeout_s
        try:
            with self.turn(deadline, timeout_s):
                pairs = self._pairs(query, passages)
                scores = self.logits(pairs, deadline=deadline, timeout_s=timeout_s)
        except Late as error:
            raise RerankUnavailable(str(error)) from error
        return [float(score) for (score,) in scores]

    def _pairs(self, query: str, passages: Sequence[Passage]) -> list[tuple[str, str]]:
        room = self.max_tokens - self.pair_marks
        limit = min(PASSAGE_TOKENS, room * 2 // 3)
        question = self.first_tokens(query, room - limit)
        return [(question, extract(p, query, limit=limit, measure=self.sizes)) for p in passages]


_load_lock = threading.Lock()


def load(name: str) -> CrossEncoderReranker:
    """Return the model of this name, loaded once a process. Raises ImproperlyConfigured."""
    with _load_lock:
        return _load(name)


@lru_cache(maxsize=1)
def _load(name: str) -> CrossEncoderReranker:
    if fault := folder_fault(name):
        raise ImproperlyConfigured(f"model in [rerank] of MEDRAG_MODELS: {fault}")
    return CrossEncoderReranker(folder_of(name))


def folder_fault(name: str) -> str:
    """Say why the folder is no usable cross-encoder; empty if it is. Loads nothing."""
    folder = folder_of(name)
    if fault := classifier_fault(folder):
        return fault
    if len(read_config(folder).get("id2label") or "??") != 1:  # two where the file does not say
        return f"{folder} gives more than one score a pair; a reranker gives one."
    return weights_fault(folder)
