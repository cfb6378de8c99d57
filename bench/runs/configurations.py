"""Configurations of a search that are measured, and recipes to build their index. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.errors import MedragError
from retrieval.config import RetrievalConfig, config_from

# By name, what differs from the configuration of the site.
NAMED: Mapping[str, str] = {
    "default": "",
    "lexical": "dense=no",
    "dense": "lexical=none",
    "convex": "fusion=convex",
    "rrf": "fusion=rrf",
    "sum": "fusion=sum",
    "plain": "expand=no rules=no multi_query=0 hyde=no summaries=no reranker=none fusion=rrf",
}
# Passages requested for each wanted document, since a document may have many.
PASSAGES_PER_DOCUMENT = 2
TIMED = 200  # queries that are also asked as served, for their durations
DEPTH = 100  # documents of a run: what Recall@100 looks at


class UnknownConfiguration(MedragError):
    """A text that is neither a configuration's name nor a list of switches."""


@dataclass(frozen=True)
class Configuration:
    """A way to search: its name in tables, and its difference from the site's."""

    name: str
    text: str


@dataclass(frozen=True)
class Window:
    """Passages cut without regard to structure: `tokens` long, one begun every `stride` tokens."""

    tokens: int
    stride: int


@dataclass(frozen=True)
class Recipe:
    """A way to build an index: as the site does, or cut by a window in place of its splitter."""

    name: str = "as set"
    window: Window | None = None


def configuration(text: str) -> Configuration:
    """Return a named configuration, or a custom one such as `fusion=sum k=5`.

    Raises UnknownConfiguration.
    """
    if text in NAMED:
        return Configuration(text, NAMED[text])
    try:
        config_from(text)
    except ValueError as error:
        raise UnknownConfiguration(
            f"--config: {error}.", hint=f"Or one of the names {', '.join(NAMED)}."
        ) from error
    return Configuration(text, text)


def deepened(config: RetrievalConfig, depth: int = DEPTH) -> RetrievalConfig:
    """Return the same search with lists long enough for `depth` documents.

    Every list has at least PASSAGES_PER_DOCUMENT passages for each document; formula and weights
    are unchanged. The order of the first few may still differ from a search as served, which sees
    fewer candidates. A passage's surroundings do not affect ranks and are left out.
    """
    passages = depth * PASSAGES_PER_DOCUMENT
    return replace(
        config,
        k=max(config.k, passages),
        lexical_candidates=max(config.lexical_candidates, passages),
        rescored=max(config.rescored, passages),
        dense_candidates=max(config.dense_candidates, passages),
        ef_search=max(config.ef_search, passages),
        context_chars=0,
    )
