"""The mark of a restore that has not come to its end: a table in the database itself.

While it is there nothing of what was restored is served, whichever machine looks: it may be half
there, or not yet compared with what the backup says.
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
    """Return one query, which needs no right on the table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [TABLE])
        return bool(cursor.fetchone()[0])


def refuse_unfinished() -> None:
    """Check what a command asks before it makes tables or uses them. Raises CommandError."""
    try:
        if is_unfinished():
            raise CommandError(SENTENCE)
    except Error as error:
        raise CommandError(sentence_of(error)) from error
