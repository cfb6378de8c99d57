"""A claim about more than the patients of its evidence fails. Pure.

`Give X to adults with pneumonia`, of `Give X to adults with severe pneumonia`, is so near to the
page's own sentence that a small model takes it for that.
"""

from __future__ import annotations

from chat.verification.texts import tokens
from chat.verification.types import Evidence, Finding, Label
from core.text.conditions import conditions

NAME = "qualifiers"


def check(claim: str, evidence: Evidence) -> Finding | None:
    """Return whether the quotes name a condition of the claim only as one that is severe, acute ...

    What the claim or the question says of it anywhere counts.
    """
    known = {*tokens(claim), *tokens(evidence.question)}
    limits: dict[str, list[frozenset[str]]] = {}
    for quote in evidence.quotes:
        for name, limit in conditions(quote):
            limits.setdefault(name, []).append(limit)
    for name, _ in conditions(claim):
        found = limits.get(name, [])
        if found and not any(known.issuperset(tokens(" ".join(limit))) for limit in found):
            said = " or ".join(sorted({" ".join(sorted(limit)) for limit in found}))
            return Finding(NAME, Label.NOT_FOUND, f"the evidence says it of {name} that is {said}")
    return None
