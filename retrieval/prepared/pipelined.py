"""Send statements without waiting for their rows, to work meanwhile or to save round trips.

Uses the driver's pipeline mode in one thread. A second thread would compete for the processor with
the database's own processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, NamedTuple

from django.db import DatabaseError
from django.db.backends.utils import CursorWrapper

from core.replica import connection
from retrieval.prepared.statements import called, is_stale

Rows = list[tuple[Any, ...]]


class Statement(NamedTuple):
    """A statement and its parameters; unprepared where it is best planned for their values."""

    text: str
    parameters: Mapping[str, Any]
    is_prepared: bool = True

    @property
    def call(self) -> str:
        return called(self.text, self.parameters) if self.is_prepared else self.text


class Sent:
    """Statements in flight on this thread's connection."""

    def __init__(self, statements: Sequence[Statement | None], stack: ExitStack) -> None:
        self._statements, self._stack = statements, stack
        self._cursors: dict[int, CursorWrapper] = {}  # by place
        self._send()

    def rows(self) -> list[Rows]:
        """Wait for the rows of each statement; empty for None. Raises as `cursor.execute` does."""
        return [
            self._rows(place, statement) if statement else []
            for place, statement in enumerate(self._statements)
        ]

    def _send(self) -> None:
        calls = {n: (s.call, s.parameters) for n, s in enumerate(self._statements) if s}
        if not calls:
            return
        connection.ensure_connection()
        self._stack.enter_context(connection.wrap_database_errors)
        self._stack.enter_context(connection.connection.pipeline())
        cursors = {place: self._stack.enter_context(connection.cursor()) for place in calls}
        try:
            for place, call in calls.items():
                cursors[place].execute(*call)
        except DatabaseError as error:  # of one before: it has come back by now
            if not self._is_left_after(error):
                raise
        else:
            self._cursors = cursors

    def _rows(self, place: int, statement: Statement) -> Rows:
        if place in self._cursors:
            try:
                return list(self._cursors[place].fetchall())
            except DatabaseError as error:
                if not self._is_left_after(error):
                    raise
        with connection.cursor() as cursor:
            cursor.execute(statement.text, statement.parameters)
            return list(cursor.fetchall())

    def _is_left_after(self, error: DatabaseError) -> bool:
        """Tell whether to send the statements again, unprepared, since prepared ones are stale."""
        if not is_stale(error) or connection.in_atomic_block:
            return False
        self._cursors = {}
        with suppress(DatabaseError):  # it says that what followed was not executed
            self._stack.close()
        return True


@contextmanager
def pipelined(*statements: Statement | None) -> Iterator[Sent]:
    """Send the statements and continue; the connection must run no other statement in between.

    Counts as one query for each statement. They are prepared by `retrieval.prepared.statements`.
    """
    with ExitStack() as stack:
        yield Sent(statements, stack)
