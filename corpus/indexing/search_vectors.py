"""Make the search vector of a passage: its lexemes, and marks for those that weigh much.

A mark such as `diabet~75` says that BM25 gives the lexeme at least 75 % of its maximum here: it is
frequent in the passage, or the passage is short. Marks have no position and so affect neither
length nor score; the search uses them to find the best passages for frequent words without reading
every passage that has one. The parser never makes a lexeme with a `~`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

from corpus.indexing.search_text import STRONG, indexed_text
from corpus.models import Chunk, Document

_K1, _B, _AVERAGE_LENGTH = 1.2, 0.75, 100

# As CUT takes them.
MARKED: dict[str, Any] = {
    "strong": list(STRONG),
    "absolute": _K1 * (1 - _B),
    "relative": _K1 * _B / _AVERAGE_LENGTH,
}
# To stand behind rows `w (configuration, words)`, with MARKED among the parameters: the search
# vector is `t.vector || array_to_tsvector(u.marks)` and the length `n.length`.
CUT = """
CROSS JOIN LATERAL (
    SELECT to_tsvector(w.configuration::regconfig, w.words) AS vector OFFSET 0) AS t
CROSS JOIN LATERAL (
    SELECT coalesce(sum(cardinality(v.positions)), 0) AS length
    FROM unnest(t.vector) AS v(lexeme, positions, weights) OFFSET 0) AS n
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(v.lexeme || '~' || s.strong), '{}') AS marks
    FROM unnest(t.vector) AS v(lexeme, positions, weights)
         JOIN unnest(%(strong)s::int[]) AS s(strong)
         ON 100 * cardinality(v.positions) >= s.strong * (
            cardinality(v.positions) + %(absolute)s::float8 + %(relative)s::float8 * n.length)
) AS u
"""
_WRITE = f"""
UPDATE corpus_chunk c
SET search_vector = t.vector || array_to_tsvector(u.marks), length = n.length
FROM unnest(%(ids)s::bigint[], %(configurations)s::text[], %(texts)s::text[])
         AS w(id, configuration, words)
{CUT}
WHERE c.id = w.id AND c.search_vector IS NULL
"""  # noqa: S608


def write(chunks: Sequence[Chunk]) -> None:
    """Make missing search vectors and lengths, by each document's configuration. Two queries.

    The same text in the same configuration gives the same vector.
    """
    documents = {chunk.document_id for chunk in chunks}
    rows = Document.objects.filter(pk__in=documents).values_list("pk", "search_configuration")
    by_document = dict(rows)
    configurations = [by_document[chunk.document_id] for chunk in chunks]
    texts = [
        indexed_text(chunk.context, chunk.text, configuration)
        for chunk, configuration in zip(chunks, configurations, strict=True)
    ]
    parameters: dict[str, Any] = {
        "ids": [chunk.pk for chunk in chunks],
        "configurations": configurations,
        "texts": texts,
        **MARKED,
    }
    with connection.cursor() as cursor:
        cursor.execute(_WRITE, parameters)
