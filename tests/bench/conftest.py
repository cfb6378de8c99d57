"""Fixtures for evaluation databases: shared by the tests of this package, dropped at its end."""

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
    """Return the databases there were before, and drop all others after the package's last test.

    Tests with the same documents share a database.
    """
    with django_db_blocker.unblock():
        before = {kept.name for kept in databases_kept()}
    yield before
    with django_db_blocker.unblock():
        for kept in databases_kept():
            if kept.name not in before:
                with suppress(NoSuchDatabase):  # another worker dropped it or is using it
                    database_drop(kept.name)


@pytest.fixture
def no_others(made_before: set[str], own_database: str) -> None:
    """Drop the databases that the test makes at the end of the package."""


@pytest.fixture
def with_tables(no_others: None, socket_dir: str) -> Callable[[str], str]:
    """Return a function that makes an empty, migrated evaluation database, unless there is one.

    Copied from a template, because migrating takes many seconds.
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
