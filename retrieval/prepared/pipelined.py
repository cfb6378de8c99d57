"""Statements that the database works on while something else is done here, or several in one trip.

They are sent without waiting for their rows, in the driver's pipeline mode. One thread does so what
two would: where there are no more processors than processes at work, a thread more is one that
waits for its turn, and makes the database wait for its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, NamedTuple

from django.db import DatabaseError, connection
from django.db.backends.utils import CursorWrapper

from retrieval.prepared.statements import called, is_stale

Rows = list[tuple[Any, ...]]


class Statement(NamedTuple):
    """With its parameters; not prepared where it is best planned for their values."""

    text: str
    parameters: Mapping[str, Any]
    is_prepared: bool = True

    @property
    def call(self) -> str:
        return called(self.text, self.parameters) if self.is_prepared else self.text


class Sent:
    """Statements under way on this thread's connection."""

    def __init__(self, statements: Sequence[Statement | None], stack: ExitStack) -> None:
        self._statements, self._stack = statements, stack
        self._cursors: dict[int, CursorWrapper] = {}  # by place
        self._send()

    def rows(self) -> list[Rows]:
        """Return those of each, waited for; none for no statement. Raises as `cursor.execute`
        does.
        """
        return [
            self._rows(place, statement) if statement else []
            for place, statement in enumerate(self._statements)
        ]

    def _send(self) -> None:
        calls = {n: (one.call, one.parameters) for n, one in enumerate(self._statements) if one}
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
        """Tell whether to ask again, since a connection's prepared statements are not what they
        were.
        """
        if not is_stale(error) or connection.in_atomic_block:
            return False
        self._cursors = {}
        with suppress(DatabaseError):  # it says that what followed was not executed
            self._stack.close()
        return True


@contextmanager
def pipelined(*statements: Statement | None) -> Iterator[Sent]:
    """Send them, and go on at once. No other statement of this connection may come in between.

    As many queries as there are statements, which are prepared as by
    `retrieval.prepared.statements`.
    """
    with ExitStack() as stack:
        yield Sent(statements, stack)
