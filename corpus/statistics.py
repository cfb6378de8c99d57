"""Document frequencies and totals over all indexed chunks: what BM25 knows of rarity.

Both calls belong into the transaction that makes a document indexed or not. The row of totals is
locked first and lexemes are written in order, so that two of them wait and never deadlock.
"""

from __future__ import annotations

from django.db import connection

_TOTALS = """
UPDATE corpus_indexstatistics s SET
    chunks = s.chunks + %(sign)s * d.chunks,
    total_length = s.total_length + %(sign)s * d.total_length
FROM (SELECT count(*) AS chunks, coalesce(sum(length), 0) AS total_length
      FROM corpus_chunk WHERE document_id = %(document)s) AS d
WHERE s.id = 1
"""
_COUNTED = """
WITH counted AS (
    SELECT v.lexeme, count(*) AS n
    FROM corpus_chunk c CROSS JOIN LATERAL unnest(c.search_vector) AS v(lexeme, positions, weights)
    WHERE c.document_id = %(document)s GROUP BY v.lexeme
)
"""
_ADD = f"""{_COUNTED}
INSERT INTO corpus_lexeme AS l (lexeme, document_frequency)
SELECT lexeme, n FROM counted ORDER BY lexeme
ON CONFLICT (lexeme) DO UPDATE
SET document_frequency = l.document_frequency + excluded.document_frequency
"""  # noqa: S608
_SUBTRACT = f"""{_COUNTED}
UPDATE corpus_lexeme l SET document_frequency = l.document_frequency - counted.n
FROM counted WHERE l.lexeme = counted.lexeme
"""  # noqa: S608
_INDEXED = """
FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id
WHERE d.indexed_at IS NOT NULL
"""
_RECOUNT_LEXEMES = f"""
INSERT INTO corpus_lexeme (lexeme, document_frequency)
SELECT word, ndoc FROM ts_stat('SELECT c.search_vector {_INDEXED}') ORDER BY word
"""  # noqa: S608
_RECOUNT_TOTALS = f"""
UPDATE corpus_indexstatistics s SET chunks = n.chunks, total_length = n.total_length
FROM (SELECT count(*) AS chunks, coalesce(sum(c.length), 0) AS total_length {_INDEXED}) AS n
WHERE s.id = 1
"""  # noqa: S608


def add(document_id: int) -> None:
    """Count the document's chunks in. Two statements."""
    _execute(document_id, 1, _ADD)


def subtract(document_id: int) -> None:
    """Take the document's chunks out again, before they are deleted. Two statements."""
    _execute(document_id, -1, _SUBTRACT)


def recount() -> None:
    """Count all indexed chunks anew, in a database that nobody else writes to. Three statements."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM corpus_lexeme")
        for statement in (_RECOUNT_LEXEMES, _RECOUNT_TOTALS):
            cursor.execute(statement)


def _execute(document_id: int, sign: int, lexemes: str) -> None:
    parameters = {"document": document_id, "sign": sign}
    with connection.cursor() as cursor:
        cursor.execute(_TOTALS, parameters)
        cursor.execute(lexemes, parameters)
