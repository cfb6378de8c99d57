"""Which documents a search may see, as SQL. A condition of each search, never a filter after it."""

from __future__ import annotations

from typing import Any

from corpus.models import Lifecycle
from retrieval.types import Query, Scope

# `d` is corpus_document; indexed_at keeps out what is only half indexed.
_IN_FORCE = """d.indexed_at IS NOT NULL AND d.lifecycle = %(published)s
    AND (d.effective_from IS NULL OR d.effective_from <= %(on)s)"""
_OUT_OF_DATE = """d.indexed_at IS NOT NULL AND (d.lifecycle = ANY(%(ended)s)
    OR (d.lifecycle = %(published)s AND d.effective_from > %(on)s))"""
_COLLECTIONS = """ AND d.collection_id IN
    (SELECT id FROM corpus_collection WHERE slug = ANY(%(collections)s))"""


def scope_sql(query: Query) -> tuple[str, dict[str, Any]]:
    """The condition on `d` and its parameters."""
    condition = _IN_FORCE if query.scope is Scope.IN_FORCE else _OUT_OF_DATE
    parameters: dict[str, Any] = {
        "published": Lifecycle.PUBLISHED.value,
        "ended": [Lifecycle.SUPERSEDED.value, Lifecycle.WITHDRAWN.value],
        "on": query.on,
    }
    if query.collections:
        condition += _COLLECTIONS
        parameters["collections"] = list(query.collections)
    return condition, parameters
