"""Statements that questions repeat, planned once a connection and not for each question.

To plan the statements of a question takes PostgreSQL about a sixth of the time that it has for it.
So what a connection has sent before is prepared there, and called by its name with the parameters
alone: as text, so that a call stands between other statements of one trip. Its plan is one for all
values (`plan_cache_mode` of the connection): what is best planned for its own is not sent this way.
Limits stay in the text: without them it would be a plan for a tenth of a table.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.backends.utils import CursorWrapper

MOST_PREPARED = 200  # statements a connection; those that were called least lately go first
_LIMITS = ("fetched", "limit", "most", "rescored")
_MARK = re.compile(r"%\((\w+)\)s|%%")
# The statement is not there, was there already, or gives other columns since a table was changed.
_STALE = {"26000", "42P05", "0A000"}


class _Call(NamedTuple):
    """How it is called, once it is prepared."""

    name: str
    text: str


@dataclass
class _Prepared:
    """Of one connection, by statement and limits: its call, or none where it was sent once."""

    calls: OrderedDict[tuple[Any, ...], _Call | None] = field(default_factory=OrderedDict)
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
    call = called(statement, parameters)
    try:
        cursor.execute(f"{before}{call}{after}", parameters)
    except DatabaseError as error:
        if not is_stale(error) or connection.in_atomic_block:
            raise
        cursor.execute(f"{before}{statement}{after}", parameters)


def called(statement: str, parameters: Mapping[str, Any]) -> str:
    """Return what to send instead of it with the same parameters; itself where it is not
    prepared.
    """
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    prepared = _of_connections.setdefault(connection.connection, _Prepared())
    if prepared.is_given_up or not settings.PREPARED_STATEMENTS:
        return statement
    try:
        return _call(prepared, statement, parameters)
    except DatabaseError as error:
        if not is_stale(error) or connection.in_atomic_block:
            raise
        return statement


def is_stale(error: DatabaseError) -> bool:
    """Tell whether it says that a prepared statement is not what it was; then no more are
    prepared.
    """
    if getattr(error.__cause__, "sqlstate", None) not in _STALE:
        return False
    _of_connections[connection.connection].is_given_up = True
    return True


def _call(prepared: _Prepared, statement: str, parameters: Mapping[str, Any]) -> str:
    """Return the statement itself the first time, and from then on what calls it."""
    limits = {name: parameters[name] for name in _LIMITS if f"%({name})s" in statement}
    key = (statement, *limits.values())
    if key not in prepared.calls:
        prepared.calls[key] = None
        if len(prepared.calls) > MOST_PREPARED:
            _deallocate(prepared.calls.popitem(last=False)[1])
        return statement
    prepared.calls.move_to_end(key)
    call = prepared.calls[key]
    if call is None:
        prepared.calls[key] = call = _prepare(statement, limits)
    return call.text


def _prepare(statement: str, limits: Mapping[str, int]) -> _Call:
    """Under a name made of its text: behind a pool the same name is never another statement."""
    names = dict.fromkeys(match[1] for match in _MARK.finditer(statement) if match[1])
    arguments = [name for name in names if name not in limits]
    marks = {name: f"${number}" for number, name in enumerate(arguments, start=1)}
    marks |= {name: str(int(limit)) for name, limit in limits.items()}
    text = _MARK.sub(lambda match: marks[match[1]] if match[1] else "%", statement)
    name = f"medrag_{hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}"
    _send(f"PREPARE {name} AS {text}")
    return _Call(name, f"EXECUTE {name}({', '.join(f'%({each})s' for each in arguments)})")


def _deallocate(call: _Call | None) -> None:
    if call:
        _send(f"DEALLOCATE {call.name}")


def _send(text: str) -> None:
    with connection.wrap_database_errors:
        connection.connection.execute(text)
