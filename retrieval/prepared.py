"""Statements that questions repeat, planned once a connection and not for each question.

To plan the statements of a question takes PostgreSQL about a sixth of the time that it has for it.
So what a connection has sent before is prepared there, and called by its name with the parameters
alone: as text, so that a call stands between other statements of one trip. After five calls, each
planned for its own values, PostgreSQL keeps one plan for all values where it expects that to be no
worse. Limits stay in the text: without them it would plan for a tenth of a table.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.backends.utils import CursorWrapper

MOST_PREPARED = 100  # statements a connection; those that were called least lately go first
_LIMITS = ("fetched", "limit", "most", "rescored", "summaries")
_MARK = re.compile(r"%\((\w+)\)s|%%")
# The statement is not there, was there already, or gives other columns since a table was changed.
_STALE = {"26000", "42P05", "0A000"}


@dataclass
class _Prepared:
    """Of one connection, by statement and limits: its name, or none where it was sent once."""

    names: OrderedDict[tuple[Any, ...], str] = field(default_factory=OrderedDict)
    is_given_up: bool = False


# Gone with the connection, so that a new one starts with nothing.
_of_connections: WeakKeyDictionary[Any, _Prepared] = WeakKeyDictionary()


def execute(
    cursor: CursorWrapper,
    statement: str,
    parameters: Mapping[str, Any],
    *,
    before: str = "",
    after: str = "",
) -> None:
    """Execute it as `cursor.execute` does, with what stands `before` and `after` it in one trip.

    A connection whose statements are not what they were prepares no more of them; outside of a
    transaction the question does not notice. One query, and the first time that a statement comes
    again a trip that no count of queries shows.
    """
    plain = f"{before}{statement}{after}"
    prepared = _of_connections.setdefault(connection.connection, _Prepared())
    if not settings.PREPARED_STATEMENTS or prepared.is_given_up:
        cursor.execute(plain, parameters)
        return
    try:
        call = _call(prepared, statement, parameters)
        cursor.execute(f"{before}{call}{after}", parameters)
    except DatabaseError as error:
        if getattr(error.__cause__, "sqlstate", None) not in _STALE:
            raise
        prepared.is_given_up = True
        if connection.in_atomic_block:
            raise
        cursor.execute(plain, parameters)


def _call(prepared: _Prepared, statement: str, parameters: Mapping[str, Any]) -> str:
    """The statement itself the first time, and from then on what calls it."""
    limits = {name: parameters[name] for name in _LIMITS if f"%({name})s" in statement}
    key = (statement, *limits.values())
    name = prepared.names.get(key)
    if name is None:
        prepared.names[key] = ""
        while len(prepared.names) > MOST_PREPARED:
            _deallocate(prepared.names.popitem(last=False)[1])
        return statement
    arguments = _arguments(statement, limits)
    if not name:
        prepared.names[key] = name = _prepare(statement, limits, arguments)
    prepared.names.move_to_end(key)
    return f"EXECUTE {name}({', '.join(f'%({argument})s' for argument in arguments)})"


def _arguments(statement: str, limits: Mapping[str, int]) -> list[str]:
    """The names of its parameters in the order of their first use, without limits."""
    names = dict.fromkeys(match[1] for match in _MARK.finditer(statement) if match[1])
    return [name for name in names if name not in limits]


def _prepare(statement: str, limits: Mapping[str, int], arguments: list[str]) -> str:
    """Its name, made of its text: behind a pool the same name is never another statement."""
    marks = {name: f"${number}" for number, name in enumerate(arguments, start=1)}
    marks |= {name: str(int(limit)) for name, limit in limits.items()}
    text = _MARK.sub(lambda match: marks[match[1]] if match[1] else "%", statement)
    name = f"medrag_{hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}"
    _send(f"PREPARE {name} AS {text}")
    return name


def _deallocate(name: str) -> None:
    if name:
        _send(f"DEALLOCATE {name}")


def _send(text: str) -> None:
    with connection.wrap_database_errors:
        connection.connection.execute(text)
