"""Find the tables that a statement sends its reader to. Pure."""

from __future__ import annotations

import re

# `By the first suitable line of Table 1`, `dose by weight, Table 1`.
_REFERS = re.compile(
    r"\b(?:by|from|per|with|using|according to|as in|given in|shown in)\b[^.;:|()]{0,40}"
    r"\b(?P<name>Table\s+\d+)\b",
    re.IGNORECASE,
)
_ONLY_IF = re.compile(r"\b(?:if|unless|when|where|except)\b", re.IGNORECASE)
_ENDS = re.compile(r"[.;|]")


def tables_referred(text: str) -> list[str]:
    """Return the tables that a text refers to for everybody: no `if below 30, by Table 2`."""
    return [
        " ".join(match["name"].split())
        for match in _REFERS.finditer(text)
        if not _ONLY_IF.search(_ENDS.split(text[: match.end()])[-1])
    ]
