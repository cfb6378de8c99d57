"""`retrieve()`: the one way from a question to its evidence."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from corpus.encoders.registry import ActiveEncoder, active_encoders
from retrieval.analysis import spelled_out
from retrieval.config import RetrievalConfig
from retrieval.configured import site_config
from retrieval.context import surroundings
from retrieval.dense import search_dense
from retrieval.fusion import (
    Scored,
    candidates_of,
    convex_combination,
    normalised_sum,
    reciprocal_rank_fusion,
)
from retrieval.hits import hits_of
from retrieval.lexical import AskedLexeme, asked_lexemes, search_lexical, searched_names
from retrieval.neighbours import search_neighbours
from retrieval.rerank import parts_payload, rerank, reranker_fingerprint
from retrieval.scores import bm25_of, cosines_of
from retrieval.twins import others_that_say_it
from retrieval.types import Evidence, Hit, Query, Ranked, Ranking, Trace

T = TypeVar("T")
Asked = tuple[ActiveEncoder, list[float]]  # an encoder, and the question's vector by it


def retrieve(query: Query, config: RetrievalConfig | None = None) -> Evidence:
    """The best `config.k` passages in the query's scope, best first, with the whole trace.

    Empty where nothing is indexed in that scope. The same query on the same corpus gives the
    same evidence. How many database queries it takes does not depend on what is found.
    """
    return _Search(query, config or site_config()).run()


@dataclass
class _Search:
    """One run: its steps in order, how long each took, and what did not go as configured."""

    query: Query
    config: RetrievalConfig
    durations_ms: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def run(self) -> Evidence:
        query, config = self.query, self.config
        encoders = active_encoders(config.encoders)
        lexemes = self._timed("analysis", lambda: asked_lexemes(query.text))
        asked = spelled_out(query.text)
        vectors = self._timed("embedding", lambda: _vectors(encoders, asked))
        rankings = self._rankings(lexemes, vectors)
        fused = self._timed("fusion", lambda: self._fused(rankings, lexemes, vectors))
        hits = self._hits(fused, lexemes, vectors[0])
        reranked = rerank(query.text, hits, config)
        self.durations_ms["rerank"] = reranked.duration_ms
        self.notes.extend(reranked.notes)
        around = self._timed(
            "context", partial(surroundings, reranked.hits, max_chars=config.context_chars)
        )
        trace = Trace(
            query=query.text,
            scope=query.scope,
            on=query.on,
            lexemes=tuple(searched_names(lexemes)),
            rankings=tuple(rankings),
            fused=fused,
            durations_ms=self.durations_ms,
            fingerprint=config.fingerprint(
                *(encoder.embedder.fingerprint for encoder in encoders),
                reranker_fingerprint(config),
            ),
            also_in=_also_in(reranked.hits),
            rights=query.rights,
            filters=query.filters,
            reranked=reranked.ranked,
            rerank_parts=parts_payload(reranked),
            notes=tuple(self.notes),
        )
        return Evidence(query=query, hits=reranked.hits, trace=trace, surroundings=around)

    def _rankings(
        self, lexemes: tuple[AskedLexeme, ...], vectors: Sequence[Asked]
    ) -> list[Ranking]:
        rankings: list[Ranking] = []
        if self.config.lexical != "none":
            rankings.append(search_lexical(self.query, lexemes, self.config))
        if self.config.dense:
            rankings.extend(
                search_dense(self.query, vector, self.config, encoder)
                for encoder, vector in vectors
            )
        if self.config.neighbours:
            found = reciprocal_rank_fusion(rankings, k=self.config.rrf_k)
            rankings.append(search_neighbours(self.query, found, self.config))
        self.durations_ms |= {ranking.name: ranking.duration_ms for ranking in rankings}
        return rankings

    def _fused(
        self,
        rankings: Sequence[Ranking],
        lexemes: Sequence[AskedLexeme],
        vectors: Sequence[Asked],
    ) -> tuple[Ranked, ...]:
        config = self.config
        if config.fusion == "rrf":
            return reciprocal_rank_fusion(rankings, k=config.rrf_k)
        if config.fusion == "sum":
            return normalised_sum(rankings)
        candidates = candidates_of(rankings)
        ids = [entry.chunk_id for entry in candidates]
        scored = Scored(
            lexical=(bm25_of(ids, lexemes, config),) if config.lexical != "none" else (),
            cosines=tuple(cosines_of(ids, vector, encoder.table) for encoder, vector in vectors)
            if config.dense
            else (),
        )
        return convex_combination(candidates, scored, alpha=config.alpha)

    def _hits(
        self, fused: Sequence[Ranked], lexemes: Sequence[AskedLexeme], primary: Asked
    ) -> tuple[Hit, ...]:
        """As many as the reranker may see, where there is one."""
        config = self.config
        is_reordered = config.reranker != "none" or config.authority_weight + config.recency_weight
        kept = fused[: max(config.k, config.rerank_candidates) if is_reordered else config.k]
        others = self._timed("twins", lambda: others_that_say_it(self.query, kept))
        return self._timed(
            "hits",
            lambda: hits_of(
                kept, lexemes, vector=primary[1], vectors=primary[0].table, others=others
            ),
        )

    def _timed(self, step: str, work: Callable[[], T]) -> T:
        started = time.perf_counter()
        result = work()
        self.durations_ms[step] = (time.perf_counter() - started) * 1000
        return result


def _vectors(encoders: Sequence[ActiveEncoder], asked: str) -> tuple[Asked, ...]:
    return tuple((e, e.embedder.encode_queries([asked])[0].tolist()) for e in encoders)


def _also_in(hits: Sequence[Hit]) -> dict[str, tuple[str, ...]]:
    return {hit.key: tuple(other.key for other in hit.also_in) for hit in hits if hit.also_in}
