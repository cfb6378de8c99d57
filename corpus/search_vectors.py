"""The search vector of a passage: its lexemes, and marks for those that it holds often.

A mark such as `diabet~6` says that the lexeme stands in it six times or more. It has no position,
so that it neither counts as length nor in a score; the search uses it to come by the best passages
of a frequent word without reading all that hold it. The parser makes no lexeme with a `~`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

from corpus.models import Chunk, Document
from corpus.search_text import indexed_text

OFTEN = (3, 6, 12)  # occurrences

# The least numbers of occurrences that are marked, as CUT takes them.
MARKED: dict[str, Any] = {"often": list(OFTEN), "least": OFTEN[0]}
# To stand behind rows `w (configuration, words)`, with MARKED among the parameters: the search
# vector is `t.vector || array_to_tsvector(u.marks)` and the length `u.length`.
CUT = """
CROSS JOIN LATERAL (
    SELECT to_tsvector(w.configuration::regconfig, w.words) AS vector OFFSET 0) AS t
CROSS JOIN LATERAL (
    SELECT coalesce(sum(cardinality(v.positions)) FILTER (WHERE o.often = %(least)s), 0)
               AS length,
           coalesce(array_agg(v.lexeme || '~' || o.often)
               FILTER (WHERE cardinality(v.positions) >= o.often), '{}') AS marks
    FROM unnest(t.vector) AS v(lexeme, positions, weights)
         CROSS JOIN unnest(%(often)s::int[]) AS o(often)) AS u
"""
_WRITE = f"""
UPDATE corpus_chunk c
SET search_vector = t.vector || array_to_tsvector(u.marks), length = u.length
FROM unnest(%(ids)s::bigint[], %(configurations)s::text[], %(texts)s::text[])
         AS w(id, configuration, words)
{CUT}
WHERE c.id = w.id AND c.search_vector IS NULL
"""  # noqa: S608


def write(chunks: Sequence[Chunk]) -> None:
    """Cut passages that have no search vector yet, each as its document says. Two queries.

    Sets their length too. The same text in the same configuration gives the same vector.
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
