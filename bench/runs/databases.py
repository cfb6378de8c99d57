"""Databases of the evaluation's own, one for each set of documents and way to index them.

They stand on the same server and are never searched by anybody: a child process whose
MEDRAG_DATABASE_NAME names one finds it there, made where it was missing. Each says of itself, in
the comment that PostgreSQL keeps of a database, what it holds and whether all of it is there.
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
from bench.runs.encoders import configured, names_of
from core.errors import MedragError
from corpus.encoders.registry import encoder_facts
from corpus.indexing.recipe import site_recipe
from corpus.summaries import made_by

PREFIX = "evaluation_"
_NAME = re.compile(rf"{PREFIX}[0-9a-f]{{8}}")
_FILLING = 0x6D656472  # any number that nothing else locks
_LIST = """
SELECT d.datname, pg_database_size(d.oid), coalesce(shobj_description(d.oid, 'pg_database'), '')
FROM pg_database d WHERE d.datname ~ %s ORDER BY d.datname
"""


class Documents(Protocol):
    """What a database is filled with."""

    @property
    def documents_digest(self) -> str: ...


class NoSuchDatabase(MedragError):
    """It is not there, not ours to drop, or in use."""


@dataclass(frozen=True)
class EvaluationDatabase:
    """One that is kept. `note` is what it says of itself, empty while it was never filled."""

    name: str
    size_bytes: int
    note: Mapping[str, Any]

    @property
    def is_ours(self) -> bool:
        """Whether this site filled it, or began to; other sites may share the server."""
        return self.note.get("site") == site_name()


def site_name() -> str:
    """Return 16 hex digits that tell this site from others on the server: of its secret key.

    All processes of a site have that key, whatever database they work in; the digest gives nothing
    of it away.
    """
    return salted_hmac("evaluation.databases", "site").hexdigest()[:16]


def name_for(held: Documents, recipe: Recipe, *further: str) -> str:
    """Return the database of these documents, cut, encoded and summed up this way.

    `further` is what else decides what it holds, such as who reads the files.
    """
    parts = [
        held.documents_digest,
        *further,
        site_recipe(encoder_facts()),
        names_of(configured(recipe.storage)),
        json.dumps(sorted(recipe.environment)),
        str(recipe.with_context),
        *([f"windows {window.tokens}/{window.stride}"] if (window := recipe.window) else []),
        *([summaries] if (summaries := made_by(encoder_facts())) else []),
    ]
    return PREFIX + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


def databases_kept() -> list[EvaluationDatabase]:
    """In order of their names. One query."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(_LIST, [f"^{_NAME.pattern}$"])
        return [
            EvaluationDatabase(name, size, json.loads(note) if note.startswith("{") else {})
            for name, size, note in cursor.fetchall()
        ]


def databases_filled(dataset: Documents) -> set[str]:
    """Return the names of those that hold all of the data set's documents. One query."""
    wanted = dataset.documents_digest
    return {kept.name for kept in databases_kept() if kept.note.get("complete") == wanted}


def database_drop(name: str) -> None:
    """Raise NoSuchDatabase for what is not one of ours, not there, or in use."""
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
    """Let the database of this process say of itself what it holds, and whose it is."""
    name = connections["owner"].settings_dict["NAME"]
    statement = sql.SQL("COMMENT ON DATABASE {} IS {}")
    _execute(
        statement.format(
            sql.Identifier(name), sql.Literal(json.dumps({**note, "site": site_name()}))
        )
    )


def note_of_this() -> Mapping[str, Any]:
    """Return what the database of this process says of itself. One query."""
    name = connections["owner"].settings_dict["NAME"]
    return next((kept.note for kept in databases_kept() if kept.name == name), {})


def folder_of_this() -> Path:
    """Return where files of the database of this process lie, apart from the site's."""
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
    """One process at a time fills a database; another waits here, and `on_wait` is called first.

    The lock has a connection of its own and ends with it: indexing closes the others when they are
    a minute old.
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
    """Let the planner know the tables after a bulk load, and give back what was replaced.

    Passages are written twice, without and with their search vectors: as they grew, they and their
    indexes would be measured at nearly twice their size.
    """
    _execute(sql.SQL("SET maintenance_work_mem = '512MB'"))
    _execute(sql.SQL("SET max_parallel_maintenance_workers = 0"))  # /dev/shm may be small
    _execute(sql.SQL("VACUUM (FULL) corpus_chunk"))
    _execute(sql.SQL("VACUUM (ANALYZE)"))


def _execute(statement: sql.Composable) -> None:
    connection = connections["owner"]
    with connection.cursor() as cursor:
        cursor.execute(statement.as_string(connection.connection))
