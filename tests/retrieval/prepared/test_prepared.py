"""Prepared statements return the same rows as statements that are planned each time."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DataError, NotSupportedError, connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from retrieval.config import RetrievalConfig
from retrieval.pipeline import retrieve
from retrieval.prepared import statements
from retrieval.types import Evidence, Filters, Query, Rights
from tests.retrieval.hits.test_same_always import ON, QUESTIONS, as_owner, library

BY_INDEX = RetrievalConfig(exact_below=0, dense_candidates=5)
QUERIES = (
    *(Query(text, on=ON) for text in QUESTIONS),
    Query(QUESTIONS[0], on=ON, rights=Rights.ALL, collections=("medicine",)),
    Query(QUESTIONS[0], on=ON, filters=Filters(languages=("en",), year_from=1990)),
)


@pytest.fixture
def filled(own_database: str) -> Iterator[None]:
    library(range(6))
    yield
    connection.close()


def found(query: Query, config: RetrievalConfig = BY_INDEX) -> tuple[Any, ...]:
    evidence: Evidence = retrieve(query, config)
    rankings = [(ranking.name, ranking.entries) for ranking in evidence.trace.rankings]
    return evidence.hits, rankings, evidence.trace.fused


def every(config: RetrievalConfig = BY_INDEX) -> list[tuple[Any, ...]]:
    return [found(query, config) for query in QUERIES]


def names() -> set[str]:
    """Return the names of the statements that the server has prepared for this connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_prepared_statements")
        return {name for (name,) in cursor.fetchall()}


def is_given_up() -> bool:
    return statements._of_connections[connection.connection].is_given_up


@pytest.mark.parametrize("config", [BY_INDEX, RetrievalConfig(), RetrievalConfig(df_budget=1)])
@pytest.mark.parametrize("mode", ["auto", "force_generic_plan"])
def test_the_same_is_found_to_the_last_bit(
    filled: None, settings: Settings, config: RetrievalConfig, mode: str
) -> None:
    settings.PREPARED_STATEMENTS = False
    plain = every(config)
    assert any(hits for hits, _, _ in plain)
    assert every(config) == plain
    assert names() == set()
    settings.PREPARED_STATEMENTS = True
    with connection.cursor() as cursor:
        cursor.execute(f"SET plan_cache_mode = {mode}")
    for _ in range(8):  # first unprepared, then five custom plans, then a generic one
        assert every(config) == plain
    assert names()
    assert not is_given_up()


def test_what_is_asked_once_is_not_prepared(filled: None) -> None:
    found(QUERIES[0])
    assert names() == set()


def test_it_takes_no_more_queries(filled: None) -> None:
    with CaptureQueriesContext(connection) as first:
        found(QUERIES[0])
    for _ in range(3):
        with CaptureQueriesContext(connection) as again:
            found(QUERIES[0])
        assert len(again) == len(first)
    assert sum("EXECUTE medrag_" in query["sql"] for query in again) >= 4


def test_a_new_connection_prepares_its_own(filled: None) -> None:
    plain = every()
    assert every() == plain
    before = names()
    connection.close()
    assert every() == plain
    assert every() == plain
    assert names() == before != set()
    assert not is_given_up()


def test_a_table_that_changes_under_it_is_not_noticed(filled: None) -> None:
    plain = every()
    every()
    as_owner("ALTER TABLE corpus_document ADD COLUMN extra int DEFAULT 0")
    assert every() == plain
    assert not is_given_up()
    as_owner("ALTER TABLE corpus_chunk ALTER COLUMN context TYPE varchar(9000)")
    assert every() == plain
    assert is_given_up()


def test_within_a_transaction_it_is_noticed_once(filled: None) -> None:
    plain = every()
    every()
    as_owner("ALTER TABLE corpus_chunk ALTER COLUMN context TYPE varchar(9000)")
    with pytest.raises(NotSupportedError), transaction.atomic():
        every()
    with transaction.atomic():
        assert every() == plain


def test_a_pool_that_changes_the_servers_connection(filled: None) -> None:
    plain = every()
    every()
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    assert every() == plain
    assert is_given_up()


def test_a_pool_whose_connection_another_client_has_used(filled: None) -> None:
    plain = every()
    every()
    statements._of_connections.clear()
    assert every() == plain
    assert every() == plain
    assert is_given_up()


def test_a_connection_keeps_so_many(filled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "MOST_PREPARED", 5)
    plain = found(QUERIES[0])
    for query in (*QUERIES, *QUERIES):
        found(query)
        found(query)
        assert len(names()) <= 5
    assert found(QUERIES[0]) == plain
    assert names()
    assert not is_given_up()


def test_an_error_of_the_statement_is_an_error(db: None) -> None:
    for _ in range(3):
        with (
            pytest.raises(DataError, match="division by zero"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            statements.execute(cursor, "SELECT 1 / %(n)s::int", {"n": 0})
    with connection.cursor() as cursor:
        statements.execute(cursor, "SELECT 6 %% %(n)s::int", {"n": 4})
        statements.execute(cursor, "SELECT 6 %% %(n)s::int", {"n": 4})
        assert cursor.fetchall() == [(2,)]
