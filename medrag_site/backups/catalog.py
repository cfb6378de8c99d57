"""Read what a backup needs to know of the database, as the owner of the tables."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

from corpus.indexing.vector_index import OWNER
from medrag_site.backups.manifest import BackupError
from medrag_site.database.restore_mark import TABLE

# Tables, sequences, views and functions of the schema that belong to no extension.
_OBJECTS = """
SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END,
       quote_ident(c.relname), pg_has_role(c.relowner, 'USAGE')
FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'S', 'v')
  AND NOT EXISTS (SELECT FROM pg_depend d
                  WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                    AND d.deptype IN ('e', 'a', 'i'))
UNION ALL
SELECT 'FUNCTION', p.oid::regprocedure::text, pg_has_role(p.proowner, 'USAGE')
FROM pg_proc p
WHERE p.pronamespace = current_schema()::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend d
                  WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid
                    AND d.deptype = 'e')
ORDER BY 1, 2
"""
_TABLES = """
SELECT relname FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY relname
"""


@dataclass(frozen=True)
class Server:
    name: str  # such as 18.4
    major: int
    pgvector: str  # empty if not installed
    schema: str


@dataclass(frozen=True)
class Head:
    seq: int
    hash: str  # hex


def server_version(connection: BaseDatabaseWrapper) -> Server:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version'), "
            "current_setting('server_version_num')::int / 10000, "
            "coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), ''), "
            "current_schema()"
        )
        return Server(*cursor.fetchone())


def export_snapshot(connection: BaseDatabaseWrapper) -> str:
    """Return the name of this transaction's snapshot, which other sessions can import."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_export_snapshot()")
        return str(cursor.fetchone()[0])


def roles() -> dict[str, str]:
    """Return the database's roles, which its rights name, by alias."""
    return {alias: str(values["USER"]) for alias, values in sorted(settings.DATABASES.items())}


def refuse_foreign_owner(connection: BaseDatabaseWrapper) -> None:
    """Raise BackupError if this role does not own every object, so may not read all."""
    foreign = [name for _, name, is_own in _objects(connection) if not is_own]
    if foreign:
        raise BackupError(
            f"{connections[OWNER].settings_dict['USER']} does not own {foreign[0]}, so it can't "
            "read all of the database.",
            hint="Nothing was changed. Set DATABASE_OWNER_URL to the role that owns the tables.",
        )


def objects(connection: BaseDatabaseWrapper) -> list[tuple[str, str]]:
    """Return kind and quoted name of every object in the schema except the mark of a restore."""
    return [(kind, name) for kind, name, _ in _objects(connection) if name != TABLE]


def _objects(connection: BaseDatabaseWrapper) -> list[tuple[str, str, bool]]:
    with connection.cursor() as cursor:
        cursor.execute(_OBJECTS)
        return list(cursor.fetchall())


def documents(connection: BaseDatabaseWrapper) -> list[tuple[str, int]]:
    """Return SHA-256 and size in bytes of each document's file, in order of SHA-256."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sha256, size_bytes FROM corpus_document ORDER BY sha256")
        return list(cursor.fetchall())


def chain_head(connection: BaseDatabaseWrapper) -> Head:
    with connection.cursor() as cursor:
        cursor.execute("SELECT seq, encode(hash, 'hex') FROM chat_audithead WHERE id = 1")
        return Head(*(cursor.fetchone() or (0, "")))


def row_counts(connection: BaseDatabaseWrapper) -> dict[str, int]:
    """Return the number of rows of every table. Runs a query for each table."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLES)
        names = [name for (name,) in cursor.fetchall() if name != TABLE]
        counts = {}
        for name in names:
            cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name)))
            counts[name] = int(cursor.fetchone()[0])
    return counts
