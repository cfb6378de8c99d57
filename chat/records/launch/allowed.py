"""Read which records may launch the site. No Django."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jwt

from core.endpoint_settings import is_guarded, secret_of

_FILE = ("record", "facts_minutes", "link_days")
_RECORD = ("issuer", "name", "client_id", "client_secret", "key")
_NEEDED = _RECORD[:3]
_ALGORITHMS = {"EC": "ES384", "RSA": "RS384"}  # those that every server has to take


@dataclass(frozen=True)
class LaunchingRecord:
    """A record that may launch the site, and how the site proves there who it is.

    With neither secret nor key it is a public client.
    """

    issuer: str  # base address of its FHIR server, without a slash at its end
    name: str
    client_id: str
    secret: str = field(default="", repr=False)
    key: jwt.PyJWK | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Launch:
    """The records, how long their facts hold, and how long a person is known by them."""

    records: tuple[LaunchingRecord, ...] = ()
    facts_minutes: int = 60
    link_days: int = 30

    def __bool__(self) -> bool:
        return bool(self.records)

    def record(self, issuer: str) -> LaunchingRecord | None:
        """Return the record of this address, with or without a slash at its end."""
        wanted = issuer.removesuffix("/")
        return next((each for each in self.records if each.issuer == wanted), None)


def launch_from(tables: Mapping[str, Any]) -> Launch:
    """Read the settings' file. Raises ValueError with a sentence on what is wrong."""
    if unknown := sorted(tables.keys() - set(_FILE)):
        raise ValueError(f"{unknown[0]} is not one of {', '.join(_FILE)}.")
    written = tables.get("record")
    if not isinstance(written, list) or not written:
        raise ValueError("it names no record. Write [[record]] with issuer, name and client_id.")
    records = tuple(_record(table) for table in written)
    if len({each.issuer for each in records}) < len(records):
        raise ValueError("an issuer is named twice.")
    minutes = _number(tables, "facts_minutes", Launch.facts_minutes, 480)
    return Launch(records, minutes, _number(tables, "link_days", Launch.link_days, 365))


def _number(tables: Mapping[str, Any], name: str, default: int, most: int) -> int:
    number = tables.get(name, default)
    if type(number) is not int or not 1 <= number <= most:
        raise ValueError(f"{name} must be a whole number from 1 to {most}.")
    return number


def _record(table: Any) -> LaunchingRecord:
    if not isinstance(table, dict) or not set(_NEEDED) <= set(table) <= set(_RECORD):
        raise ValueError(
            "a [[record]] has issuer, name and client_id, and client_secret or key or neither."
        )
    if not all(isinstance(each, str) and each.strip() for each in table.values()):
        raise ValueError("what a [[record]] says is text in quotes.")
    issuer = table["issuer"].removesuffix("/")
    if not is_guarded(issuer) or "@" in issuer or "?" in issuer or len(issuer) > 190:
        raise ValueError("issuer must be the address of a FHIR server that begins with https://.")
    if "client_secret" in table and "key" in table:
        raise ValueError("a [[record]] has client_secret or key, not both.")
    secret = table.get("client_secret", "")
    try:
        secret = secret_of(secret)
    except ValueError as error:
        raise ValueError(f"client_secret {error}") from error
    key = _key(table["key"]) if "key" in table else None
    return LaunchingRecord(issuer, table["name"], table["client_id"], secret, key)


def _key(path: str) -> jwt.PyJWK:
    try:
        written = json.loads(Path(path).read_text(encoding="utf-8"))
        key = jwt.PyJWK(written, _ALGORITHMS[written["kty"]])
        if not key.key_id:
            raise ValueError(path)
        jwt.encode({}, key.key, key.algorithm_name)  # a public key can't sign
    except (OSError, ValueError, KeyError, TypeError, AttributeError, jwt.PyJWTError) as error:
        raise ValueError(
            f"key: {path} is no readable file with one private key as JWK, RSA or P-384, with kid."
        ) from error
    return key
