"""Switches of an ablation: each is the default with one thing changed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.runs.configurations import Configuration, Recipe, Window
from core.errors import MedragError
from retrieval.config import RetrievalConfig

AS_SET = Recipe()


class UnknownRow(MedragError):
    """A part of a name that no row of the ablation contains."""


@dataclass(frozen=True)
class Switch:
    """A configuration and its index."""

    configuration: Configuration
    recipe: Recipe = AS_SET

    @property
    def name(self) -> str:
        return self.configuration.name


DEFAULT = Switch(Configuration("default", ""))
# name, what differs from the default
_SEARCHES = (
    ("lexical alone (exact BM25)", "dense=no lexical=bm25"),
    ("dense alone", "lexical=none"),
    ("fusion: convex, alpha = 0.8", "fusion=convex alpha=0.8"),
    ("fusion: convex, alpha = 0.5", "fusion=convex alpha=0.5"),
    ("fusion: sum of scores", "fusion=sum"),
    ("fusion: RRF, k = 60", "fusion=rrf rrf_k=60"),
    ("fusion: RRF, k = 10", "fusion=rrf rrf_k=10"),
    ("without expansions", "expand=no"),
    ("without rules", "rules=no"),
    ("without condensing", "condense_above=0"),
    ("BM25 with k1 = 0.9, b = 0.4", "k1=0.9 b=0.4"),
    ("BM25 with k1 = 1.2, b = 0.75", "k1=1.2 b=0.75"),
    ("concept overlap, weight 0.1", "concept_weight=0.1"),
    ("concept overlap, weight 0.3", "concept_weight=0.3"),
    ("twins not collapsed", "collapse_twins=no"),
)
# Unlike passages of the splitter, windows may share more than a third and outgrow the encoder.
_WINDOWS = (Window(128, 64), Window(256, 128), Window(512, 256))


def switches(default: RetrievalConfig) -> list[Switch]:
    """Return the switches to compare with the default, in order.

    One that would change nothing of it is left out.
    """
    searches = [Switch(Configuration(*row)) for row in _SEARCHES if not _says(default, row[1])]
    recipes = [
        Recipe(f"windows of {window.tokens} tokens, stride {window.stride}", window)
        for window in _WINDOWS
    ]
    return [*searches, *(Switch(Configuration(one.name, ""), one) for one in recipes)]


def chosen(every: Sequence[Switch], parts: Sequence[str]) -> list[Switch]:
    """Return the switches with one of the parts in their name or index; all if there are no parts.

    Case is ignored. Raises UnknownRow for a part that no switch contains.
    """
    for part in parts:
        if not any(_has(switch, part) for switch in every):
            names = "; ".join(switch.name for switch in every)
            raise UnknownRow(
                f"--only: no row has {part!r} in its name or in that of its index.",
                hint=f"The rows are: {names}.",
            )
    return [switch for switch in every if not parts or any(_has(switch, part) for part in parts)]


def _has(switch: Switch, part: str) -> bool:
    return any(part.lower() in name.lower() for name in (switch.name, switch.recipe.name))


def _says(default: RetrievalConfig, text: str) -> bool:
    """Tell whether the default already has these settings."""
    booleans = {"yes": "True", "no": "False"}
    pairs = (word.split("=") for word in text.split())
    return all(str(getattr(default, name)) == booleans.get(value, value) for name, value in pairs)
