"""Parse, strictly, the TOML file that says which places a site watches. Pure.

[[source]]
name = "trust"
collection = "renal"
folder = "/mnt/guidelines"
every = "6h"

[[source]]
name = "national"
collection = "renal"
addresses = ["https://guidelines.example.org/sepsis.pdf"]

The keys of a library are those of `corpus.sources.library_specs`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from pathlib import Path
from typing import Any

from core.endpoint_settings import address_of
from corpus.sources.library_specs import KEYS, LibrarySpec, library_of

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
    name = table.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        wanted = "small letters, digits, - and _, after a letter, 31 at most"
        raise SourcesError(f"name of source {number} must be of {wanted}.")
    kind = table.get("kind", "")
    if kind not in ("", "sharepoint"):
        raise SourcesError(f'{name}: kind must be "sharepoint", or missing.')
    known = [field.name for field in fields(SourceSpec) if field.name != "library"]
    if kind:
        known = ["kind", "name", "collection", "every", "feeds_limited", *KEYS]
    if unknown := [key for key in table if key not in known]:
        raise SourcesError(f"{name}: {unknown[0]} is not one of {', '.join(known)}.")
    if not kind and ("folder" in table) is ("addresses" in table):
        raise SourcesError(f"{name}: give it either folder or addresses.")
    read: dict[str, Any] = {"name": name, "collection": _collection(name, table.get("collection"))}
    readers = {"folder": _folder, "addresses": _addresses, "every": _every, "feeds_limited": _yes}
    read |= {key: reader(name, table[key]) for key, reader in readers.items() if key in table}
    if kind:
        try:
            read["library"] = library_of(table)
        except ValueError as error:
            raise SourcesError(f"{name}: {error}") from error
    return SourceSpec(**read)


def _collection(name: str, raw: Any) -> str:
    if not isinstance(raw, str) or not re.fullmatch(r"[\w-]+", raw):
        raise SourcesError(f'{name}: collection must be the slug of one, such as "renal".')
    return raw


def _yes(name: str, raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise SourcesError(f"{name}: feeds_limited must be true or false.")
    return raw


def _folder(name: str, raw: Any) -> Path:
    if not isinstance(raw, str) or not raw.startswith("/") or not raw.isprintable():
        raise SourcesError(f"{name}: folder must be a path that begins with /; it is {raw!r}.")
    return Path(raw)


def _addresses(name: str, raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list) or not raw:
        raise SourcesError(f'{name}: addresses must be a list such as ["https://..."].')
    for number, address in enumerate(raw, start=1):
        try:
            is_good = address_of(address).startswith("https://") and len(address) <= MAX_REF_CHARS
        except (ValueError, AttributeError, TypeError):
            is_good = False
        if not is_good:  # not quoted: it may hold a password
            wanted = f"begin with https://, without user and password, {MAX_REF_CHARS} characters"
            raise SourcesError(f"{name}: number {number} of addresses must {wanted} at most.")
        if address in raw[: number - 1]:
            raise SourcesError(f"{name}: number {number} of addresses is there before.")
    return tuple(raw)


def _every(name: str, raw: Any) -> timedelta:
    found = _EVERY.fullmatch(raw) if isinstance(raw, str) else None
    every = timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else timedelta()
    if not _SHORTEST <= every <= _LONGEST:
        raise SourcesError(f'{name}: every must be from "10m" to "7d", such as "6h".')
    return every
