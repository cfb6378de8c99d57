"""Databases of the benchmarks, on the embedded server and apart from the site's own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from psycopg import sql

from bench.connections import connected_to
from medrag_site.database.embedded import ensure_started
from medrag_site.database.provisioning import provision

PREFIX = "medrag_bench_"


def name_of(chunks: int) -> str:
    return f"{PREFIX}{chunks}"


def start() -> str:
    """Start the embedded server if needed and return its socket directory.

    Raises CommandError where another server is configured.
    """
    if not settings.DATABASE_IS_EMBEDDED:
        raise CommandError(
            "Only the embedded database has room for benchmarks. "
            "Run this with MEDRAG_DATA_DIR set to an empty folder and without DATABASE_URL."
        )
    return ensure_started(settings.DATA_DIR)


def superuser(socket_dir: str, database: str = "postgres") -> psycopg.Connection:
    return psycopg.connect(host=socket_dir, user="postgres", dbname=database, autocommit=True)


def facts_of(socket_dir: str, name: str) -> dict[str, Any]:
    """Return what `note` stored about a database; empty if it is missing or only partly filled."""
    query = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s"
    with superuser(socket_dir) as c:
        row = c.execute(query, [name]).fetchone()
    return dict(json.loads(row[0])) if row and row[0] else {}


def note(socket_dir: str, name: str, facts: Mapping[str, Any]) -> None:
    """Store in the database's comment what it was filled with; called once it is full."""
    statement = sql.SQL("COMMENT ON DATABASE {} IS {}")
    with superuser(socket_dir) as c:
        c.execute(statement.format(sql.Identifier(name), sql.Literal(json.dumps(facts))))


def make_again(socket_dir: str, name: str) -> None:
    """Drop the database of this name if there is one, and create it empty and migrated."""
    drop(socket_dir, name)
    provision(socket_dir, name)
    with in_use(name):
        call_command("migrate", database="owner", verbosity=0)


def drop(socket_dir: str, name: str) -> None:
    if not name.startswith(PREFIX):
        raise CommandError(f"{name} is no database of the benchmarks.")
    with superuser(socket_dir) as c:
        c.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def all_names(socket_dir: str) -> list[str]:
    with superuser(socket_dir) as c:
        rows = c.execute("SELECT datname FROM pg_database ORDER BY datname").fetchall()
    return [name for (name,) in rows if name.startswith(PREFIX)]


@contextmanager
def in_use(name: str) -> Iterator[None]:
    """Point every alias at `name`, and back afterwards.

    Raises CommandError for a database that is not of the benchmarks.
    """
    if not name.startswith(PREFIX):
        raise CommandError(f"{name} is no database of the benchmarks.")
    with connected_to(name):
        yield
