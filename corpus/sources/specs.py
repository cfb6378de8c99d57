"""Parse, strictly, the TOML file that says which places a site watches. Pure.

`docs/guidelines.md` has examples.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from corpus.sources.library_specs import KEYS, LibrarySpec, https_of, library_of, matching, path_of

MAX_REF_CHARS = 500
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,30}")
_EVERY = re.compile(r"([1-9][0-9]{0,4})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_SHORTEST, _LONGEST = timedelta(minutes=10), timedelta(days=7)


class SourcesError(ValueError):
    """A fault of the file, with the source and its key, for whoever wrote the file."""


@dataclass(frozen=True)
class SourceSpec:
    """A source to watch: a folder, addresses or a library.

    `feeds_limited`: it may add to its collection whatever groups the right to upload is limited to.
    """

    name: str
    collection: str  # slug; it may be missing until the first look
    folder: Path | None = None
    addresses: tuple[str, ...] = ()
    every: timedelta = timedelta(hours=6)
    library: LibrarySpec | None = None
    feeds_limited: bool = False


def sources_from(tables: Mapping[str, Any]) -> tuple[SourceSpec, ...]:
    """Return the sources of a file, in its order. Raises SourcesError for a wrong entry."""
    if unknown := sorted(tables.keys() - {"source"}):
        raise SourcesError(f"{unknown[0]} is not known here. Write [[source]] for each source.")
    written = tables.get("source")
    if not written or not isinstance(written, list) or not all(type(t) is dict for t in written):
        raise SourcesError("it names no source. Write [[source]] and its keys below it.")
    found = tuple(_spec(number, table) for number, table in enumerate(written, start=1))
    for name in (names := [spec.name for spec in found]):
        if names.count(name) > 1:
            raise SourcesError(f'name = "{name}" is given to {names.count(name)} sources.')
    return found


def _spec(number: int, table: Mapping[str, Any]) -> SourceSpec:
    name, kind = table.get("name"), table.get("kind", "")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        wanted = "small letters, digits, - and _, after a letter, 31 at most"
        raise SourcesError(f"name of source {number} must be of {wanted}.")
    if kind not in ("", "sharepoint"):
        raise SourcesError(f'{name}: kind must be "sharepoint", or missing.')
    known = ["kind", *_READERS, *KEYS] if kind else [*_READERS, "folder", "addresses"]
    if unknown := [key for key in table if key not in known]:
        raise SourcesError(f"{name}: {unknown[0]} is not one of {', '.join(known)}.")
    if not kind and ("folder" in table) is ("addresses" in table):
        raise SourcesError(f"{name}: give it either folder or addresses.")
    try:
        return SourceSpec(
            **{
                key: reader(key, table.get(key))
                for key, reader in _READERS.items()
                if key in table or key == "collection"
            },
            folder=path_of("folder", table["folder"]) if "folder" in table else None,
            addresses=_addresses(table["addresses"]) if "addresses" in table else (),
            library=library_of(table) if kind else None,
        )
    except ValueError as error:
        raise SourcesError(f"{name}: {error}") from error


def _yes(key: str, raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise ValueError(f"{key} must be true or false.")
    return raw


def _addresses(raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list) or not raw:
        raise ValueError('addresses must be a list such as ["https://..."].')
    for number, address in enumerate(raw, start=1):
        key = f"number {number} of addresses"
        if len(https_of(key, address, is_base=False)) > MAX_REF_CHARS:
            raise ValueError(f"{key} must have {MAX_REF_CHARS} characters at most.")
        if address in raw[: number - 1]:
            raise ValueError(f"{key} is there before.")
    return tuple(raw)


def _every(key: str, raw: Any) -> timedelta:
    found = _EVERY.fullmatch(raw) if isinstance(raw, str) else None
    every = timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else timedelta()
    if not _SHORTEST <= every <= _LONGEST:
        raise ValueError(f'{key} must be from "10m" to "7d", such as "6h".')
    return every


_READERS: dict[str, Any] = {  # of every kind of source
    "name": matching(_NAME.pattern, ""),
    "collection": matching(r"[\w-]+", 'the slug of one, such as "renal"'),
    "every": _every,
    "feeds_limited": _yes,
}
