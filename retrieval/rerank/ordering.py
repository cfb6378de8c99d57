"""`rerank()`: from fused candidates to the final passages."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from django.utils import timezone

from retrieval.config import RetrievalConfig
from retrieval.rerank.configured import reranker_for
from retrieval.rerank.types import Parts, Passage, Reranked, Reranker, RerankUnavailable
from retrieval.rerank.weights import authority_of, recency_of, weighed, within_candidates
from retrieval.types import Hit

logger = logging.getLogger(__name__)


def rerank(
    query: str, hits: Sequence[Hit], config: RetrievalConfig, *, today: int | None = None
) -> Reranked:
    """Return the best `config.k` of `hits`, which come in the order of the fusion.

    The reranker sees the first `config.rerank_candidates`; the others, and any that a list-wise
    reranker left out, follow in their old order. If the reranker fails or is late, the order is
    that of reranker=none and `fell_back` says why; it never raises. `today` is the year that
    recency counts from. Runs no query.
    """
    scores, fell_back = _scores(query, hits[: config.rerank_candidates], config)
    is_weighed = bool(config.authority_weight or config.recency_weight)
    if not hits or (scores is None and not is_weighed):
        kept = tuple(replace(hit, rank=n) for n, hit in enumerate(hits[: config.k], start=1))
        return Reranked(kept, config.reranker, fell_back)
    ordered, parts = _ordered(hits, scores, config, today or timezone.localdate().year)
    kept = ordered[: config.k]
    return Reranked(
        hits=kept,
        name=config.reranker,
        fell_back=fell_back,
        parts={hit.key: parts[hit.key] for hit in kept},
    )


def parts_payload(reranked: Reranked) -> dict[str, dict[str, float | None]]:
    """Return the parts of each score, as a trace stores them."""
    return {key: asdict(parts) for key, parts in reranked.parts.items()}


def _scores(
    query: str, hits: Sequence[Hit], config: RetrievalConfig
) -> tuple[Sequence[float] | None, str]:
    """Return the reranker's scores, or None and the reason."""
    if not hits or config.reranker == "none":
        return None, ""
    try:
        reranker = reranker_for(config)
        return _checked(reranker, query, hits, config.rerank_timeout_s), ""
    except RerankUnavailable as error:
        reason = str(error)
    except Exception as error:  # noqa: BLE001  any model's: a question must not fail for its order
        reason = f"failed unexpectedly ({type(error).__name__})"
    logger.warning("reranker %s: %s", config.reranker, reason)
    return None, reason


def _checked(
    reranker: Reranker, query: str, hits: Sequence[Hit], timeout_s: float
) -> Sequence[float]:
    passages = [Passage(key=hit.key, context=hit.context, text=hit.text) for hit in hits]
    scores = [float(s) for s in reranker.score(query, passages, timeout_s=timeout_s)]
    if len(scores) != len(hits) or not all(math.isfinite(score) for score in scores):
        raise RerankUnavailable("gave scores that can't be used")
    return scores


def _ordered(
    hits: Sequence[Hit], scores: Sequence[float] | None, config: RetrievalConfig, today: int
) -> tuple[tuple[Hit, ...], Mapping[str, Parts]]:
    """Order the hits by weighted score, then key; those without a score follow unchanged."""
    own = [hit.score for hit in hits] if scores is None else list(scores)
    relevance = within_candidates(own) + [0.0] * (len(hits) - len(own))
    given = [None] * len(hits) if scores is None else [*own, *[None] * (len(hits) - len(own))]
    parts = {
        hit.key: Parts(
            fused_rank=place,
            score=score,
            relevance=share,
            authority=authority_of(hit.authority),
            recency=recency_of(hit.year, today=today),
        )
        for place, (hit, score, share) in enumerate(zip(hits, given, relevance, strict=True), 1)
    }
    final = dict(zip([hit.key for hit in hits], own, strict=False))
    if any(weights := (config.authority_weight, config.recency_weight)):
        final = {key: _weighed(parts[key], weights) for key in final}
    lowest = min(final.values())
    for place, hit in enumerate(hits[len(own) :], start=1):
        final[hit.key] = lowest - place  # below all that were seen, and no two the same
    order = sorted(hits, key=lambda hit: (-final[hit.key], hit.key))
    ranked = (replace(h, rank=n, score=final[h.key]) for n, h in enumerate(order, start=1))
    return tuple(ranked), parts


def _weighed(parts: Parts, weights: tuple[float, float]) -> float:
    return weighed(parts.relevance, parts.authority, parts.recency, weights=weights)
