"""Check the signed tokens of CDS Hooks 2.0, by which a patient's record calls. No Django.

The standard's section on trusting clients: a JWT signed by a key of the caller's own set, for the
address that is called, used once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jwt

from core.errors import MedragError

LEEWAY_S = 60
MAX_LIFE_S = 3600  # a spent token is remembered as long
MAX_CHARS = 8192  # of a token
KEYS_S, KEYS_TIMEOUT_S = 300, 5
_ALGORITHMS = {"RSA": ["RS256", "RS384"], "EC": ["ES256", "ES384"]}
_CALLER, _FILE = ("issuer", "keys"), ("audience", "account", "rate", "caller")
_REFUSED: tuple[tuple[type[jwt.PyJWTError], str], ...] = (
    (jwt.InvalidSignatureError, "Its signature is not that of its issuer's key."),
    (jwt.ExpiredSignatureError, "It has expired (`exp`)."),
    (jwt.ImmatureSignatureError, "It is not valid yet (`iat`, `nbf`): compare the clocks."),
    (jwt.InvalidAudienceError, "It is for another address (`aud`): it has to name the one called."),
    (jwt.InvalidAlgorithmError, "Its `alg` has to be ES384, RS384, ES256 or RS256, as its key."),
    (jwt.MissingRequiredClaimError, "It needs `iss`, `aud`, `exp`, `iat` and `jti`."),
)


class Untrusted(MedragError):
    """The token must not be trusted; the sentence says why and quotes nothing of it."""


class KeysAway(MedragError):
    """The keys of an issuer can't be had just now."""

    retryable = True


@dataclass(frozen=True)
class Hooks:
    """Who may call, as which account, and the address that tokens have to be for."""

    audience: str = ""  # of the list of services; a service's own is below it
    account: str = ""
    rate: str = ""  # of calls, by issuer
    callers: tuple[tuple[str, str], ...] = ()  # issuer, and address or file of its keys

    def __bool__(self) -> bool:
        return bool(self.callers)


@dataclass(frozen=True)
class Claims:
    """What counts of a valid token."""

    issuer: str
    nonce: str  # `jti`
    ends: float  # seconds since 1970, with the leeway


def hooks_from(tables: Mapping[str, Any]) -> Hooks:
    """Read the settings' file. Raises ValueError with a sentence on what is wrong."""
    if unknown := sorted(tables.keys() - set(_FILE)):
        raise ValueError(f"{unknown[0]} is not one of {', '.join(_FILE)}.")
    audience = str(tables.get("audience", "")).rstrip("/")
    if not _is_https(audience) or not audience.endswith("/cds-services"):
        raise ValueError('audience must be such as "https://guidelines.example.org/cds-services".')
    if not isinstance(account := tables.get("account"), str) or not account:
        raise ValueError("account must be the user name of the account that the record acts as.")
    rate, written = tables.get("rate", "600/min"), tables.get("caller")
    number, _, period = str(rate).partition("/")
    if not number.isdecimal() or not int(number) or period not in ("s", "min", "hour", "day"):
        raise ValueError('rate must be such as "600/min".')
    if not isinstance(written, list) or not written:
        raise ValueError("it names no caller. Write [[caller]] with issuer and keys.")
    callers = tuple(_caller(table) for table in written)
    if len(dict(callers)) < len(callers):
        raise ValueError("an issuer is named twice.")
    return Hooks(audience, account, str(rate), callers)


def _caller(table: Mapping[str, Any]) -> tuple[str, str]:
    if not isinstance(table, dict) or set(table) != set(_CALLER):
        raise ValueError("a [[caller]] has issuer and keys, and nothing else.")
    issuer, keys = (table[name] for name in _CALLER)
    if not isinstance(issuer, str) or not _is_https(issuer):
        raise ValueError("issuer must be an address that begins with https://, as in `iss`.")
    if not isinstance(keys, str) or not (_is_https(keys) or keys.startswith("/")):
        raise ValueError("keys must be an address with https:// or the absolute path of a file.")
    if keys.startswith("/"):
        try:
            _keys_in(keys, 0)
        except (OSError, ValueError, jwt.PyJWTError) as error:
            raise ValueError(f"{keys} is no readable file with a set of public keys.") from error
    return issuer, keys


def _is_https(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc


def claims_of(token: str, hooks: Hooks, *, audience: list[str]) -> Claims:
    """Return the claims of a token for one of the addresses. Raises Untrusted or KeysAway."""
    if len(token) > MAX_CHARS:
        raise Untrusted("The token is too long.")
    try:
        header = jwt.get_unverified_header(token)
        said = jwt.decode(token, options={"verify_signature": False}).get("iss")
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise Untrusted("The token is no signed JWT.") from None
    issuer = next((each for each in hooks.callers if each[0] == said), None)
    if issuer is None:
        raise Untrusted("The token's issuer (`iss`) is not one that this site allows.")
    key = _key(issuer[1], header.get("kid"))
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            # The key alone: a set may leave out `alg`, and PyJWT would take SHA-256 for granted.
            key.key,
            algorithms=_algorithms(key),
            issuer=issuer[0],
            audience=audience,
            leeway=LEEWAY_S,
            options={"require": ["aud", "exp", "iat", "iss", "jti"]},
        )
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError) as error:
        reasons = (reason for kind, reason in _REFUSED if isinstance(error, kind))
        raise Untrusted(f"The token is refused. {next(reasons, 'It is malformed.')}") from None
    return _bounded(claims)


def _bounded(claims: dict[str, Any]) -> Claims:
    nonce, ends, begins = claims["jti"], int(claims["exp"]), int(claims["iat"])
    if not isinstance(nonce, str) or not 0 < len(nonce) <= 200:
        raise Untrusted("The token is refused. Its `jti` is no text of up to 200 characters.")
    if ends - begins > MAX_LIFE_S:
        raise Untrusted("The token is refused. It is valid for more than an hour.")
    return Claims(claims["iss"], nonce, ends + LEEWAY_S)


def _algorithms(key: jwt.PyJWK) -> list[str]:
    """Return the algorithms of a key's kind; only its own where the set names it."""
    of_kind = _ALGORITHMS.get(key.key_type or "", [])
    named = key._jwk_data.get("alg")
    return [each for each in of_kind if named in (None, each)]


def _key(place: str, kid: object) -> jwt.PyJWK:
    """Return the key of this name. A key that isn't known is looked for at most twice a minute."""
    if not isinstance(kid, str) or not kid:
        raise Untrusted("The token names no key (`kid`).")
    try:
        if place.startswith("/"):
            keys = _keys_in(place, Path(place).stat().st_mtime_ns)
            return next(key for key in keys if key.key_id == kid)
        return _keys_at(place).get_signing_key(kid)
    except (jwt.PyJWKClientConnectionError, OSError) as error:
        raise KeysAway("The keys of the token's issuer can't be had just now.") from error
    except (jwt.PyJWTError, StopIteration, ValueError):
        raise Untrusted("The token is refused. No key of its issuer has its `kid`.") from None


@lru_cache(maxsize=16)
def _keys_at(address: str) -> jwt.PyJWKClient:
    return jwt.PyJWKClient(address, lifespan=KEYS_S, timeout=KEYS_TIMEOUT_S)


@lru_cache(maxsize=16)
def _keys_in(path: str, changed: int) -> list[jwt.PyJWK]:
    """Read a file of keys anew where it has changed. Raises ValueError for one that is secret."""
    written = json.loads(Path(path).read_text(encoding="utf-8"))
    keys = jwt.PyJWKSet.from_dict(written).keys
    if any(key.key_type not in _ALGORITHMS or "d" in key._jwk_data for key in keys):
        raise ValueError(path)
    return keys
