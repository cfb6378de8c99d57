"""The switches of an ablation: each is the default with one thing changed. Pure.

What is decided when an index is built has an index of its own. Switches that need a language model,
a reranker or summaries are left out where none is configured; the table says which were.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from evaluation.configurations import Configuration, Recipe
from retrieval.config import RetrievalConfig

AS_SET = Recipe()


@dataclass(frozen=True)
class Switch:
    """A configuration on an index. `needs` names what must be configured for it."""

    configuration: Configuration
    recipe: Recipe = AS_SET
    needs: str = ""

    @property
    def name(self) -> str:
        return self.configuration.name


def switches(
    default: RetrievalConfig, available: Collection[str], *, chunk_tokens: int, overlap_tokens: int
) -> tuple[list[Switch], list[Switch]]:
    """What is measured against the default, in order, and what can't be here.

    A switch that would change nothing of the default is neither.
    """
    searches = [
        _search(name, text, needs) for name, text, needs in _SEARCHES if not _says(default, text)
    ]
    indexes = [
        Switch(Configuration(recipe.name, ""), recipe, needs)
        for recipe, needs in _recipes(chunk_tokens, overlap_tokens)
    ]
    every = [*searches, *indexes]
    return (
        [switch for switch in every if not switch.needs or switch.needs in available],
        [switch for switch in every if switch.needs and switch.needs not in available],
    )


# name, what differs from the default, what it needs
_SEARCHES = (
    ("lexical alone (exact BM25)", "dense=no lexical=bm25", ""),
    ("lexical alone, idf * ts_rank", "dense=no lexical=idf_ts_rank", ""),
    ("lexical alone, ts_rank", "dense=no lexical=ts_rank", ""),
    ("dense alone", "lexical=none", ""),
    ("lexical side: idf * ts_rank", "lexical=idf_ts_rank", ""),
    ("lexical side: ts_rank", "lexical=ts_rank", ""),
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
    ("twins not collapsed", "collapse_twins=no", ""),
    ("with neighbours as candidates", "neighbours=yes", ""),
    ("with summaries", "summaries=yes", "summaries"),
    ("multi-query, 3 wordings by the model", "multi_query=3", "rewrite"),
    ("HyDE", "hyde=yes", "rewrite"),
    ("without reranker", "reranker=none", ""),
    ("reranker: cross-encoder", "reranker=cross-encoder", "cross-encoder"),
    ("reranker: language model", "reranker=llm", "llm"),
    ("reranker: endpoint", "reranker=http", "http"),
)


def _search(name: str, text: str, needs: str) -> Switch:
    return Switch(Configuration(name, text), needs=needs)


def _says(default: RetrievalConfig, text: str) -> bool:
    """Whether the default is so already."""
    booleans = {"yes": "True", "no": "False"}
    pairs = (word.split("=") for word in text.split())
    return all(str(getattr(default, name)) == booleans.get(value, value) for name, value in pairs)


def _recipes(chunk_tokens: int, overlap_tokens: int) -> list[tuple[Recipe, str]]:
    """Sizes are of what the encoder can read; the setting may be larger."""

    def sized(name: str, tokens: int, overlap: int) -> Recipe:
        return Recipe(
            name,
            (
                ("MEDRAG_CHUNK_TOKENS", str(tokens)),
                ("MEDRAG_CHUNK_OVERLAP_TOKENS", str(overlap)),
            ),
        )

    half = max(100, chunk_tokens // 2)
    return [
        (sized(f"passages of {half} tokens", half, half * overlap_tokens // chunk_tokens), ""),
        (sized("passages without overlap", chunk_tokens, 0), ""),
        (sized("passages that overlap by half", chunk_tokens, chunk_tokens // 2), ""),
        (Recipe("windows of characters", (("MEDRAG_CHUNK_STRATEGY", "characters"),)), ""),
        (Recipe("vectors of 16 bits (halfvec)", storage="halfvec"), "vector"),
        (Recipe("without context line", (), with_context=False), ""),
    ]
