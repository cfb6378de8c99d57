"""Search full text in PostgreSQL, ranked by BM25, in one statement.

Candidates are chunks that hold a rare lexeme of the question, several frequent ones together, or
one that weighs much (`retrieval.lexical.clauses`), so that the cost stays flat as the corpus grows.
Each candidate is scored by exact BM25 over all searched lexemes (Robertson and Zaragoza, The
Probabilistic Relevance Framework, 2009; idf as in Lucene). Scope and duplicates are checked for the
best of them; where these leave too few, the scope is applied first, and a narrow scope is searched
completely.

For one lexeme `ts_rank` is `6/pi^2 * sum(1/i^2)` over its occurrences i = 1 ... tf. The sum is so
close to `pi^2/6 - 1/(tf + 1/2)` that rounding recovers tf, up to the 255 positions that a vector
stores. So BM25 needs neither unnested positions nor a table of postings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from core.replica import connection
from core.rounding import SUM_DIGITS
from retrieval.config import RetrievalConfig
from retrieval.lexical.clauses import CandidatePlan, Clause, Term, choose
from retrieval.lexical.lexemes import AskedLexeme, asked_lexemes, searched_names
from retrieval.prepared.pipelined import Rows, Statement, pipelined
from retrieval.scope import group_sql, scope_sql
from retrieval.types import Query, Ranked, Ranking

__all__ = [
    "AskedLexeme",
    "LexicalSearch",
    "asked_lexemes",
    "bm25_statement",
    "search_lexical",
    "searched_names",
]

# The best candidates, and of those which are in scope; one row for each that says something else.
# The last columns are how many candidates there were and how many of them are in scope.
_SQL = """
WITH total AS MATERIALIZED (
    SELECT greatest(total_length, 1)::float8 / greatest(chunks, 1) AS average_length
    FROM corpus_indexstatistics WHERE id = 1
), candidate AS MATERIALIZED (
    SELECT c.id, c.key, c.document_id, c.twins, c.disabled_at, {score} AS score
    FROM {source}
         CROSS JOIN total t
         CROSS JOIN LATERAL {length} AS l
    WHERE {first}
    ORDER BY score DESC, c.key LIMIT %(rescored)s
), in_scope AS (
    SELECT c.id, c.key, {group} AS twins, d.effective_from,
           round(c.score::float8::numeric, {digits})::float8 AS score
    FROM candidate c JOIN corpus_document d ON d.id = c.document_id
    WHERE {then}
), told_apart AS (
    SELECT *, count(*) OVER () AS counted, row_number() OVER (
        PARTITION BY twins ORDER BY score DESC, effective_from DESC NULLS LAST, key) AS place
    FROM in_scope
)
SELECT id, key, twins, score, counted, (SELECT count(*) FROM candidate)
FROM told_apart WHERE place = 1
ORDER BY score DESC, key
LIMIT %(limit)s
"""
# One for each tsquery: were they one, the index would look at all of it for each place of a word.
_MATCH = "c.search_vector @@ %({seed})s::tsquery"
_CHUNKS = "corpus_chunk c"
_WITH_DOCUMENTS = "corpus_chunk c JOIN corpus_document d ON d.id = c.document_id"
# Of a word that is in most of the index and weighs much nowhere, the first by key: any choice is
# as good.
_FIRST_BY_KEY = """(
    SELECT c.* FROM corpus_chunk c WHERE {match} ORDER BY c.key LIMIT %(most)s) c"""
# What the length of a chunk divides its frequencies by, computed once for each.
_LENGTH_NORM = """(
    SELECT %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * c.length / t.average_length)
        AS norm OFFSET 0)"""
# idf * (k1 + 1) * tf / (tf + norm), with tf read once.
_BM25_TERM = (
    "%({weight})s::float8 * (1 - l.norm / (l.norm + round(0.6079271018540267::float8"
    " / (1 - ts_rank('{{1,1,1,1}}', c.search_vector, %({query})s::tsquery))- 0.5::float8)))"
)
_BM25_OF = """
SELECT c.id, round(({score})::float8::numeric, {digits})::float8 FROM corpus_chunk c CROSS JOIN (
    SELECT greatest(total_length, 1)::float8 / greatest(chunks, 1) AS average_length
    FROM corpus_indexstatistics WHERE id = 1) AS t
    CROSS JOIN LATERAL {length} AS l
WHERE c.id = ANY(%(ids)s)
"""
# The documents in scope, up to more than few; a passage that is disabled is looked at later.
_DOCUMENTS = """
SELECT d.id FROM corpus_document d CROSS JOIN (SELECT NULL::timestamptz AS disabled_at) AS c
WHERE {scope} LIMIT %(most)s
"""
_FEW_DOCUMENTS = 500  # in so few every passage that holds a lexeme is scored
# Where twins fill the candidates, this many times as many are taken until they do no more.
_WIDEN = 4
# Where what was found is out of scope, this many times the budget is read, and once again.
_WIDEN_BUDGET = 8
_MOST_WIDENED = _WIDEN_BUDGET**2
# Of 100 thousand passages 500 hold 99 % of the exact top 10, and 1,000 hold 99.8 %.
_BUDGETED_CHUNKS, _BUDGET_GROWTH = 100_000, 0.25
_LEAST_NORM = 1e-9  # k1 = 0 leaves presence alone


class SearchRow(NamedTuple):
    """A row of the search."""

    chunk_id: int
    key: str
    group: str
    score: float
    in_scope: int  # candidates that the scope left
    candidates: int


@dataclass(frozen=True)
class _Search:
    """One search of the index with one budget."""

    query: Query
    terms: tuple[Term, ...]
    chunks: int
    config: RetrievalConfig
    widened: int = 1  # times the budget
    scope_first: bool = False
    documents: tuple[int, ...] | None = None  # all that are in scope, where they are few

    def run(self) -> list[SearchRow]:
        """Return as many rows as are wanted, or all there are, widening the search as needed."""
        if self.documents == ():
            return []
        with pipelined(self.statement) as sent:
            (rows,) = sent.rows()
        return self.completed(rows)

    def completed(self, rows: Rows) -> list[SearchRow]:
        """Continue with the rows of this search's own statement; widen it where they are few."""
        passages = [SearchRow(*row) for row in rows]
        wider = self._wider(passages, self._seeds)
        return wider.run() if wider else passages

    @cached_property
    def statement(self) -> Statement:
        """The statement of this search."""
        config = self.config
        scope, parameters = scope_sql(self.query)
        score, of_score = score_sql(self.terms, config)
        conditions = conditions_of(self._seeds)
        match = " OR ".join(_MATCH.replace("{seed}", name) for name in conditions)
        statement = self._template(self._seeds, scope).replace("{score}", score)
        limits = {
            "rescored": config.rescored,
            "limit": config.lexical_candidates,
            "most": self._budget(),
            "documents": list(self.documents or ()),
        }
        return Statement(
            statement.replace("{match}", f"({match})"),
            parameters | conditions | of_score | limits,
            # What is in scope is planned for, since it may be next to nothing, and so is what is in
            # nearly every chunk.
            is_prepared=not self.scope_first and self._seeds.is_bounded,
        )

    @cached_property
    def _seeds(self) -> CandidatePlan:
        if self.documents is not None:
            return CandidatePlan(tuple((term.name,) for term in self.terms), is_whole=True)
        return choose(self.terms, chunks=self.chunks, budget=self._budget())

    def _budget(self) -> int:
        """Return the budget of candidates, which grows far more slowly than the index."""
        growth = float(max(1.0, self.chunks / _BUDGETED_CHUNKS) ** _BUDGET_GROWTH)
        return round(self.config.df_budget * self.widened * growth)

    def _wider(self, rows: Sequence[SearchRow], seeds: CandidatePlan) -> _Search | None:
        """Return the next, wider search if this one returned too few; None if it is final."""
        config = self.config
        if len(rows) >= config.lexical_candidates:
            return None
        is_full = bool(rows) and rows[0].candidates >= config.rescored
        if seeds.is_whole and not is_full and (rows or self.scope_first):
            return None  # all that hold a lexeme were looked at
        is_all_in_scope = bool(rows) and rows[0].in_scope == rows[0].candidates
        if not self.scope_first and not is_all_in_scope:
            return self._in_scope()
        if is_full:
            more = replace(config, rescored=config.rescored * _WIDEN)
            return replace(self, config=more) if config.collapse_twins else None
        if not self.scope_first:
            return None
        if self.widened >= _MOST_WIDENED:
            return None
        return replace(self, widened=self.widened * _WIDEN_BUDGET)

    def _in_scope(self) -> _Search:
        scope, parameters = scope_sql(self.query)
        statement = _DOCUMENTS.replace("{scope}", scope)
        with connection.cursor() as cursor:
            cursor.execute(statement, parameters | {"most": _FEW_DOCUMENTS + 1})
            documents = tuple(row[0] for row in cursor.fetchall())
        few = documents if len(documents) <= _FEW_DOCUMENTS else None
        return replace(self, scope_first=True, documents=few)

    def _template(self, seeds: CandidatePlan, scope: str) -> str:
        source = _WITH_DOCUMENTS if self.scope_first else _CHUNKS
        first = f"{{match}} AND {scope}" if self.scope_first else "{match}"
        if self.documents is not None:
            first = f"c.document_id = ANY(%(documents)s) AND {first}"
        elif not seeds.is_bounded:
            source = source.replace(_CHUNKS, _FIRST_BY_KEY)
        return (
            _SQL.replace("{source}", source)
            .replace("{digits}", str(SUM_DIGITS))
            .replace("{length}", _LENGTH_NORM)
            .replace("{first}", first)
            .replace("{then}", "true" if self.scope_first else scope)
            .replace("{group}", group_sql(collapse_twins=self.config.collapse_twins))
        )


def search_lexical(
    query: Query, lexemes: Sequence[AskedLexeme], config: RetrievalConfig
) -> Ranking:
    """Rank the chunks in scope that share a lexeme with the question.

    Runs one query, or none; more only where the scope or duplicates leave too few.
    """
    search = LexicalSearch(query, lexemes, config)
    with pipelined(search.statement) as sent:
        (rows,) = sent.rows()
    return search.ranking(rows)


class LexicalSearch:
    """A lexical search whose statement the caller sends, to do other work meanwhile."""

    def __init__(
        self, query: Query, lexemes: Sequence[AskedLexeme], config: RetrievalConfig
    ) -> None:
        terms = searched_terms(lexemes, config) if config.lexical != "none" else ()
        chunks = max((lexeme.chunks for lexeme in lexemes), default=0)
        self._search = _Search(query, terms, chunks, config)
        self.statement = self._search.statement if terms else None  # none: nothing is searched

    def ranking(self, rows: Rows) -> Ranking:
        """Rank the statement's rows; runs more queries where there are too few."""
        passages = self._search.completed(rows) if self.statement else []
        entries = tuple(
            Ranked(row.chunk_id, row.key, rank=rank, score=float(row.score), group=row.group)
            for rank, row in enumerate(passages, start=1)
        )
        return Ranking("lexical", entries)


def bm25_statement(
    chunk_ids: Sequence[int], lexemes: Sequence[AskedLexeme], config: RetrievalConfig
) -> Statement | None:
    """Return a statement that gives `(chunk id, BM25)` for each chunk, as `search_lexical` scores.

    None where there is nothing to score.
    """
    terms = searched_terms(lexemes, config)
    if not chunk_ids or not terms:
        return None
    score, parameters = score_sql(terms, config)
    statement = (
        _BM25_OF.replace("{score}", score)
        .replace("{digits}", str(SUM_DIGITS))
        .replace("{length}", _LENGTH_NORM)
    )
    return Statement(statement, parameters | {"ids": list(chunk_ids)})


def searched_terms(lexemes: Sequence[AskedLexeme], config: RetrievalConfig) -> tuple[Term, ...]:
    """Return each searched term once, the rarest first; of a long question only the rarest."""
    terms = {term.name: term for lexeme in lexemes for term in lexeme.terms}
    rarest = sorted(terms.values(), key=lambda term: (term.document_frequency, term.name))
    return tuple(rarest[: config.condense_above] if config.condense_above else rarest)


def score_sql(terms: Sequence[Term], config: RetrievalConfig) -> tuple[str, dict[str, Any]]:
    """Return SQL for the exact BM25 of chunk `c`, and its parameters.

    The SQL uses `t.average_length` and `l.norm`.
    """
    parameters: dict[str, Any] = {"k1": max(config.k1, _LEAST_NORM), "b": config.b}
    parts = []
    for number, term in enumerate(terms):
        query, weight = f"query{number}", f"weight{number}"
        parameters[query] = _tsquery([(term.name,)])
        parameters[weight] = term.idf * (config.k1 + 1)
        parts.append(_BM25_TERM.format(weight=weight, query=query))
    return "(" + " + ".join(parts) + ")", parameters


def conditions_of(seeds: CandidatePlan) -> dict[str, str]:
    """Return the tsqueries that match the candidates, by parameter name.

    Single words form one tsquery. Combinations with the same rarest word are joined, so that its
    postings are read once.
    """
    alone = [clause for clause in seeds.clauses if len(clause) == 1]
    by_rarest: dict[str, list[Clause]] = {}
    for rarest, *others in (clause for clause in seeds.clauses if len(clause) > 1):
        by_rarest.setdefault(rarest, []).append(tuple(others))
    queries = [_tsquery(alone)] if alone else []
    queries += [f"{_quoted(name)} & ({_tsquery(others)})" for name, others in by_rarest.items()]
    return {f"seed{number}": query for number, query in enumerate(queries)}


def _tsquery(clauses: Sequence[Clause]) -> str:
    """Return a tsquery that any of the clauses matches."""
    return " | ".join("(" + " & ".join(map(_quoted, clause)) + ")" for clause in clauses)


def _quoted(lexeme: str) -> str:
    """Quote a lexeme for a tsquery: double its quotes and backslashes."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
