"""How a search is done, frozen, with a fingerprint that is stored beside what it found."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

PIPELINE_VERSION = "2"


@dataclass(frozen=True)
class RetrievalConfig:
    """Defaults are those of docs/evaluation.md, which has the commands that justify them."""

    k: int = 10  # passages returned
    lexical_candidates: int = 50  # entries of the lexical ranking
    dense_candidates: int = 50  # entries of the dense ranking
    df_budget: int = 5000  # postings that the rarest lexemes may add up to
    rescored: int = 300  # candidates that exact BM25 orders anew
    k1: float = 0.9  # BM25's saturation of the term frequency
    b: float = 0.4  # BM25's share of length normalisation
    rrf_k: int = 60  # Cormack et al., SIGIR 2009
    exact_below: int = 10_000  # chunks; up to here every vector is compared
    ef_search: int = 100  # HNSW's list of candidates
    max_scan_tuples: int = 40_000  # where an iterative scan gives up
    collapse_twins: bool = True  # of passages that say the same, rank the best

    def fingerprint(self, embedder: str) -> str:
        """16 hex digits over every field, the pipeline's version and the encoder's weights."""
        content = json.dumps(
            {"version": PIPELINE_VERSION, "embedder": embedder, **asdict(self)}, sort_keys=True
        )
        return hashlib.sha256(content.encode()).hexdigest()[:16]
