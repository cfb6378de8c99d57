"""The lexicon as releases until 0.14 brought it, frozen: a table that has run must stay known.

`earlier_lexicon.tsv` has a row for each entry, with the migration that brought it. What releases
bring since is in `core.language.en.short_forms`.
"""

from pathlib import Path
from typing import Any

from django.db.models import Manager

_TABLE = Path(__file__).with_name("earlier_lexicon.tsv")


def rows(*migrations: int) -> list[dict[str, str]]:
    """Return what these migrations brought, or all did, as the fields of the model."""
    header, *lines = (line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines())
    return [
        dict(zip(header[1:], fields))
        for number, *fields in lines
        if not migrations or int(number) in migrations
    ]


def seed(entries: Manager[Any], migration: int) -> None:
    """Add what a migration brings. An entry of the same form is the staff's and stays."""
    entries.bulk_create((entries.model(**row) for row in rows(migration)), ignore_conflicts=True)
