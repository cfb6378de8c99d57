"""Check numbers, routes, groups of people and qualifiers of a claim against its evidence. Pure.

Numbers may be in any spelling: `BD` and `twice daily`, `one week` and `7 days`, `0.5 g` and `500
mg`, `above 13` and `> 13`. A number of the evidence that the claim leaves out is no fault here.
"""

from __future__ import annotations

import re

from chat.verification.texts import tokens
from chat.verification.types import Evidence, Finding, Label
from core.text.clinical_terms import conditions, routes
from core.text.populations import apart, first_named, people_of
from core.text.quantities.matching import held, not_held
from core.text.quantities.reading import read

NUMBERS = "numbers"
_AGE = re.compile(r"\b(\d{1,3})\s?(?:[MFmf]|yo|y/o)\b")  # `78M`, as clinicians type an age
MAX_NUMBERS = 100  # of a claim: each is compared with each number of the evidence


def check_numbers(claim: str, evidence: Evidence) -> Finding | None:
    said = read(claim)
    if len(said.quantities) + len(said.frequencies) > MAX_NUMBERS:
        return Finding(NUMBERS, Label.NOT_FOUND, "too many numbers for one claim")
    asked = _AGE.sub(r"\1 years", evidence.question)
    why = not_held(claim, held((*evidence.quotes, evidence.context)), held((asked,)))
    return Finding(NUMBERS, Label.CONTRADICTED, why) if why else None


def check_routes(claim: str, evidence: Evidence) -> Finding | None:
    told = frozenset[str]().union(*map(routes, evidence.parts))
    if added := routes(claim) - told:
        label = Label.CONTRADICTED if told else Label.NOT_FOUND
        return Finding("routes", label, f"route not in the evidence: {min(added)}")
    return None


def check_groups(claim: str, evidence: Evidence) -> Finding | None:
    """Report a claim about people who can't be the people of the evidence.

    Of the evidence, the first text that names people counts: the quotes, else the context.
    """
    said = people_of(claim)
    about = first_named([people_of(evidence.text), people_of(evidence.context)])
    if found := apart(said, about):
        of = f"{found.of} " if found.of else ""
        told = f"about {of}{found.ours}; the evidence: {of}{found.theirs}"
        return Finding("groups", Label.CONTRADICTED, told)
    return None


def check_qualifiers(claim: str, evidence: Evidence) -> Finding | None:
    """Report a condition of the claim that the quotes only name with a qualifier, such as `severe`.

    `Give X to adults with pneumonia` differs by one word from `Give X to adults with severe
    pneumonia`, and a small model takes it for supported. A qualifier counts as known if its words
    are anywhere in the claim or the question.
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
            return Finding(
                "qualifiers", Label.NOT_FOUND, f"the evidence says it of {name} that is {said}"
            )
    return None
