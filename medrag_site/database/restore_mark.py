"""Mark an unfinished restore by a table in the database itself.

While the table exists no machine serves what was restored: it may be incomplete, or not yet
compared with the backup.
"""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db import Error, connection

from medrag_site.database.faults import sentence_of

TABLE = "restore_unfinished"
SENTENCE = (
    "A restore into this database was begun and has not come to its end: what is here may not be "
    "whole, and nothing of it is used. Run manage.py restore with the same backup again."
)


def is_unfinished() -> bool:
    """Tell whether a restore is unfinished. Runs one query, which needs no right on the table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [TABLE])
        return bool(cursor.fetchone()[0])


def refuse_unfinished() -> None:
    """Raise CommandError if a restore is unfinished, or the database can't be asked."""
    try:
        if is_unfinished():
            raise CommandError(SENTENCE)
    except Error as error:
        raise CommandError(sentence_of(error)) from error
