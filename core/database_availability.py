"""Whether the database is away, in distinction to what it answers, and waiting until it is back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import psycopg
from django.db import Error, InterfaceError, OperationalError, close_old_connections, connection

# Of Django's connections, and of those that are made beside them.
AWAY = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)
PAUSE_S = 0.5
DISK_FULL = "53100"

T = TypeVar("T")


def sqlstate(error: BaseException) -> str:
    """PostgreSQL's code of an error; empty where the server could say none."""
    cause = error.__cause__ if isinstance(error, Error) else error
    return str(getattr(cause, "sqlstate", None) or "")


def is_away(error: BaseException) -> bool:
    """Tell whether no connection was to be had, or the one that there was is gone."""
    state = sqlstate(error)
    return isinstance(error, AWAY) and (not state or state.startswith(("08", "57P")))


def in_words(error: BaseException) -> str:
    """Say what is wrong with a database that can't be used, for a line of the log."""
    is_full = sqlstate(error) == DISK_FULL
    return "the database's disk is full" if is_full else "the database is away"


def refresh_connection() -> None:
    """Drop a connection that broke or is too old, in a process that serves no requests."""
    if not connection.in_atomic_block:
        close_old_connections()


def when_it_answers(call: Callable[[], T]) -> T:
    """Return what `call` returns as soon as the database answers, however long it is away.

    For a process of the worker, which can do nothing without it. `call` may run several times.
    """
    while True:
        refresh_connection()
        try:
            return call()
        except AWAY as error:
            if not is_away(error):
                raise
        time.sleep(PAUSE_S)
