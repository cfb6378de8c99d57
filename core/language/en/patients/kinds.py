"""Tell conditions apart that exclude each other: cystitis and pyelonephritis. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

_URINARY = r"(?:urinary(?: tract)? infections?|UTIs?)"
_KINDS = {
    (
        "urinary",
        "lower",
    ): rf"(?<!interstitial )(?<!hagic )cystitis|lower {_URINARY}|bladder infections?",
    ("urinary", "upper"): rf"pyelonephritis|upper {_URINARY}|kidney infections?",
}
_NAMED = {
    kind: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for kind, pattern in _KINDS.items()
}
# `Hypokalaemia`, `hyperkalemic`; not `hypothermia`, whose opposite is a fever.
_RAISED = re.compile(
    r"\b(hypo|hyper)(glyc|kal|natr|calc|magnes|phosphat|tens|thyroid)[a-z]*", re.IGNORECASE
)


def kinds(text: str) -> dict[str, frozenset[str]]:
    """Return the kinds of conditions that a text names, by what they are kinds of."""
    found: dict[str, set[str]] = defaultdict(set)
    for (family, kind), pattern in _NAMED.items():
        if pattern.search(text):
            found[family].add(kind)
    for kind, family in _RAISED.findall(text):
        found[family.lower()].add(kind.lower())
    return {family: frozenset(named) for family, named in found.items()}


def is_of_other_kind(question: str, texts: Iterable[str]) -> bool:
    """Tell whether the first text that names a kind of an asked condition names only another."""
    asked, named = kinds(question), [kinds(text) for text in texts]
    return any(
        wanted.isdisjoint(next((each[family] for each in named if family in each), wanted))
        for family, wanted in asked.items()
    )
