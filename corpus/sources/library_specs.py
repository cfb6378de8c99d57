"""Parse what the file of sources says of a library of SharePoint or OneDrive. Pure.

`docs/guidelines.md` has an example.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from core.endpoint_settings import address_of


@dataclass(frozen=True)
class Columns:
    """Internal names of the library's columns; empty: not read."""

    status: str = ""
    review_by: str = ""
    owner: str = ""
    version: str = "_UIVersionString"


@dataclass(frozen=True)
class LibrarySpec:
    """A library of a site, and the application that may read it: by a certificate or a secret."""

    tenant: str
    client: str
    site: str
    library: str
    certificate: Path | None = None  # PEM, key and certificate
    secret: Path | None = None
    secret_ends: datetime.date | None = None
    folders: tuple[str, ...] = ()  # from the library's root; none: all of it
    columns: Columns = Columns()
    approved: tuple[str, ...] = ("Approved",)  # values of the status that are taken in
    on_delete: str = "tell"
    login: str = "https://login.microsoftonline.com"
    graph: str = "https://graph.microsoft.com"


KEYS = tuple(field.name for field in fields(LibrarySpec))


def library_of(table: Mapping[str, Any]) -> LibrarySpec:
    """Return the library that the keys of a table name. Raises ValueError, which says the fault."""
    lacking = [f.name for f in fields(LibrarySpec) if f.default is MISSING and f.name not in table]
    if lacking:
        raise ValueError(f"give it {' and '.join(lacking)}.")
    if ("certificate" in table) is ("secret" in table):
        raise ValueError("give it either certificate or secret, the path of a file.")
    return LibrarySpec(**{key: _READERS[key](key, table[key]) for key in KEYS if key in table})


def matching(pattern: str, wanted: str) -> Any:
    """Return the reader of a key whose text must match."""

    def read(key: str, raw: Any) -> str:
        if not isinstance(raw, str) or not re.fullmatch(pattern, raw):
            raise ValueError(f"{key} must be {wanted}.")
        return raw

    return read


def path_of(key: str, raw: Any) -> Path:
    if not isinstance(raw, str) or not raw.startswith("/") or not raw.isprintable():
        raise ValueError(f"{key} must be a path that begins with /.")
    return Path(raw)


def https_of(key: str, raw: Any, *, is_base: bool = True) -> str:
    """Return an address; `is_base`: paths are put to its end."""
    try:
        is_good = address_of(raw).startswith("https://") and not (is_base and set(raw) & set("?#"))
    except (ValueError, AttributeError, TypeError):
        is_good = False
    if not is_good:  # not quoted: it may hold a password
        without = "user, password and query" if is_base else "user and password"
        raise ValueError(f"{key} must begin with https://, without {without}.")
    return str(raw).rstrip("/") if is_base else str(raw)


def _date(key: str, raw: Any) -> datetime.date:
    if type(raw) is not datetime.date:
        raise ValueError(f"{key} must be a date such as 2027-03-31, without quotes.")
    return raw


def _words(key: str, raw: Any) -> tuple[str, ...]:
    if not isinstance(raw, list) or not raw or not all(isinstance(w, str) and w for w in raw):
        raise ValueError(f'{key} must be a list such as ["Approved"].')
    return tuple(word.strip("/") for word in raw)


def _columns(key: str, raw: Any) -> Columns:
    known = [field.name for field in fields(Columns)]
    if not isinstance(raw, dict) or raw.keys() - set(known):
        raise ValueError(f"{key} must be a table of {', '.join(known)}.")
    column = matching(r"\w{1,100}", "a column's internal name: Review_x0020_date")
    return Columns(**{name: column(f"{key}.{name}", value) for name, value in raw.items()})


_READERS: dict[str, Any] = {
    "tenant": matching("[A-Za-z0-9][A-Za-z0-9.-]{1,99}", "the tenant's id or domain"),
    "client": matching(
        "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
        "the application's id, such as 5f3c9a52-9d0e-...-1f0a2b3c4d5e",
    ),
    "library": matching("[^/]{1,255}", "the library's name"),
    "on_delete": matching("tell|withdraw", '"tell" or "withdraw"'),
    **dict.fromkeys(("site", "login", "graph"), https_of),
    **dict.fromkeys(("certificate", "secret"), path_of),
    **dict.fromkeys(("folders", "approved"), _words),
    "secret_ends": _date,
    "columns": _columns,
}
