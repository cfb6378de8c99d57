"""Find the other documents in scope that hold the same passage as a result."""

from __future__ import annotations

from collections.abc import Sequence

from core.replica import connection
from retrieval.scope import group_sql, scope_sql
from retrieval.types import AlsoIn, Query, Ranked

_SQL = """
SELECT DISTINCT ON (d.effective_from, d.id, twins)
       {group} AS twins, c.key, d.id, d.title, d.version, c.page, c.position
FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
WHERE c.twins = ANY(%(labels)s) AND {scope}
ORDER BY d.effective_from DESC NULLS LAST, d.id, twins, c.key
"""


def documents_with_same_passage(query: Query, entries: Sequence[Ranked]) -> dict[str, list[AlsoIn]]:
    """Return, by group, every document in scope that holds the passage, latest in force first.

    Includes the documents of `entries` themselves. Runs one query, or none.
    """
    labels = [entry.group.split(" ")[0] for entry in entries if entry.group != entry.key]
    if not labels:
        return {}
    scope, parameters = scope_sql(query)
    statement = _SQL.replace("{scope}", scope).replace("{group}", group_sql(collapse_twins=True))
    others: dict[str, list[AlsoIn]] = {}
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters | {"labels": sorted(set(labels))})
        for group, *place in cursor.fetchall():
            others.setdefault(group, []).append(AlsoIn(*place))
    return others
