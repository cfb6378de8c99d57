"""Define how a search is done, frozen, with a fingerprint that is stored with its results."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any

PIPELINE_VERSION = "5"
MAX_WORDINGS = 8  # that a language model is asked for
SURROUNDINGS_CHARS = 2000  # around a passage, where a reader asks and the site says no other
# Switches that are gone, at their defaults: a gate calibrated before is of no other search.
_GONE = {"adaptive_k": False, "neighbours": False}
# Switches that came later, which at these values leave a search as it was.
_ADDED = {"concept_weight": 0.0}


@dataclass(frozen=True)
class RetrievalConfig:
    """Settings of one search. docs/evaluation.md has the measurements behind the defaults."""

    # How many passages come back
    k: int = 20  # at most

    # Lexical side
    lexical: str = "bm25"  # or none
    lexical_candidates: int = 50  # entries of the ranking
    df_budget: int = 600  # passages that its conditions are expected to score, of 100 thousand
    rescored: int = 100  # of the best of them, looked at for scope and twins; more where too few
    k1: float = 1.2  # BM25's saturation of the term frequency; this and b as Lucene has them
    b: float = 0.75  # BM25's share of length normalisation
    condense_above: int = 16  # lexemes; a longer question is searched by its rarest; 0: never

    # Dense side
    dense: bool = True
    encoders: tuple[str, ...] = ()  # by name; empty: all that are active
    dense_candidates: int = 50  # entries of each ranking
    exact_below: int = 5_000  # chunks; up to here, and where it is faster, every vector is compared
    ef_search: int = 150  # HNSW's list of candidates
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
    fusion: str = "rrf"  # or convex, sum (of scores normalised; Fox and Shaw, TREC-2, 1994)
    alpha: float = 0.8  # share of the dense side in the convex combination (Bruch et al., 2023)
    rrf_k: int = 10  # 60 in Cormack et al., SIGIR 2009, for more and longer rankings
    collapse_twins: bool = True  # of passages that say the same, rank the best
    concept_weight: float = 0.0  # share of the score that the question's concepts in a passage have

    # Rerank
    reranker: str = "none"  # or cross-encoder, llm, http; the settings say which model
    rerank_candidates: int = 30  # that it sees
    rerank_timeout_s: float = 5.0  # then the order of the fusion stands
    authority_weight: float = 0.0  # share of the score that national against local guidance has
    recency_weight: float = 0.0  # share of the score that the year of publication has

    # What surrounds a passage
    context_chars: int = 0  # of its section around each, where a reader asks; two queries more

    def fingerprint(self, *parts: str) -> str:
        """Return 16 hex digits over all fields, the pipeline's version and `parts`.

        `parts` identify what else decides: the weights of each encoder, the reranker, the rewriting
        model. The lexicon is left out: a new entry should not require the gate to be calibrated
        again. A turn stores the lexicon's fingerprint separately.
        """
        return _fingerprint(self, parts)


@lru_cache(maxsize=64)
def _fingerprint(config: RetrievalConfig, parts: tuple[str, ...]) -> str:
    values = {name: value for name, value in asdict(config).items() if _ADDED.get(name) != value}
    content = {"version": PIPELINE_VERSION, "parts": parts, **_GONE, **values}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def with_surroundings(config: RetrievalConfig) -> RetrievalConfig:
    """Return a copy whose evidence also holds the text around each passage."""
    return replace(config, context_chars=config.context_chars or SURROUNDINGS_CHARS)


_CHOICES = {
    "lexical": ("bm25", "none"),
    "fusion": ("rrf", "convex", "sum"),
    "reranker": ("none", "cross-encoder", "llm", "http"),
}
# From and to, both inclusive. What the database would refuse, what finds nothing, and what would
# hold up every question stops the start instead.
_BOUNDS: dict[str, tuple[float, float]] = {
    "k": (1, 200),
    "lexical_candidates": (1, 10_000),
    "df_budget": (1, 10_000_000),
    "rescored": (1, 100_000),
    "k1": (0, 10),
    "b": (0, 1),
    "condense_above": (0, 1000),
    "dense_candidates": (1, 10_000),
    "exact_below": (0, 10_000_000),
    "ef_search": (1, 1000),  # pgvector's own
    "max_scan_tuples": (1, 100_000_000),
    "multi_query": (0, MAX_WORDINGS),
    "rewrite_calls": (0, 10),
    "rewrite_timeout_s": (0.1, 60),
    "alpha": (0, 1),
    "rrf_k": (1, 10_000),
    "concept_weight": (0, 1),
    "rerank_candidates": (1, 1000),
    "rerank_timeout_s": (0.1, 60),
    "authority_weight": (0, 1),
    "recency_weight": (0, 1),
    "context_chars": (0, 20_000),
}
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def config_from(text: str, base: RetrievalConfig | None = None) -> RetrievalConfig:
    """Return `base` changed by text such as `fusion=sum k=5 encoders=minilm,medcpt`.

    Raises ValueError, worded for a person, with the option's name and its allowed values.
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
        number = math.nan
    low, high = _BOUNDS[name]
    if not low <= number <= high:
        kind = "whole number" if isinstance(default, int) else "number"
        raise ValueError(f"{name} must be a {kind} from {low} to {high}; it is {raw!r}")
    return number
