"""Read from a standby of the database where that is fresh enough, else from the primary.

Only `read_from_replica` chooses the standby, for reads that decide nothing. Everything else, and
all of it inside a transaction, goes to the primary: writes, rights, and whatever a person must see
right after doing it. The standby's lag is zero where it has replayed all that the primary has
flushed; else it is the age of the last transaction that it replayed, which on a quiet site is more
than the lag and never less.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.utils.connection import ConnectionProxy

from core.database_availability import AWAY, is_away, sqlstate

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

REPLICA = "replica"
CHECK_S = 1.0  # for so long a lag that was measured is taken for the present one
AWAY_S = 10.0  # for so long a standby that is away is not asked again
READ_S = 5.0  # for a statement: the primary is asked in place of a standby that hangs
_CONFLICT = "40001"  # replay needed what the statement was reading
_OTHER_TABLES = ("42P01", "42703")  # it has no such table or column
OTHER_TABLES = "its tables are not those of this release"
_FLUSHED = "SELECT pg_current_wal_flush_lsn()"
_REPLAYED = """
SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn() >= %s::pg_lsn,
       extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())
"""
_COLUMNS = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = current_schema()
"""

logger = logging.getLogger(__name__)
T = TypeVar("T")
_is_reading: ContextVar[bool] = ContextVar("is_reading", default=False)


@dataclass(frozen=True)
class Standing:
    """How far the standby is behind, in seconds, or why it can't be used."""

    behind_s: float = 0.0
    fault: str = ""

    @property
    def is_usable(self) -> bool:
        return not self.fault and self.behind_s <= settings.REPLICA_MAX_LAG_S


# The last standing of this process, and until when it holds. Replaced as a whole.
_known: tuple[float, Standing] = (0.0, Standing())


def read_from_replica(read: Callable[[], T], *, still_holds: Callable[[T], bool]) -> T:
    """Return what `read` reads from the standby if it holds on the primary, else from the primary.

    `read` must return rows, no queries. `still_holds` is asked on the primary whether what the
    standby returned may still be shown as it is. If not, if the standby is lost or hangs, if its
    replay cancels a statement that is in the way, or if it lacks a table or a column, `read` runs
    once more, on the primary.
    """
    if not _may_read():
        return read()
    try:
        found = _on_replica(read)
    except (Error, *AWAY) as error:
        if is_away(error):
            _remember(Standing(fault=f"it was lost ({type(error).__name__})"))
        elif sqlstate(error) in _OTHER_TABLES:
            _remember(Standing(fault=OTHER_TABLES))
        elif sqlstate(error) != _CONFLICT:
            raise
        connections[REPLICA].close()
        return read()
    return found if still_holds(found) else read()


def _on_replica(read: Callable[[], T]) -> T:
    reading = _is_reading.set(True)
    try:
        with connections[REPLICA].execute_wrapper(_bounded):
            return read()
    finally:
        _is_reading.reset(reading)


def _bounded(execute: Callable[..., T], *given: Any) -> T:
    """Run a statement, and end its connection if the standby does not answer in time."""
    with _cut_after(READ_S, connections[REPLICA].connection.fileno()):
        return execute(*given)


@contextmanager
def _cut_after(limit_s: float, descriptor: int) -> Iterator[None]:
    # PostgreSQL's own time-outs run in the server, which is what hangs. The copy of the descriptor
    # stays this connection's, whatever becomes of the number.
    with socket.socket(fileno=os.dup(descriptor)) as copy:
        timer = threading.Timer(limit_s, _shut, [copy])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def standing_measured() -> Standing:
    """Ask primary and standby how far the standby is behind. Runs a query on each."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_FLUSHED)
        (flushed,) = cursor.fetchone()
    try:
        replica = connections[REPLICA]
        with replica.execute_wrapper(_bounded), replica.cursor() as cursor:
            cursor.execute(_REPLAYED, [flushed])
            is_standby, has_all, age_s = cursor.fetchone()
    except AWAY as error:
        connections[REPLICA].close()
        return Standing(fault=f"it does not answer ({type(error).__name__})")
    if not is_standby:
        return Standing(fault="it is no standby: nothing is replayed there")
    if has_all:
        return Standing()
    return Standing(float(age_s) if age_s is not None else float("inf"))


def columns_missing() -> list[str]:
    """Return `table.column` of what the primary has and the standby lacks. A query on each."""
    found = []
    for alias in (DEFAULT_DB_ALIAS, REPLICA):
        one = connections[alias]
        with one.cursor() as cursor:
            cursor.execute(_COLUMNS)
            found.append({f"{table}.{column}" for table, column in cursor.fetchall()})
    return sorted(found[0] - found[1])


def forget_standing() -> None:
    """Measure the lag at the next read."""
    global _known
    _known = (0.0, Standing())


class ReplicaRouter:
    """Sends the reads of `read_from_replica` to the standby, and nothing else."""

    def db_for_read(self, model: type[Any], **hints: Any) -> str | None:
        return REPLICA if _alias() == REPLICA else _home_of(hints.get("instance"))

    def db_for_write(self, model: type[Any], **hints: Any) -> str | None:
        return _home_of(hints.get("instance"))

    def allow_relation(self, first: Any, second: Any, **hints: Any) -> bool | None:
        both = {first._state.db, second._state.db}
        return True if both == {DEFAULT_DB_ALIAS, REPLICA} else None

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        return False if db == REPLICA else None


class _ConnectionOfReads(ConnectionProxy):  # type: ignore[type-arg]  # generic in stubs alone
    """Stands for the standby's connection in `read_from_replica`, else for the application's."""

    _alias = property(lambda self: _alias())


# For modules that send their own SQL in a search, in place of `django.db.connection`.
connection: BaseDatabaseWrapper = _ConnectionOfReads(connections, DEFAULT_DB_ALIAS)  # type: ignore[assignment]


def _alias() -> str:
    is_replica = _is_reading.get() and not connections[DEFAULT_DB_ALIAS].in_atomic_block
    return REPLICA if is_replica else DEFAULT_DB_ALIAS


def _home_of(instance: Any) -> str | None:
    """Return the primary for a row that was read from the standby; Django decides for others."""
    is_from_replica = instance is not None and instance._state.db == REPLICA
    return DEFAULT_DB_ALIAS if is_from_replica else None


def _may_read() -> bool:
    if REPLICA not in connections.settings or _is_reading.get():
        return False
    if connections[DEFAULT_DB_ALIAS].in_atomic_block:
        return False
    until, standing = _known
    if time.monotonic() >= until:
        standing = _remember(standing_measured())
    return standing.is_usable


def _remember(standing: Standing) -> Standing:
    """Keep a standing for a while, and log where it changes between usable and not."""
    global _known
    was_usable = _known[1].is_usable
    if was_usable and not standing.is_usable:
        why = standing.fault or f"it is {standing.behind_s:.0f} s behind"
        logger.warning("The replica is not read: %s. Searches go to the primary.", why)
    elif standing.is_usable and not was_usable:
        logger.warning("The replica is read again.")
    _known = (time.monotonic() + (AWAY_S if standing.fault else CHECK_S), standing)
    return standing
