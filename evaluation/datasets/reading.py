"""Read the values of a record. Pure."""

from __future__ import annotations

from typing import Any

from evaluation.datasets.types import Malformed


def id_of(value: Any, place: str) -> str:
    """Return an id, a text or a whole number, as text. Raises Malformed with the place."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Malformed(f"{place}: an id must be a text or a whole number.")
    return str(value)


def text_of(value: Any, place: str) -> str:
    """Return a text, empty for None, with lone surrogates replaced, which no file can hold.

    Raises Malformed with the place.
    """
    if value is not None and not isinstance(value, str):
        raise Malformed(f"{place}: a text is needed.")
    return (value or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
