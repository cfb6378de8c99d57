"""Read which records may launch the site. No Django."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jwt

from chat.records.tables import rows_of
from core.endpoint_settings import is_guarded, secret_of

_MOST = {"facts_minutes": 480, "link_days": 365}
_ALGORITHMS = {"EC": "ES384", "RSA": "RS384"}  # those that every server has to take


@dataclass(frozen=True)
class LaunchingRecord:
    """A record that may launch the site; with neither secret nor key by a public client."""

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
    needed, possible = ("issuer", "name", "client_id"), ("client_secret", "key")
    rows = rows_of(tables, "record", needed=needed, possible=possible, beside=(*_MOST,))
    numbers = {name: tables[name] for name in _MOST if name in tables}
    for name, number in numbers.items():
        if type(number) is not int or not 1 <= number <= _MOST[name]:
            raise ValueError(f"{name} must be a whole number from 1 to {_MOST[name]}.")
    return Launch(tuple(_record(**row) for row in rows), **numbers)


def _record(
    issuer: str, name: str, client_id: str, client_secret: str = "", key: str = ""
) -> LaunchingRecord:
    issuer = issuer.removesuffix("/")
    if not is_guarded(issuer) or {"@", "?", "#"} & {*issuer} or len(issuer) > 190:
        raise ValueError("issuer must be the address of a FHIR server that begins with https://.")
    if client_secret and key:
        raise ValueError("a [[record]] has client_secret or key, not both.")
    try:
        secret = secret_of(client_secret)
    except ValueError as error:
        raise ValueError(f"client_secret {error}") from error
    return LaunchingRecord(issuer, name, client_id, secret, _key(key) if key else None)


def _key(path: str) -> jwt.PyJWK:
    try:
        written = json.loads(Path(path).read_text(encoding="utf-8"))
        key = jwt.PyJWK(written, _ALGORITHMS[written["kty"]])
        if not key.key_id:
            raise ValueError(path)
        jwt.encode({}, key.key, key.algorithm_name)  # a public key can't sign
    except (OSError, ValueError, KeyError, TypeError, AttributeError, jwt.PyJWTError) as error:
        wanted = "one private key as JWK, RSA or P-384, with kid"
        raise ValueError(f"key: {path} is no readable file with {wanted}.") from error
    return key
