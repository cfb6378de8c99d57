"""What is measured: named configurations of a search, and ways to build its index. Pure."""

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
# A document may have many passages: so many are asked for per document that is wanted.
PASSAGES_PER_DOCUMENT = 2
DEPTH = 100  # documents of a run: what Recall@100 looks at


class UnknownConfiguration(MedragError):
    """Neither a name nor a list of switches."""


@dataclass(frozen=True)
class Configuration:
    """A way to search: its name in tables, and its difference from the site's.

    `as_served` asks it as a reader does: through the gate, for as many passages as a reader
    gets. Else it is asked for a long list.
    """

    name: str
    text: str
    as_served: bool = False


@dataclass(frozen=True)
class Window:
    """Passages blind to structure: so many tokens, each begun `stride` tokens after the last."""

    tokens: int
    stride: int


@dataclass(frozen=True)
class Recipe:
    """A way to build an index: settings that differ, and whether passages carry their context.

    `storage`, where it is not empty, is pgvector's type of every encoder's vectors. `window`, where
    there is one, cuts in the place of the site's splitter.
    """

    name: str = "as set"
    environment: tuple[tuple[str, str], ...] = ()
    with_context: bool = True
    storage: str = ""
    window: Window | None = None


def configuration(text: str) -> Configuration:
    """Return a named one, or one of its own such as `fusion=sum k=5`. Raises
    UnknownConfiguration.
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

    Every list has at least PASSAGES_PER_DOCUMENT passages per document; formula and weights are as
    they were. The order of the first few may still differ from a search as served: longer lists
    bring candidates that it does not see, a passage deep in one list counts in a fusion by ranks or
    normalised scores, and a longer `ef_search` finds neighbours that a shorter one misses. How
    often that is so, `search_all` counts. A passage's surroundings, which rank nothing, are left
    out.
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
