"""Full text in PostgreSQL, ranked by BM25: one statement.

Stage one takes candidates from the question's rarest lexemes, as many as fit a budget of
document frequencies, so that its cost stays flat as the corpus grows, and orders them by
`sum(idf * ts_rank)`. Stage two scores the best few hundred by exact BM25 over all lexemes
(Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009; idf as in Lucene, which
is never negative).
"""

from __future__ import annotations

import time
from collections.abc import Sequence, Set
from dataclasses import dataclass

from django.db import connection

from corpus.search_text import normalise
from retrieval.analysis import expansions
from retrieval.config import RetrievalConfig
from retrieval.scope import group_sql, scope_sql
from retrieval.types import Expansion, Query, Ranked, Ranking

_SQL = """
WITH total AS (
    SELECT greatest(chunks, 1)::float8 AS n,
           greatest(total_length, 1)::float8 / greatest(chunks, 1) AS average_length
    FROM corpus_indexstatistics WHERE id = 1
), asked AS (
    SELECT l.lexeme, l.document_frequency AS df,
           ln(1 + greatest(t.n - l.document_frequency + 0.5, 0.5) / (l.document_frequency + 0.5))
               AS idf,
           {quoted}::tsquery AS query
    FROM corpus_lexeme l, total t
    WHERE l.lexeme = ANY(%(lexemes)s) AND l.document_frequency > 0
), budgeted AS (
    SELECT query, sum(df) OVER (ORDER BY df, lexeme) - df AS postings_before FROM asked
), seed AS (
    SELECT string_agg(query::text, ' | ' ORDER BY query::text)::tsquery AS query
    FROM budgeted WHERE postings_before < %(df_budget)s
), candidate AS (
    SELECT c.id, c.key, {group} AS twins, d.effective_from, c.search_vector, c.length,
           (SELECT sum(a.idf * ts_rank(c.search_vector, a.query)) FROM asked a)
               / (0.75 + 0.25 * c.length / t.average_length) AS rough
    FROM corpus_chunk c JOIN corpus_document d ON d.id = c.document_id, total t
    WHERE c.search_vector @@ (SELECT query FROM seed) AND {scope}
    ORDER BY rough DESC, c.key LIMIT %(rescored)s
), scored AS (
    SELECT c.id, c.key, c.twins, c.effective_from,
           sum(a.idf * cardinality(v.positions) * (%(k1)s + 1)
               / (cardinality(v.positions)
                  + %(k1)s * (1 - %(b)s + %(b)s * c.length / t.average_length))) AS score
    FROM candidate c
         CROSS JOIN LATERAL unnest(c.search_vector) AS v(lexeme, positions, weights)
         JOIN asked a ON a.lexeme = v.lexeme
         CROSS JOIN total t
    GROUP BY c.id, c.key, c.twins, c.effective_from
), told_apart AS (
    SELECT *, row_number() OVER (
        PARTITION BY twins ORDER BY score DESC, effective_from DESC NULLS LAST, key) AS place
    FROM scored
)
SELECT id, key, twins, score, (SELECT count(*) FROM candidate)
FROM told_apart WHERE place = 1
ORDER BY score DESC, key
LIMIT %(limit)s
"""
# Where twins fill the candidates, this many times as many are taken until they do no more.
_WIDEN = 4

# A lexeme as a tsquery reads it: quotes and backslashes inside are doubled.
_QUOTED = r"""('''' || replace(replace(l.lexeme, '\', '\\'), '''', '''''') || '''')"""

_LEXEMES_SQL = """
SELECT v.lexeme, coalesce(l.document_frequency, 0),
       ln(1 + greatest(t.chunks - coalesce(l.document_frequency, 0) + 0.5, 0.5)::float8
              / (coalesce(l.document_frequency, 0) + 0.5))
FROM unnest(to_tsvector('english', %s)) AS v(lexeme, positions, weights)
     LEFT JOIN corpus_lexeme l ON l.lexeme = v.lexeme
     CROSS JOIN corpus_indexstatistics t
WHERE t.id = 1
ORDER BY v.lexeme
"""


_WORDS_SQL = """
SELECT tsvector_to_array(to_tsvector('english', w.short)),
       tsvector_to_array(to_tsvector('english', w.words))
FROM unnest(%s::text[], %s::text[]) AS w(short, words)
"""


@dataclass(frozen=True)
class AskedLexeme:
    """A lexeme of the question; one that no chunk holds has the highest idf.

    `words` are the lexemes that an abbreviation stands for; together they are as good as it is.
    """

    lexeme: str
    document_frequency: int
    idf: float  # > 0
    words: frozenset[str] = frozenset()

    def is_held(self, lexemes: Set[str]) -> bool:
        """Whether a text of these lexemes says it, shortened or spelled out."""
        return self.lexeme in lexemes or (bool(self.words) and self.words <= lexemes)


def asked_lexemes(text: str, known: Sequence[Expansion] | None = None) -> tuple[AskedLexeme, ...]:
    """The question's lexemes by name; none if it holds stop words only. One query or two.

    `known` are the short forms in it; without them the lexicon is asked, which is one more.
    """
    words = _words_of_abbreviations(expansions(text) if known is None else known)
    with connection.cursor() as cursor:
        cursor.execute(_LEXEMES_SQL, [normalise(text)])
        return tuple(
            AskedLexeme(lexeme, df, idf, words.get(lexeme, frozenset()))
            for lexeme, df, idf in cursor.fetchall()
        )


def searched_names(lexemes: Sequence[AskedLexeme]) -> list[str]:
    """The lexemes that a search looks for, those of spelled out abbreviations among them."""
    return sorted({name for lexeme in lexemes for name in (lexeme.lexeme, *lexeme.words)})


def _words_of_abbreviations(found: Sequence[Expansion]) -> dict[str, frozenset[str]]:
    if not found:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_WORDS_SQL, [[e.short for e in found], [e.words for e in found]])
        return {name: frozenset(words) for short, words in cursor.fetchall() for name in short}


def search_lexical(
    query: Query, lexemes: tuple[AskedLexeme, ...], config: RetrievalConfig
) -> Ranking:
    """Rank the chunks in scope that share a lexeme with the question.

    One query, or none; more only where passages that say the same crowd out the others.
    """
    started = time.perf_counter()
    rows = _searched(query, lexemes, config, config.rescored) if lexemes else []
    entries = tuple(
        Ranked(chunk_id=chunk_id, key=key, rank=rank, score=float(score), group=group)
        for rank, (chunk_id, key, group, score) in enumerate(rows, start=1)
    )
    return Ranking("lexical", entries, (time.perf_counter() - started) * 1000)


def _searched(
    query: Query, lexemes: Sequence[AskedLexeme], config: RetrievalConfig, rescored: int
) -> list[tuple[int, str, str, float]]:
    scope, parameters = scope_sql(query)
    parameters |= {
        "lexemes": searched_names(lexemes),
        "df_budget": config.df_budget,
        "rescored": rescored,
        "k1": config.k1,
        "b": config.b,
        "limit": config.lexical_candidates,
    }
    group = group_sql(collapse_twins=config.collapse_twins)
    statement = _SQL.replace("{scope}", scope).replace("{quoted}", _QUOTED)
    with connection.cursor() as cursor:
        cursor.execute(statement.replace("{group}", group), parameters)
        rows = cursor.fetchall()
    is_crowded = 0 < len(rows) < config.lexical_candidates and rows[0][-1] == rescored
    if is_crowded and config.collapse_twins and rescored >= config.lexical_candidates:
        return _searched(query, lexemes, config, rescored * _WIDEN)
    return [row[:-1] for row in rows]
