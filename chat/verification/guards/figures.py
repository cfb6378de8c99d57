"""Each number of a claim stands in its quotes, with the same unit."""

from __future__ import annotations

import re

from chat.verification.texts import normalised
from chat.verification.types import Cited, Finding, Label

NAME = "figures"
_FIGURE = re.compile(r"(?<!\d)(?<!\d[.,])(\.?\d+(?:[.,]\d+)*)\s*-?([^\W\d_]+(?:/[^\W\d_]+)*|%)?")


def check(claim: str, cited: Cited) -> Finding | None:
    said = figures(claim)
    quoted = set[tuple[str, str]]().union(*map(figures, cited.quotes))
    if not {number for number, _ in said} <= {number for number, _ in quoted}:
        return Finding(NAME, Label.CONTRADICTED, "number not in the quote")
    if not said <= quoted:
        return Finding(NAME, Label.CONTRADICTED, "unit not in the quote")
    return None


def figures(text: str) -> set[tuple[str, str]]:
    """Each number with the word or sign that follows it, which is its unit where it has one."""
    return {(number, unit.lower()) for number, unit in _FIGURE.findall(normalised(text))}
