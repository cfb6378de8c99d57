"""Databases of the evaluation's own, one for each set of documents and way to index them.

They are on the site's server and serve no user: a child process whose MEDRAG_DATABASE_NAME names
one works in it, and it is made if missing. Each carries a note, in PostgreSQL's comment on the
database, of what it holds and whether that is complete.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.db import connections
from django.db.utils import DatabaseError
from django.utils.crypto import salted_hmac
from psycopg import sql

from bench.runs.configurations import Recipe
from core.errors import MedragError
from corpus.encoders.registry import configured_specs, encoder_facts, facts_for
from corpus.indexing.recipe import site_recipe
from corpus.services.summaries import SUMMARIES_VERSION

PREFIX = "evaluation_"
_NAME = re.compile(rf"{PREFIX}[0-9a-f]{{8}}")
_FILLING = 0x6D656472  # an advisory lock that nothing else uses
_LIST = """
SELECT d.datname, pg_database_size(d.oid), coalesce(shobj_description(d.oid, 'pg_database'), '')
FROM pg_database d WHERE d.datname ~ %s ORDER BY d.datname
"""


class Documents(Protocol):
    """The documents a database is filled with."""

    @property
    def documents_digest(self) -> str: ...


class NoSuchDatabase(MedragError):
    """The database does not exist, is not one of the evaluation, or is in use."""


@dataclass(frozen=True)
class EvaluationDatabase:
    """A database of the evaluation on the server. `note` is empty if it was never filled."""

    name: str
    size_bytes: int
    note: Mapping[str, Any]

    @property
    def is_ours(self) -> bool:
        """Whether this site filled the database, or began to; other sites may share the server."""
        return self.note.get("site") == site_name()


def site_name() -> str:
    """Identify this site among others on the server by 16 hex digits derived from its secret key.

    All processes of a site have that key, whatever their database; the digest reveals nothing of
    it.
    """
    return salted_hmac("evaluation.databases", "site").hexdigest()[:16]


def name_for(held: Documents, recipe: Recipe, *further: str) -> str:
    """Name the database of these documents, cut, encoded and summarised by this recipe.

    `further` is anything else that decides the content, such as who reads the files.
    """
    parts = [held.documents_digest, *further, site_recipe(encoder_facts())]
    for spec in configured_specs():  # whatever decides their vectors, storage and search
        parts.append(f"{facts_for(spec).fingerprint} {sorted(spec.as_json().items())}")
    if window := recipe.window:
        parts.append(f"windows {window.tokens}/{window.stride}")
    if settings.SUMMARIES != "none":
        parts.append(SUMMARIES_VERSION)
    return PREFIX + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


def databases_kept() -> list[EvaluationDatabase]:
    """Return the evaluation databases on the server, ordered by name. Runs one query."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(_LIST, [f"^{_NAME.pattern}$"])
        return [
            EvaluationDatabase(name, size, json.loads(note) if note.startswith("{") else {})
            for name, size, note in cursor.fetchall()
        ]


def databases_filled(dataset: Documents) -> set[str]:
    """Return the names of the databases that hold all the data set's documents. Runs one query."""
    wanted = dataset.documents_digest
    return {kept.name for kept in databases_kept() if kept.note.get("complete") == wanted}


def database_drop(name: str) -> None:
    """Drop a database of the evaluation and its files.

    Raises NoSuchDatabase if it is not one of the evaluation, does not exist or is in use.
    """
    if not _NAME.fullmatch(name):
        raise NoSuchDatabase(f"{name} is not a database of the evaluation.")
    try:
        _execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))
    except DatabaseError as error:
        raise NoSuchDatabase(
            f"The database {name} can't be dropped.",
            hint="It is not there, or another evaluation is using it. It was left as it is.",
        ) from error
    shutil.rmtree(_folder(name), ignore_errors=True)


def note_kept(note: Mapping[str, Any]) -> None:
    """Store a note in the comment on this process's database, with the site's name."""
    name = connections["owner"].settings_dict["NAME"]
    statement = sql.SQL("COMMENT ON DATABASE {} IS {}")
    _execute(
        statement.format(
            sql.Identifier(name), sql.Literal(json.dumps({**note, "site": site_name()}))
        )
    )


def note_of_this() -> Mapping[str, Any]:
    """Return the note of this process's database; empty if there is none. Runs one query."""
    name = connections["owner"].settings_dict["NAME"]
    return next((kept.note for kept in databases_kept() if kept.name == name), {})


def folder_of_this() -> Path:
    """Return the folder for files of this process's database, apart from the site's."""
    return _folder(str(connections["default"].settings_dict["NAME"]))


def _folder(name: str) -> Path:
    return Path(settings.DATA_DIR) / "evaluation" / name


def refuse_users_database() -> None:
    """Raise NoSuchDatabase unless this process works on a database of the evaluation."""
    name = str(connections["default"].settings_dict["NAME"])
    if not _NAME.fullmatch(name):
        raise NoSuchDatabase(
            "This step runs only in a database of the evaluation.",
            hint="Use evaluate retrieval or evaluate ablation, which start it there.",
        )


@contextmanager
def filling(on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock under which one process at a time fills a database.

    Another process waits for the lock; its `on_wait` is called before. The lock is held on a
    separate connection, because indexing closes the others when they are a minute old.
    """
    lock = connections["owner"].copy()
    try:
        with lock.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [_FILLING])
            if not cursor.fetchone()[0]:
                on_wait()
                cursor.execute("SELECT pg_advisory_lock(%s)", [_FILLING])
            yield
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_FILLING])
    finally:
        lock.close()


def tidy() -> None:
    """Vacuum and analyse the tables after a bulk load.

    Passages are written twice, without and with their search vectors: without VACUUM FULL the table
    and its indexes would be measured at nearly twice their size.
    """
    _execute(sql.SQL("SET maintenance_work_mem = '512MB'"))
    _execute(sql.SQL("SET max_parallel_maintenance_workers = 0"))  # /dev/shm may be small
    _execute(sql.SQL("VACUUM (FULL) corpus_chunk"))
    _execute(sql.SQL("VACUUM (ANALYZE)"))


def _execute(statement: sql.Composable) -> None:
    connection = connections["owner"]
    with connection.cursor() as cursor:
        cursor.execute(statement.as_string(connection.connection))
