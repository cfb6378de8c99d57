"""PostgreSQL's plan for a dense search."""

from collections.abc import Callable

from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext


def plan_of(search: Callable[[], object]) -> str:
    """Return the plan of the search's one vector statement, under the settings sent with it."""
    with CaptureQueriesContext(connection) as queries:
        search()
    marks = ("told_apart", "EXECUTE medrag_")  # unprepared or prepared
    (sent,) = [query["sql"] for query in queries if any(mark in query["sql"] for mark in marks)]
    *settings, statement = [part for part in sent.split(";") if "'on', true" not in part]
    with transaction.atomic(), connection.cursor() as cursor:
        for setting in settings:
            cursor.execute(setting)
        cursor.execute(f"EXPLAIN {statement}")
        return "\n".join(line for (line,) in cursor.fetchall())
