"""Express in SQL which passages a search may see: part of each search, never a later filter."""

from __future__ import annotations

from typing import Any

from corpus.models import Lifecycle
from retrieval.types import Filters, Query, Rights, Scope

# `c` is corpus_chunk and `d` its document; indexed_at keeps out what is only half indexed.
_ENABLED = "c.disabled_at IS NULL AND "
# In the text, so that a plan for all values knows how many documents are so.
_PUBLISHED = f"d.lifecycle = '{Lifecycle.PUBLISHED.value}'"
_ENDED = f"d.lifecycle IN ('{Lifecycle.SUPERSEDED.value}', '{Lifecycle.WITHDRAWN.value}')"
# On documents `d`; its parameter is `on`, a day.
IN_FORCE = f"""d.indexed_at IS NOT NULL AND {_PUBLISHED}
    AND (d.effective_from IS NULL OR d.effective_from <= %(on)s)"""
_OUT_OF_DATE = f"""d.indexed_at IS NOT NULL AND ({_ENDED}
    OR ({_PUBLISHED} AND d.effective_from > %(on)s))"""
_COLLECTIONS = """ AND d.collection_id IN
    (SELECT id FROM corpus_collection WHERE slug = ANY(%(collections)s))"""

# The rule of `corpus.access.collections_searchable`. An array, so that it is computed once and
# leaves the plan of the search as it is. Its parameter is `reader`.
SEARCHABLE = """d.collection_id = ANY(ARRAY(
    SELECT k.id FROM corpus_collection k
    WHERE (%(reader)s::bigint IS NULL
           OR EXISTS (SELECT FROM auth_user u WHERE u.id = %(reader)s AND u.is_active))
      AND (
        NOT EXISTS (SELECT FROM corpus_collection_searchers s WHERE s.collection_id = k.id)
        OR EXISTS (SELECT FROM auth_user u WHERE u.id = %(reader)s AND u.is_superuser)
        OR EXISTS (SELECT FROM corpus_collection_searchers s
                   JOIN auth_user_groups g ON g.group_id = s.group_id
                   WHERE s.collection_id = k.id AND g.user_id = %(reader)s))))"""
_RIGHTS = {
    Rights.READER: f" AND {SEARCHABLE}",
    Rights.HIDDEN: f" AND NOT ({SEARCHABLE})",
    Rights.ALL: "",
}

# A document without the field is left out: what a reader narrows to is what comes back.
_WORDS = {  # column, and attribute of Filters
    "d.specialty": "specialties",
    "d.population": "populations",
    "d.issuer": "issuers",
    "d.journal": "journals",
    "d.language": "languages",
    "d.source_type": "source_types",
}
# By the same rule as the column: Python has small letters that this database's collation has not.
# An array, as above.
_LOWERED = "ARRAY(SELECT lower(word) FROM unnest(%({name})s::text[]) AS asked(word))"

# What is searched once: passages that say the same to the same people, or else each by itself.
_TWINS = "coalesce(nullif(c.twins, '') || ' ' || lower(d.population), c.key)"


def group_sql(*, collapse_twins: bool) -> str:
    """Return an SQL expression on `c` and `d` that is equal for passages treated as one."""
    return _TWINS if collapse_twins else "c.key"


def scope_sql(query: Query) -> tuple[str, dict[str, Any]]:
    """Return the condition on `c` and `d`, and its parameters."""
    condition = _ENABLED + (IN_FORCE if query.scope is Scope.IN_FORCE else _OUT_OF_DATE)
    parameters: dict[str, Any] = {
        "on": query.on,
        "reader": query.reader,
    }
    condition += _RIGHTS[query.rights]
    if query.collections:
        condition += _COLLECTIONS
        parameters["collections"] = list(query.collections)
    if query.documents:
        condition += " AND d.sha256 = ANY(%(documents)s::text[])"
        parameters["documents"] = list(query.documents)
    return condition + _filters(query.filters, parameters), parameters


def _filters(filters: Filters, parameters: dict[str, Any]) -> str:
    """Return the conditions of `filters` and add their values to `parameters`."""
    conditions: list[str] = []
    for column, name in _WORDS.items():
        if wanted := getattr(filters, name):
            conditions.append(f" AND lower({column}) = ANY({_LOWERED.format(name=name)})")
            parameters[name] = list(wanted)
    for name, comparison in (("year_from", ">="), ("year_to", "<=")):
        if (year := getattr(filters, name)) is not None:
            conditions.append(f" AND d.year {comparison} %({name})s")
            parameters[name] = year
    return "".join(conditions)
