"""Parse what the file of sources says of a library of SharePoint or OneDrive. Pure.

[[source]]
name = "renal"
collection = "renal"
kind = "sharepoint"
tenant = "contoso.onmicrosoft.com"
client = "5f3c9a52-9d0e-4f55-8c3a-1f0a2b3c4d5e"
certificate = "/etc/medrag/sharepoint.pem"
site = "https://contoso.sharepoint.com/sites/renal"
library = "Guidelines"
folders = ["In force"]
on_delete = "withdraw"
columns = { status = "Approval", review_by = "Review_x0020_date", owner = "Owner" }
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from core.endpoint_settings import address_of

_TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{1,99}")
_CLIENT = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_COLUMN = re.compile(r"\w{1,100}")  # an internal name


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


def _matching(pattern: re.Pattern[str], wanted: str) -> Any:
    def read(key: str, raw: Any) -> str:
        if not isinstance(raw, str) or not pattern.fullmatch(raw):
            raise ValueError(f"{key} must be {wanted}.")
        return raw

    return read


def _path(key: str, raw: Any) -> Path:
    if not isinstance(raw, str) or not raw.startswith("/") or not raw.isprintable():
        raise ValueError(f"{key} must be the path of a file, which begins with /.")
    return Path(raw)


def _address(key: str, raw: Any) -> str:
    try:
        is_good = address_of(raw).startswith("https://") and not set(raw) & set("?#")
    except (ValueError, AttributeError, TypeError):
        is_good = False
    if not is_good:
        raise ValueError(f"{key} must begin with https://, without user, password and query.")
    return str(raw).rstrip("/")


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
    if not all(isinstance(name, str) and _COLUMN.fullmatch(name) for name in raw.values()):
        raise ValueError(f"{key} must name columns by their internal names: Review_x0020_date.")
    return Columns(**raw)


_READERS: dict[str, Any] = {
    "tenant": _matching(_TENANT, "the tenant's id or domain"),
    "client": _matching(_CLIENT, "the application's id, such as 5f3c9a52-9d0e-...-1f0a2b3c4d5e"),
    "site": _address,
    "library": _matching(re.compile(r"[^/]{1,255}"), "the library's name"),
    "certificate": _path,
    "secret": _path,
    "secret_ends": _date,
    "folders": _words,
    "columns": _columns,
    "approved": _words,
    "on_delete": _matching(re.compile("tell|withdraw"), '"tell" or "withdraw"'),
    "login": _address,
    "graph": _address,
}
