"""Pipelined statements: sent at once, awaited late, and cleaned up when they fail."""

import time
from dataclasses import replace
from typing import Any

import pytest
from django.db import DataError, connection, transaction
from psycopg.pq import PipelineStatus

from corpus.encoders.registry import ActiveEncoder
from retrieval import pipeline
from retrieval.config import RetrievalConfig
from retrieval.pipeline import retrieve
from retrieval.prepared import statements
from retrieval.prepared.pipelined import Statement, pipelined
from retrieval.prepared.site_snapshot import read_site_snapshot
from retrieval.types import Query
from tests.retrieval.hits.test_same_always import ON, QUESTIONS, library

SLEEP_S = 0.4


def is_under_way() -> bool:
    return connection.connection.info.pipeline_status is not PipelineStatus.OFF


def test_the_database_works_meanwhile(db: None) -> None:
    with pipelined(Statement("SELECT extract(epoch FROM clock_timestamp())::float8", {})) as sent:
        time.sleep(SLEEP_S)
        waited = time.time()
        (((worked,),),) = sent.rows()
    assert worked < waited - SLEEP_S / 2
    assert not is_under_way()


def test_each_has_its_own_rows_and_none_has_none(db: None, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2):
        one, none = Statement("SELECT %(n)s", {"n": 1}), Statement("SELECT 1 WHERE false", {})
        with pipelined(one, None, none) as sent:
            assert sent.rows() == [[(1,)], [], []]
    with django_assert_num_queries(0), pipelined(None) as sent:
        assert sent.rows() == [[]]


def test_what_fails_here_leaves_the_connection_as_it_was(db: None) -> None:
    with pytest.raises(ZeroDivisionError), pipelined(Statement("SELECT pg_sleep(0.1)", {})):
        raise ZeroDivisionError
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1; SELECT 2")  # a pipeline would refuse two statements


def test_what_fails_there_is_raised_where_its_rows_are_asked_for(db: None) -> None:
    for _ in range(3):
        with (
            transaction.atomic(),
            pytest.raises(DataError, match="division by zero"),
            transaction.atomic(),
            pipelined(
                Statement("SELECT 1 / %(n)s::int", {"n": 0}), Statement("SELECT 1", {})
            ) as sent,
        ):
            sent.rows()
        with pipelined(Statement("SELECT 6 / %(n)s::int", {"n": 3})) as sent:
            assert sent.rows() == [[(2,)]]


def test_a_pool_that_changes_the_servers_connection(own_database: str) -> None:
    """All statements are sent again, including those already executed."""
    three = [Statement(f"SELECT {n} + %(n)s::int", {"n": n}) for n in range(3)]
    for _ in range(3):
        with pipelined(*three) as sent:
            assert sent.rows() == [[(0,)], [(2,)], [(4,)]]
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_prepared_statements ORDER BY prepare_time")
        names = [name for (name,) in cursor.fetchall()]
        assert len(names) == 3
        cursor.execute(f"DEALLOCATE {names[1]}")
    with pipelined(*three) as sent:
        assert sent.rows() == [[(0,)], [(2,)], [(4,)]]
    assert statements._of_connections[connection.connection].is_given_up
    connection.close()


def test_what_is_best_planned_for_its_values_is_not_prepared(own_database: str) -> None:
    for _ in range(3):
        with pipelined(Statement("SELECT %(n)s::int", {"n": 1}, is_prepared=False)) as sent:
            assert sent.rows() == [[(1,)]]
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements")
        assert cursor.fetchone() == (0,)
    connection.close()


@pytest.mark.parametrize("is_remote", [False, True])
def test_an_endpoint_is_not_waited_for_with_a_statement_under_way(
    own_database: str, monkeypatch: pytest.MonkeyPatch, *, is_remote: bool
) -> None:
    library()
    seen: list[bool] = []
    encode = pipeline._vectors

    def watched(*args: Any) -> Any:
        seen.append(is_under_way())
        return encode(*args)

    def elsewhere(*args: Any) -> Any:
        site = read_site_snapshot(*args)
        encoders: list[ActiveEncoder] = [replace(e, is_remote=is_remote) for e in site.encoders]
        return replace(site, encoders=tuple(encoders))

    query = Query(QUESTIONS[0], on=ON)
    expected = retrieve(query, RetrievalConfig()).hits
    monkeypatch.setattr(pipeline, "_vectors", watched)
    monkeypatch.setattr(pipeline, "read_site_snapshot", elsewhere)
    assert retrieve(query, RetrievalConfig()).hits == expected != ()
    assert seen == [not is_remote]
    connection.close()
