"""How a search is done, frozen, with a fingerprint that is stored beside what it found."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

PIPELINE_VERSION = "3"


@dataclass(frozen=True)
class RetrievalConfig:
    """Defaults are those of docs/evaluation.md, which has the commands that justify them."""

    # How many passages come back
    k: int = 10  # at most
    adaptive_k: bool = False  # 3, 5 or 10 by the question's complexity, and never more than k

    # Lexical side
    lexical: str = "bm25"  # or idf_ts_rank, ts_rank, none
    lexical_candidates: int = 50  # entries of the ranking
    df_budget: int = 1500  # passages that its conditions are expected to score
    rescored: int = 100  # of the best of them, looked at for scope and twins; more where too few
    k1: float = 1.2  # BM25's saturation of the term frequency; this and b as Lucene has them
    b: float = 0.75  # BM25's share of length normalisation
    condense_above: int = 12  # lexemes; a longer question is searched by its rarest; 0: never

    # Dense side
    dense: bool = True
    encoders: tuple[str, ...] = ()  # by name; empty: all that are active
    dense_candidates: int = 50  # entries of each ranking
    exact_below: int = 10_000  # chunks; up to here every vector is compared
    ef_search: int = 100  # HNSW's list of candidates
    max_scan_tuples: int = 40_000  # where an iterative scan gives up

    # Wordings that are searched
    expand: bool = True  # abbreviations and lay terms, by the lexicon
    rules: bool = True  # negative questions and lay wordings anew, by rules
    multi_query: int = 0  # wordings that a language model writes
    hyde: bool = False  # a hypothetical answer by a language model, embedded, never shown
    rewrite_calls: int = 2  # of that model for one question, at most; what it gave is kept
    rewrite_timeout_s: float = 5.0  # then the search goes on without its wordings
    summaries: bool = False  # sections found by their summaries

    # Fusion
    fusion: str = "convex"  # or rrf, sum (of scores normalised; Fox and Shaw, TREC-2, 1994)
    alpha: float = 0.8  # share of the dense side in the convex combination (Bruch et al., 2023)
    rrf_k: int = 60  # Cormack et al., SIGIR 2009
    collapse_twins: bool = True  # of passages that say the same, rank the best
    neighbours: bool = False  # those of the best passages are candidates too

    # Rerank
    reranker: str = "none"  # or cross-encoder, llm, http; the settings say which model
    rerank_candidates: int = 30  # that it sees
    rerank_timeout_s: float = 5.0  # then the order of the fusion stands
    authority_weight: float = 0.0  # share of the score that national against local guidance has
    recency_weight: float = 0.0  # share of the score that the year of publication has

    # What surrounds a passage
    context_chars: int = 2000  # of its section around a hit; 0: none
    corrective: bool = True  # a wider second search where the gate is near its threshold
    corrective_margin: float = 1.5  # how near, in log-odds: from 0.25 for a threshold of 0.6
    corrective_before_s: float = 2.0  # after the question; later it would take too long

    def fingerprint(self, *parts: str) -> str:
        """16 hex digits over every field, the pipeline's version, and `parts`: what else decides.

        That is the weights of each encoder, the reranker, and what words questions anew. Not the
        lexicon: an entry more does not make another search of it, which would need its gate
        calibrated again. A turn's fingerprint holds the lexicon's beside this one.
        """
        content = json.dumps(
            {"version": PIPELINE_VERSION, "parts": parts, **asdict(self)}, sort_keys=True
        )
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def widened(config: RetrievalConfig) -> RetrievalConfig:
    """The second search of a question whose first was nearly good enough.

    After corrective retrieval (Yan et al., 2024): more passages of longer lists, every wording by
    rules, and the neighbours of what was found. What a site has switched off for good, a side of
    the search, an encoder, a reranker or a language model's wordings, stays off.
    """
    return replace(
        config,
        k=2 * config.k,
        adaptive_k=False,
        lexical_candidates=2 * config.lexical_candidates,
        df_budget=2 * config.df_budget,
        rescored=2 * config.rescored,
        condense_above=2 * config.condense_above,
        dense_candidates=2 * config.dense_candidates,
        ef_search=min(1000, 2 * config.ef_search),  # pgvector takes no more
        max_scan_tuples=2 * config.max_scan_tuples,
        expand=True,
        rules=True,
        neighbours=True,
        summaries=True,
        rerank_candidates=2 * config.rerank_candidates,
        corrective=False,
    )


_CHOICES = {
    "lexical": ("bm25", "idf_ts_rank", "ts_rank", "none"),
    "fusion": ("convex", "rrf", "sum"),
    "reranker": ("none", "cross-encoder", "llm", "http"),
}
_LOWEST = {"k": 1, "rrf_k": 1, "ef_search": 1, "rerank_candidates": 1, "lexical_candidates": 1,
           "rerank_timeout_s": 0.1}  # fmt: skip
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def config_from(text: str, base: RetrievalConfig | None = None) -> RetrievalConfig:
    """`base` with what `text` says, such as `fusion=sum k=5 encoders=minilm,medcpt`.

    Raises ValueError with the name and what it may be, for a person to read.
    """
    base = base or RetrievalConfig()
    known = {field.name: getattr(base, field.name) for field in fields(base)}
    changes: dict[str, Any] = {}
    for word in text.split():
        name, equals, raw = word.partition("=")
        if name not in known or not equals:
            raise ValueError(f"{word!r} is not one of {', '.join(known)} with = and a value")
        changes[name] = _parsed(name, raw, known[name])
    config = replace(base, **changes)
    if config.lexical == "none" and not config.dense:
        raise ValueError("lexical=none and dense=no leave nothing to search with")
    if config.alpha > 1:
        raise ValueError("alpha must be from 0 to 1")
    if config.authority_weight + config.recency_weight >= 1:
        raise ValueError("authority_weight and recency_weight must be below 1 together")
    return config


def _parsed(name: str, raw: str, default: Any) -> Any:
    if isinstance(default, bool):
        if raw.lower() not in _BOOLEANS:
            raise ValueError(f"{name} must be true or false; it is {raw!r}")
        return _BOOLEANS[raw.lower()]
    if isinstance(default, tuple):
        return tuple(part for part in raw.split(",") if part)
    if isinstance(default, str):
        if raw not in _CHOICES[name]:
            raise ValueError(f"{name} must be one of {', '.join(_CHOICES[name])}; it is {raw!r}")
        return raw
    try:
        number = type(default)(raw)
    except ValueError:
        number = -1
    low = _LOWEST.get(name, 0)
    if not low <= number < 1_000_000_000:
        kind = "whole number" if isinstance(default, int) else "number"
        raise ValueError(f"{name} must be a {kind} from {low}; it is {raw!r}")
    return number
