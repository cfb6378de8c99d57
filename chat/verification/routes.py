"""Each way of giving that a claim names is named in its evidence. Pure."""

from __future__ import annotations

from chat.verification.types import Evidence, Finding, Label
from core.text.routes import routes

NAME = "routes"


def check(claim: str, evidence: Evidence) -> Finding | None:
    held = frozenset[str]().union(*map(routes, evidence.parts))
    if added := routes(claim) - held:
        label = Label.CONTRADICTED if held else Label.NOT_FOUND
        return Finding(NAME, label, f"route not in the evidence: {min(added)}")
    return None
