"""Haystack with its in-memory document store, set up as its documentation shows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from bench.peers.types import CANDIDATES, Found, Passage, Vectors, needed


class Haystack:
    """A pipeline of two retrievers and a joiner."""

    name = "Haystack, in memory"
    packages = ("haystack",)
    about = "BM25L and embedding retriever over one store (its defaults), joined by RRF"

    def index(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        # Must be set before the import: nothing is sent to the package's makers.
        os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
        haystack = needed("haystack")
        stores = needed("haystack.document_stores.in_memory")
        self._store: Any = stores.InMemoryDocumentStore(shared=False, return_embedding=False)
        self._store.write_documents(
            [
                haystack.Document(id=passage.key, content=passage.text, embedding=vector.tolist())
                for passage, vector in zip(passages, vectors, strict=True)
            ]
        )
        self._pipeline: Any = _pipeline(haystack, self._store)

    def search(self, query_text: str, query_vector: Vectors, k: int) -> Found:
        depth = max(k, CANDIDATES)
        joined = self._pipeline.run(
            {
                "lexical": {"query": query_text, "top_k": depth},
                "dense": {"query_embedding": query_vector.tolist(), "top_k": depth},
                "joiner": {"top_k": 2 * depth},
            }
        )["joiner"]["documents"]
        found = [(document.id, float(document.score)) for document in joined]
        return sorted(found, key=lambda entry: (-entry[1], entry[0]))[:k]


def _pipeline(haystack: Any, store: Any) -> Any:
    retrievers = needed("haystack.components.retrievers.in_memory")
    joiners = needed("haystack.components.joiners")
    pipeline = haystack.Pipeline()
    pipeline.add_component("lexical", retrievers.InMemoryBM25Retriever(store))
    pipeline.add_component("dense", retrievers.InMemoryEmbeddingRetriever(store))
    pipeline.add_component("joiner", joiners.DocumentJoiner(join_mode="reciprocal_rank_fusion"))
    pipeline.connect("lexical", "joiner.documents")
    pipeline.connect("dense", "joiner.documents")
    return pipeline
