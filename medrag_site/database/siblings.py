"""Another database on a server of your own, beside the one that the addresses name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql

from medrag_site.database.postmaster import DatabaseStartError

LOCK = 0x6D656472  # "medr": the first key of advisory locks on making a database


def ensure_beside(aliases: Mapping[str, Mapping[str, Any]], owner_url: str) -> None:
    """Make the database that `aliases` name where it is missing, with extension and grants.

    `owner_url` leads to a database that is there. Its role needs CREATEDB, and must be allowed to
    make the extension vector (which is marked as trusted). Processes that start at once wait for
    each other, and what one that was killed left out is made up for. Raises `DatabaseStartError`;
    then none that was made here is left behind.
    """
    name = str(aliases["owner"]["NAME"])
    try:
        with psycopg.connect(owner_url, autocommit=True) as connection:
            # Of the session: CREATE DATABASE runs in no transaction. Its end releases it.
            connection.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", [LOCK, name])
            _make_whole(connection, name, owner_url, aliases)
    except psycopg.Error as error:
        raise DatabaseStartError(
            f"The database {name} can't be made on the server of DATABASE_OWNER_URL "
            f"({error.diag.message_primary or type(error).__name__}). Its role needs the right "
            "CREATEDB and to make the extension vector; or leave DATABASE_URL out for this "
            "command, so that it runs on the embedded database."
        ) from error


def _make_whole(
    connection: psycopg.Connection,
    name: str,
    owner_url: str,
    aliases: Mapping[str, Mapping[str, Any]],
) -> None:
    known = "SELECT 1 FROM pg_database WHERE datname = %s"
    is_new = connection.execute(known, [name]).fetchone() is None
    if is_new:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        with psycopg.connect(owner_url, dbname=name, autocommit=True) as made:
            for statement in _grants(aliases):
                made.execute(statement)
    except psycopg.Error:
        if is_new:
            connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))
        raise


def _grants(aliases: Mapping[str, Mapping[str, Any]]) -> list[sql.SQL | sql.Composed]:
    """As `embedded.grants`, for the role of the application; the owner itself needs none.

    They may be given any number of times.
    """
    owner, app = aliases["owner"]["USER"], aliases["default"]["USER"]
    statements: list[sql.SQL | sql.Composed] = [
        sql.SQL("CREATE EXTENSION IF NOT EXISTS vector"),
        sql.SQL("REVOKE CREATE ON SCHEMA public FROM PUBLIC"),
    ]
    if app != owner:
        of_owner = sql.SQL("ALTER DEFAULT PRIVILEGES IN SCHEMA public ")
        to_app = sql.SQL(" TO {}").format(sql.Identifier(app))
        statements += [
            sql.SQL("GRANT USAGE ON SCHEMA public") + to_app,
            of_owner + sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES") + to_app,
            of_owner + sql.SQL("GRANT USAGE ON SEQUENCES") + to_app,
        ]
    return statements
