"""Find whom the columns of a row are for. Pure."""

from __future__ import annotations

from functools import lru_cache

from core.language.en.patients.people import People, apart, people_of


@lru_cache(maxsize=8192)
def columns_of(row: str) -> tuple[People, ...]:
    """Return whom the columns of a row are for whose heads name ages."""
    heads = (cell.partition(":") for cell in row.split("; "))
    named = (people_of(f"aged {head}") for head, colon, _ in heads if colon)
    return tuple(people for people in named if people.ages or people.age_groups)


def column_for(patients: People, row: str) -> People | None:
    """Return whom the column of a row is for whose head names the patients' age; None without."""
    return next((people for people in columns_of(row) if apart(patients, people) is None), None)
