"""Put the candidates into their final order: by a reranker, authority and recency, or as fused.

To add a reranker: a module here, its case in `configured.py`, tests in `tests/retrieval/`.
"""

from retrieval.rerank.configured import reranker_fault, reranker_fingerprint, warm_up
from retrieval.rerank.ordering import parts_payload, rerank
from retrieval.rerank.types import Parts, Passage, Reranked, Reranker, RerankUnavailable

__all__ = [
    "Parts",
    "Passage",
    "RerankUnavailable",
    "Reranked",
    "Reranker",
    "parts_payload",
    "rerank",
    "reranker_fault",
    "reranker_fingerprint",
    "warm_up",
]
