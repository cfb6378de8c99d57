"""Switches of an ablation: each is the default with one thing changed. Pure.

A switch that changes how the index is built has an index of its own. Switches that need a language
model, a reranker or summaries are left out where none is configured; the table names them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bench.runs.configurations import Configuration, Recipe, Window
from core.errors import MedragError
from retrieval.config import RetrievalConfig

AS_SET = Recipe()


class UnknownRow(MedragError):
    """A part of a name that no row of the ablation contains."""


@dataclass(frozen=True)
class Switch:
    """A configuration and its index. `needs` names what the site must have configured."""

    configuration: Configuration
    recipe: Recipe = AS_SET
    needs: str = ""

    @property
    def name(self) -> str:
        return self.configuration.name


DEFAULT = Switch(Configuration("default", ""))


@dataclass(frozen=True)
class Cut:
    """The sizes of the site's passages, which some switches change."""

    tokens: int
    overlap_tokens: int


def switches(
    default: RetrievalConfig, available: Collection[str], cut: Cut
) -> tuple[list[Switch], list[Switch]]:
    """Return the switches to compare with the default, in order, and those this site can't run.

    A switch that would change nothing of the default is in neither list.
    """
    searches = [
        _search(name, text, needs) for name, text, needs in _SEARCHES if not _says(default, text)
    ]
    indexes = [
        Switch(Configuration(recipe.name, ""), recipe, needs)
        for recipe, needs in _recipes(cut)
        if not recipe.storage or needs in available  # else the site stores vectors so already
    ]
    every = [*searches, *indexes]
    return (
        [switch for switch in every if not switch.needs or switch.needs in available],
        [switch for switch in every if switch.needs and switch.needs not in available],
    )


def chosen(every: Sequence[Switch], parts: Sequence[str]) -> list[Switch]:
    """Return the switches with one of the parts in their name or index; all if there are no parts.

    Case is ignored. Raises UnknownRow for a part that no switch contains.
    """
    if not parts:
        return list(every)
    for part in parts:
        if not any(_has(switch, part) for switch in every):
            names = "; ".join(switch.name for switch in every)
            raise UnknownRow(
                f"--only: no row has {part!r} in its name or in that of its index.",
                hint=f"The rows are: {names}.",
            )
    return [switch for switch in every if any(_has(switch, part) for part in parts)]


def _has(switch: Switch, part: str) -> bool:
    return any(part.lower() in name.lower() for name in (switch.name, switch.recipe.name))


# name, what differs from the default, what it needs
_SEARCHES = (
    ("lexical alone (exact BM25)", "dense=no lexical=bm25", ""),
    ("dense alone", "lexical=none", ""),
    ("fusion: convex, alpha = 0.8", "fusion=convex alpha=0.8", ""),
    ("fusion: convex, alpha = 0.5", "fusion=convex alpha=0.5", ""),
    ("fusion: sum of scores", "fusion=sum", ""),
    ("fusion: RRF, k = 60", "fusion=rrf rrf_k=60", ""),
    ("fusion: RRF, k = 10", "fusion=rrf rrf_k=10", ""),
    ("without expansions", "expand=no", ""),
    ("without rules", "rules=no", ""),
    ("without condensing", "condense_above=0", ""),
    ("BM25 with k1 = 0.9, b = 0.4", "k1=0.9 b=0.4", ""),
    ("BM25 with k1 = 1.2, b = 0.75", "k1=1.2 b=0.75", ""),
    ("concept overlap, weight 0.1", "concept_weight=0.1", ""),
    ("concept overlap, weight 0.3", "concept_weight=0.3", ""),
    ("twins not collapsed", "collapse_twins=no", ""),
    ("with summaries", "summaries=yes", "summaries"),
    ("multi-query, 3 wordings by the model", "multi_query=3", "rewrite"),
    ("HyDE", "hyde=yes", "rewrite"),
    ("without reranker", "reranker=none", ""),
    ("reranker: cross-encoder", "reranker=cross-encoder", "cross-encoder"),
    ("reranker: language model", "reranker=llm", "llm"),
    ("reranker: endpoint", "reranker=http", "http"),
)
# Unlike passages of the splitter, windows may share more than a third and outgrow the encoder.
_WINDOWS = (Window(128, 64), Window(256, 128), Window(512, 256))


def _search(name: str, text: str, needs: str) -> Switch:
    return Switch(Configuration(name, text), needs=needs)


def _says(default: RetrievalConfig, text: str) -> bool:
    """Tell whether the default already has these settings."""
    booleans = {"yes": "True", "no": "False"}
    pairs = (word.split("=") for word in text.split())
    return all(str(getattr(default, name)) == booleans.get(value, value) for name, value in pairs)


def _recipes(cut: Cut) -> list[tuple[Recipe, str]]:
    """Return the recipes that build the index otherwise than this site, and what each needs."""
    return [
        *((recipe, "") for recipe in (*_sizes(cut), *map(_windows, _WINDOWS))),
        (Recipe("vectors of 16 bits (halfvec)", storage="halfvec"), "vector"),
        (Recipe("vectors of 32 bits (vector)", storage="vector"), "halfvec"),
        (Recipe("without context line", (), with_context=False), ""),
    ]


def _windows(window: Window) -> Recipe:
    name = f"windows of {window.tokens} tokens, stride {window.stride}"
    return Recipe(name, window=window)


def _sizes(cut: Cut) -> list[Recipe]:
    """Return recipes with other passage sizes and overlaps than this site's.

    Sizes are relative to what the encoder can read; the setting may be larger. The splitter lets
    two passages share at most a third.
    """
    half = max(100, cut.tokens // 2)
    shared = half * cut.overlap_tokens // cut.tokens
    wanted = [
        (f"passages of {half} tokens", half, shared),
        ("passages without overlap", cut.tokens, 0),
        ("passages that overlap by a third", cut.tokens, cut.tokens // 3),
    ]
    return [
        Recipe(name, (("MEDRAG_CHUNKS", f"tokens={tokens} overlap={overlap}"),))
        for name, tokens, overlap in wanted
        if (tokens, overlap) != (cut.tokens, cut.overlap_tokens)
    ]
