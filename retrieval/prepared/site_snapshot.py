"""Read the site's state that a question depends on, in one statement.

It may change at any moment, in another process too, so it is read for each question; large parts
stay in memory under the version that was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import Subquery

from corpus.encoders.registry import ActiveEncoder, active_encoders, searched_query
from corpus.models import Encoder
from retrieval.lexicon.terms import Lexicon
from retrieval.prepared.site_lexicon import lexicon_at, version_query


@dataclass(frozen=True)
class SiteSnapshot:
    """The site's state when the question came."""

    encoders: tuple[ActiveEncoder, ...]  # the primary one first
    lexicon: Lexicon


def read_site_snapshot(encoders: Sequence[str] = ()) -> SiteSnapshot:
    """Return the searched or the named encoders, and the lexicon.

    Runs one query, two after the lexicon has changed. Raises as `active_encoders` does.
    """
    rows: list[Any] = list(Encoder.objects.raw(*_statement()))
    searched = active_encoders(encoders, rows=rows)
    return SiteSnapshot(searched, lexicon_at(rows[0].lexicon_version))


@cache
def _statement() -> tuple[str, tuple[Any, ...]]:
    """Return the statement, compiled once: compiling takes longer than running it."""
    query = searched_query().annotate(lexicon_version=Subquery(version_query()[:1])).query
    sql, parameters = query.sql_with_params()
    return sql, tuple(parameters)
