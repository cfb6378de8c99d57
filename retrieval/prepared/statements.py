"""Prepare repeated statements once a connection, instead of planning them for each question.

Planning takes about a sixth of PostgreSQL's time for a question. A statement that a connection has
sent before is prepared and then called by name, as text, so that a call can stand among other
statements of one trip. It has one plan for all values (`plan_cache_mode` of the connection);
statements that need a plan for their values are not sent this way. Limits stay in the text, since
the planner would otherwise assume a tenth of a table.
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
from django.db import DatabaseError
from django.db.backends.utils import CursorWrapper

from core.replica import connection

MOST_PREPARED = 200  # statements a connection; those that were called least lately go first
_LIMITS = ("fetched", "limit", "most", "rescored")
_MARK = re.compile(r"%\((\w+)\)s|%%")
# The statement is not there, was there already, or gives other columns since a table was changed.
_STALE = {"26000", "42P05", "0A000"}


class _Call(NamedTuple):
    """The name of a prepared statement and the text that calls it."""

    name: str
    text: str


@dataclass
class _Prepared:
    """A connection's statements by text and limits: the call, or None if sent only once so far."""

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
    """Execute as `cursor.execute` does, with the SQL `before` and `after` it in the same trip.

    A connection whose prepared statements went stale prepares no more; outside a transaction the
    statement is sent again unprepared. Counts as one query; preparing takes one uncounted trip.
    """
    call = called(statement, parameters)
    try:
        cursor.execute(f"{before}{call}{after}", parameters)
    except DatabaseError as error:
        if not is_stale(error) or connection.in_atomic_block:
            raise
        cursor.execute(f"{before}{statement}{after}", parameters)


def called(statement: str, parameters: Mapping[str, Any]) -> str:
    """Return the text that calls the prepared statement, or the statement itself if unprepared."""
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
    """Tell whether an error means a stale prepared statement; if so, prepare no more here."""
    if getattr(error.__cause__, "sqlstate", None) not in _STALE:
        return False
    _of_connections[connection.connection].is_given_up = True
    return True


def _call(prepared: _Prepared, statement: str, parameters: Mapping[str, Any]) -> str:
    """Return the statement itself the first time, and from then on the text that calls it."""
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
    """Prepare a statement under a hash of its text: behind a pooler no name may mean two things."""
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
