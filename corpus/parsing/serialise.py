"""Write a parsed document as JSON, and read it again.

JSON and not a pickle, since the child process that writes it has read a hostile file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from corpus.parsing.types import ParsedDocument, ParseError, Table


def to_json(document: ParsedDocument) -> str:
    """Return `document` as JSON; equal documents give equal strings."""
    return json.dumps(asdict(document), ensure_ascii=False, sort_keys=True, allow_nan=False)


def from_json(text: str) -> ParsedDocument:
    """Return the document that `to_json` wrote.

    Raises ParseError (`parser_output`) for anything else.
    """
    try:
        return from_raw(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise unreadable_output() from error


def from_raw(raw: dict[str, Any]) -> ParsedDocument:
    """Return a document from parsed JSON. Raises whatever unexpected JSON causes."""
    return cast(ParsedDocument, _reader(ParsedDocument)(raw))


def table_from_raw(raw: dict[str, Any]) -> Table:
    """Return a table from parsed JSON. Raises whatever unexpected JSON causes."""
    return cast(Table, _reader(Table)(raw))


def unreadable_output() -> ParseError:
    """Return the error of a child process whose output can't be read."""
    return ParseError(
        "The parser wrote a result that can't be read.",
        code="parser_output",
        hint="Try again; if it happens again, report the file.",
        retryable=True,
    )


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return a function that makes a value of this type from JSON.

    JSON stored by an older release may lack fields that have defaults.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        fields = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}
        return lambda raw: kind(**{name: fields[name](raw[name]) for name in fields if name in raw})
    if origin is UnionType:  # with None
        inner = _reader(parts[0])
        return lambda raw: None if raw is None else inner(raw)
    if origin is dict:
        return lambda raw: {parts[0](key): parts[1](value) for key, value in raw.items()}
    if origin is tuple and parts[-1] is ...:
        each = _reader(parts[0])
        return lambda raw: tuple(map(each, raw))
    if origin is tuple:
        return lambda raw: tuple(part(value) for part, value in zip(parts, raw, strict=True))
    return cast(Callable[[Any], Any], kind)
