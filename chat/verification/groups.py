"""A claim about people whom its evidence excludes fails. Pure."""

from __future__ import annotations

from chat.verification.types import Evidence, Finding, Label
from core.text.populations import apart, first_named, people_of

NAME = "groups"


def check(claim: str, evidence: Evidence) -> Finding | None:
    """Tell whether the claim's people can't be the evidence's, by its nearest word on each."""
    said = people_of(claim)
    about = first_named([people_of(evidence.text), people_of(evidence.context)])
    if found := apart(said, about):
        of = f"{found.of} " if found.of else ""
        told = f"about {of}{found.ours}; the evidence: {of}{found.theirs}"
        return Finding(NAME, Label.CONTRADICTED, told)
    return None
