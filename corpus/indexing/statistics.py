"""Keep the document frequencies and totals over all indexed chunks that BM25 needs.

Call `add` and `subtract` in the transaction that changes whether a document is indexed. The row of
totals is locked first and lexemes are written in order, so that concurrent calls wait and never
deadlock. All languages share one table: a lexeme of several languages, such as a drug's name, is as
rare as in the whole index, and scores are comparable across languages.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

_TOTALS = """
UPDATE corpus_indexstatistics s SET
    chunks = s.chunks + %(sign)s * n.chunks,
    total_length = s.total_length + %(sign)s * n.total_length,
    configurations = (s.configurations - d.search_configuration) || CASE
        WHEN coalesce((s.configurations ->> d.search_configuration)::bigint, 0)
             + %(sign)s * n.chunks = 0 THEN '{}'
        ELSE jsonb_build_object(d.search_configuration,
             coalesce((s.configurations ->> d.search_configuration)::bigint, 0)
             + %(sign)s * n.chunks) END
FROM corpus_document d
     CROSS JOIN LATERAL (
         SELECT count(*) AS chunks, coalesce(sum(length), 0) AS total_length
         FROM corpus_chunk WHERE document_id = d.id) AS n
WHERE s.id = 1 AND d.id = %(document)s
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
_LOCK = "SELECT FROM corpus_indexstatistics WHERE id = 1 FOR UPDATE"
_COUNT_LEXEMES = f"""
SELECT word AS lexeme, ndoc AS n FROM ts_stat('SELECT c.search_vector {_INDEXED}')
"""  # noqa: S608
_COUNT_TOTALS = f"""
SELECT coalesce(sum(n), 0) AS chunks, coalesce(sum(length), 0) AS total_length,
       coalesce(jsonb_object_agg(configuration, n) FILTER (WHERE n > 0), '{{}}') AS configurations
FROM (SELECT d.search_configuration AS configuration, count(*) AS n, sum(c.length) AS length
      {_INDEXED} GROUP BY d.search_configuration) AS by_configuration
"""  # noqa: S608
_RECOUNT_LEXEMES = f"""
INSERT INTO corpus_lexeme (lexeme, document_frequency)
SELECT lexeme, n FROM ({_COUNT_LEXEMES}) AS counted ORDER BY lexeme
"""  # noqa: S608
_RECOUNT_TOTALS = f"""
UPDATE corpus_indexstatistics s SET chunks = n.chunks, total_length = n.total_length,
       configurations = n.configurations
FROM ({_COUNT_TOTALS}) AS n WHERE s.id = 1
"""  # noqa: S608
_DRIFT = f"""
SELECT (SELECT count(*) FROM ({_COUNT_LEXEMES}) AS counted
        FULL JOIN corpus_lexeme l USING (lexeme)
        WHERE coalesce(l.document_frequency, 0) <> coalesce(counted.n, 0)),
       NOT EXISTS (SELECT FROM corpus_indexstatistics s, ({_COUNT_TOTALS}) AS n
                   WHERE s.id = 1 AND (s.chunks, s.total_length, s.configurations)
                                    = (n.chunks, n.total_length, n.configurations))
"""  # noqa: S608


@dataclass(frozen=True)
class Drift:
    """The difference between the statistics and a full count of the index."""

    lexemes: int  # whose document frequency is another
    totals: bool  # whether the number of chunks, their length or their languages are

    def __bool__(self) -> bool:
        return bool(self.lexemes) or self.totals


def add(document_id: int) -> None:
    """Count a document's chunks in. Runs two statements."""
    _execute(document_id, 1, _ADD)


def subtract(document_id: int) -> None:
    """Count a document's chunks out, before they are deleted. Runs two statements."""
    _execute(document_id, -1, _SUBTRACT)


def recount() -> None:
    """Count all indexed chunks from scratch, in a transaction; concurrent changes wait."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK)
        cursor.execute("DELETE FROM corpus_lexeme")
        for statement in (_RECOUNT_LEXEMES, _RECOUNT_TOTALS):
            cursor.execute(statement)


def drift() -> Drift:
    """Compare the statistics with a full count, in a transaction.

    Reads every search vector (10 s for 500 thousand); concurrent changes wait.
    """
    with connection.cursor() as cursor:
        cursor.execute(_LOCK)
        cursor.execute(_DRIFT)
        lexemes, totals = cursor.fetchone()
    return Drift(lexemes=lexemes, totals=totals)


def _execute(document_id: int, sign: int, lexemes: str) -> None:
    parameters = {"document": document_id, "sign": sign}
    with connection.cursor() as cursor:
        cursor.execute(_TOTALS, parameters)
        cursor.execute(lexemes, parameters)
