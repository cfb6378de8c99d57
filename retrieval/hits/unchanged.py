"""Tell whether passages that a replica returned are still found so on the primary."""

from __future__ import annotations

from django.db import connection

from retrieval.scope import scope_sql
from retrieval.types import Evidence

_IN_SCOPE = """
SELECT c.key, c.text FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
WHERE c.key = ANY(%(keys)s) AND {scope}
"""


def are_unchanged(evidence: Evidence) -> bool:
    """Tell whether the reader may still see every passage, with the same text. Runs one query.

    False after a withdrawal, a correction, or the loss of a right that a replica lacks so far.
    """
    found = {hit.key: hit.text for hit in evidence.hits}
    keys = {*found, *(other.key for hit in evidence.hits for other in hit.also_in)}
    if not keys:
        return True
    scope, parameters = scope_sql(evidence.query)
    with connection.cursor() as cursor:
        cursor.execute(_IN_SCOPE.replace("{scope}", scope), parameters | {"keys": list(keys)})
        now = dict(cursor.fetchall())
    return keys == now.keys() and all(now[key] == text for key, text in found.items())
