"""Which output of a model means what, read from its own names. Pure.

Models of natural language inference put their labels in every order there is; the wrong one would
turn each verdict round.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_ENTAILS = frozenset("entailment entails entailed entail supported supports support".split())
_CONTRADICTS = frozenset(
    "contradiction contradicts contradicted contradict refuted refutes refute".split()
)
_NEITHER = frozenset(
    "neutral notenoughinfo nei notfound notentailment notentailed nonentailment unsupported "
    "notsupported".split()
)


class UnknownLabels(ValueError):
    """The names of the outputs don't say which of them means that a text follows."""


@dataclass(frozen=True)
class Outputs:
    """Places of a model's outputs: 0-based; no `contradicts` in one that only knows the rest."""

    entails: int
    contradicts: int | None


def outputs_of(config: Mapping[str, Any]) -> Outputs:
    """Return those of a `config.json` by its `id2label`, each known. Raises UnknownLabels."""
    named = config.get("id2label")
    if not isinstance(named, dict) or len(named) not in (2, 3):
        raise UnknownLabels("it must have two or three labels, which its id2label names")
    places: dict[str, int] = {}
    for place, label in named.items():
        role = _role(str(label))
        if not str(place).isdecimal() or int(place) >= len(named) or role in places:
            raise UnknownLabels(f"its id2label is ambiguous at {label!r}")
        places[role] = int(place)
    if "entails" not in places or len(set(places.values())) != len(named):
        raise UnknownLabels("its id2label names no label for what follows from a text")
    return Outputs(places["entails"], places.get("contradicts"))


def _role(label: str) -> str:
    word = re.sub(r"[^a-z]", "", label.lower())
    for role, words in (
        ("entails", _ENTAILS), ("contradicts", _CONTRADICTS), ("neither", _NEITHER)
    ):  # fmt: skip
        if word in words:
            return role
    raise UnknownLabels(
        f"its id2label has {label!r}, which is none of entailment, contradiction and neutral"
    )
