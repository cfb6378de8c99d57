"""Tell an unreachable database from an error that it returned, and wait until it is back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import psycopg
from django.db import Error, InterfaceError, OperationalError, close_old_connections, connection

# Of Django's connections, and of those that are made in addition to them.
AWAY = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)
PAUSE_S = 0.5
DISK_FULL = "53100"

T = TypeVar("T")


def sqlstate(error: BaseException) -> str:
    """Return PostgreSQL's error code; empty where the server could not send one."""
    cause = error.__cause__ if isinstance(error, Error) else error
    return str(getattr(cause, "sqlstate", None) or "")


def is_away(error: BaseException) -> bool:
    """Tell whether an error means that no connection could be made or that it was lost."""
    state = sqlstate(error)
    return isinstance(error, AWAY) and (not state or state.startswith(("08", "57P")))


def in_words(error: BaseException) -> str:
    """Describe an unusable database for a log line."""
    is_full = sqlstate(error) == DISK_FULL
    return "the database's disk is full" if is_full else "the database is away"


def refresh_connection() -> None:
    """Drop a broken or old connection, in a process that serves no requests."""
    if not connection.in_atomic_block:
        close_old_connections()


def retry_until_available(call: Callable[[], T]) -> T:
    """Call until the database answers, however long that takes, and return the result.

    For worker processes, which can do nothing without it. `call` may run several times.
    """
    while True:
        refresh_connection()
        try:
            return call()
        except AWAY as error:
            if not is_away(error):
                raise
        time.sleep(PAUSE_S)
