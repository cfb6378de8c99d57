"""Read the tables of a settings' file strictly. Errors are sentences that quote no secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def rows_of(
    tables: Mapping[str, Any],
    row: str,
    *,
    needed: tuple[str, ...],
    beside: tuple[str, ...] = (),
    possible: tuple[str, ...] = (),
) -> list[dict[str, str]]:
    """Return the tables of one name, each with texts and an issuer of its own."""
    if unknown := sorted(tables.keys() - {row, *beside}):
        raise ValueError(f"{unknown[0]} is not one of {', '.join((row, *beside))}.")
    rows, wanted = tables.get(row), ", ".join(needed)
    if not isinstance(rows, list) or not rows:
        raise ValueError(f"it names no {row}. Write [[{row}]] with {wanted}.")
    for each in rows:
        if not isinstance(each, dict) or not {*needed} <= {*each} <= {*needed, *possible}:
            more = f", and possibly {', '.join(possible)}" if possible else ""
            raise ValueError(f"a [[{row}]] has {wanted}{more}.")
        if not all(isinstance(value, str) and value.strip() for value in each.values()):
            raise ValueError(f"what a [[{row}]] says is text in quotes.")
    if len({each["issuer"].rstrip("/") for each in rows}) < len(rows):
        raise ValueError("an issuer is named twice.")
    return rows
