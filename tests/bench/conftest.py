"""Databases that the tests of this folder make beside their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from psycopg import sql
from pytest_django import DjangoDbBlocker

from bench.runs.databases import NoSuchDatabase, database_drop, databases_kept
from medrag_site.database.roles import OWNER
from tests.databases import ensure_template, superuser


@pytest.fixture(scope="package")
def made_before(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[set[str]]:
    """Databases that were there; what the tests of this folder make is dropped after the last.

    They share it: made once, it serves all that ask for the same documents.
    """
    with django_db_blocker.unblock():
        before = {kept.name for kept in databases_kept()}
    yield before
    with django_db_blocker.unblock():
        for kept in databases_kept():
            if kept.name not in before:
                with suppress(NoSuchDatabase):  # another worker dropped it, or asks it just now
                    database_drop(kept.name)


@pytest.fixture
def no_others(made_before: set[str], own_database: str) -> None:
    """Databases that a test makes are dropped at the end."""


@pytest.fixture
def with_tables(no_others: None, socket_dir: str) -> Callable[[str], str]:
    """Make an evaluation's database with its tables and nothing in them, unless it is there.

    It is a copy, for tests that are about what follows: making all tables takes many seconds.
    """

    def make(name: str) -> str:
        template = ensure_template(socket_dir)
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}")
        names = [sql.Identifier(each) for each in (name, template, OWNER)]
        with superuser(socket_dir) as c:
            if not c.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
                c.execute(statement.format(*names))
        return name

    return make
