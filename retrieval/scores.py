"""The lexical score of any passage, also of one that only the dense side found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

from retrieval.config import RetrievalConfig
from retrieval.lexical import AskedLexeme, searched_names

# As in the second stage of `retrieval.lexical`: exact BM25 over all lexemes.
_BM25_SQL = """
WITH total AS (
    SELECT greatest(chunks, 1)::float8 AS n,
           greatest(total_length, 1)::float8 / greatest(chunks, 1) AS average_length
    FROM corpus_indexstatistics WHERE id = 1
), asked AS (
    SELECT l.lexeme,
           ln(1 + greatest(t.n - l.document_frequency + 0.5, 0.5) / (l.document_frequency + 0.5))
               AS idf
    FROM corpus_lexeme l, total t
    WHERE l.lexeme = ANY(%(lexemes)s) AND l.document_frequency > 0
)
SELECT c.id, sum(a.idf * cardinality(v.positions) * (%(k1)s + 1)
           / (cardinality(v.positions)
              + %(k1)s * (1 - %(b)s + %(b)s * c.length / t.average_length)))
FROM corpus_chunk c
     CROSS JOIN LATERAL unnest(c.search_vector) AS v(lexeme, positions, weights)
     JOIN asked a ON a.lexeme = v.lexeme
     CROSS JOIN total t
WHERE c.id = ANY(%(ids)s)
GROUP BY c.id
"""


def bm25_of(
    chunk_ids: Sequence[int], lexemes: Sequence[AskedLexeme], config: RetrievalConfig
) -> dict[int, float]:
    """Exact BM25 by chunk, > 0; one that holds none of the lexemes is left out. One query."""
    if not chunk_ids or not lexemes:
        return {}
    parameters: dict[str, Any] = {
        "lexemes": searched_names(lexemes),
        "ids": list(chunk_ids),
        "k1": config.k1,
        "b": config.b,
    }
    with connection.cursor() as cursor:
        cursor.execute(_BM25_SQL, parameters)
        return {chunk_id: float(score) for chunk_id, score in cursor.fetchall()}
