"""Create a database and its roles' rights, on the embedded server or an external one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import sql

from medrag_site.database import roles as databases
from medrag_site.database.postmaster import DatabaseStartError, superuser

LOCK = 0x6D656472  # "medr": the first key of the advisory lock on creating a database


def provision(socket_dir: str, database: str) -> None:
    """Create missing roles, and a missing database with its extension, on the embedded server."""
    with superuser(socket_dir) as c:
        known = {row[0] for row in c.execute("SELECT rolname FROM pg_roles")}
        for role in {databases.OWNER, databases.APPLICATION, databases.AUDITOR} - known:
            c.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
            c.execute(sql.SQL("ALTER ROLE {} SET jit = off").format(sql.Identifier(role)))
        if _is_there(c, database):
            return
        create = sql.SQL("CREATE DATABASE {} OWNER {}")
        c.execute(create.format(sql.Identifier(database), sql.Identifier(databases.OWNER)))
    with superuser(socket_dir, database) as c:
        c.execute(f"ALTER SCHEMA public OWNER TO {databases.OWNER}")
        for statement in _grants(databases.OWNER, databases.APPLICATION):
            c.execute(statement)
        c.execute(f"GRANT USAGE ON SCHEMA public TO {databases.AUDITOR}")


def ensure_sibling(aliases: Mapping[str, Mapping[str, Any]], owner_url: str) -> None:
    """Create the database that `aliases` name if it is missing, with extension and grants.

    `owner_url` leads to an existing database. Its role needs CREATEDB, and must be allowed to
    create the extension vector (which is marked as trusted). Processes that start at once wait for
    each other, and complete what a killed one left out. Raises DatabaseStartError, after dropping a
    database that was created here.
    """
    name = str(aliases["owner"]["NAME"])
    database = sql.Identifier(name)
    try:
        with psycopg.connect(owner_url, autocommit=True) as connection:
            # A session's lock, as CREATE DATABASE runs in no transaction; closing it unlocks.
            connection.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", [LOCK, name])
            is_new = not _is_there(connection, name)
            if is_new:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(database))
            try:
                with psycopg.connect(owner_url, dbname=name, autocommit=True) as made:
                    # Repeated grants do no harm.
                    for statement in _grants(aliases["owner"]["USER"], aliases["default"]["USER"]):
                        made.execute(statement)
            except psycopg.Error:
                if is_new:
                    connection.execute(sql.SQL("DROP DATABASE {}").format(database))
                raise
    except psycopg.Error as error:
        raise DatabaseStartError(
            f"The database {name} can't be made on the server of DATABASE_OWNER_URL "
            f"({error.diag.message_primary or type(error).__name__}). Its role needs the right "
            "CREATEDB and to make the extension vector; or leave DATABASE_URL out for this "
            "command, so that it runs on the embedded database."
        ) from error


def _is_there(connection: psycopg.Connection, database: str) -> bool:
    query = "SELECT 1 FROM pg_database WHERE datname = %s"
    return connection.execute(query, [database]).fetchone() is not None


def _grants(owner: str, app: str) -> list[sql.Composed]:
    """Return the statements that give the application its rights on the owner's tables.

    The audit tables' migrations revoke some of them again. docs/running.md has the same
    statements for an external server. None is needed if the owner and the application are one role.
    """
    statements = [
        "CREATE EXTENSION IF NOT EXISTS vector",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    ]
    if app != owner:
        of_owner = "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA public GRANT "
        statements += [
            "GRANT USAGE ON SCHEMA public TO {app}",
            of_owner + "SELECT, INSERT, UPDATE, DELETE ON TABLES TO {app}",
            of_owner + "USAGE ON SEQUENCES TO {app}",
        ]
    # An address without a user is that of whoever connects.
    of = sql.Identifier(owner) if owner else sql.SQL("CURRENT_USER")
    names = {"owner": of, "app": sql.Identifier(app)}
    return [sql.SQL(statement).format(**names) for statement in statements]
