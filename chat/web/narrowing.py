"""What a question's search was narrowed to, in words, from the turn's stored trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chat.models import Turn
from corpus.models import SourceType

_LISTS = ("populations", "specialties", "issuers", "languages")


def narrowed_to(turn: Turn) -> str:
    """Such as `adult, Cardiology, from 2020`; empty where the search was not narrowed. No query."""
    searches = turn.trace.get("searches") or [{}]  # of turns that were stored before 0.4
    asked = turn.trace.get("asked") or searches[0]
    return ", ".join(_words(asked.get("filters") or {}))


def _words(filters: Mapping[str, Any]) -> list[str]:
    found = [str(word) for name in _LISTS for word in filters.get(name) or ()]
    labels = dict(SourceType.choices)
    found += [str(labels.get(kind, kind)) for kind in filters.get("source_types") or ()]
    years = (("from", filters.get("year_from")), ("up to", filters.get("year_to")))
    return [*found, *(f"{word} {year}" for word, year in years if year is not None)]
