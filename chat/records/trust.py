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

from chat.records.tables import rows_of
from chat.sign_in.signed_tokens import keys_at, signed_claims
from core.errors import MedragError

MAX_LIFE_S = 3600  # a spent token is remembered as long
MAX_CHARS = 8192  # of a token
_REFUSED: tuple[tuple[type[jwt.PyJWTError], str], ...] = (
    (jwt.InvalidSignatureError, "Its signature is not that of its issuer's key."),
    (jwt.ExpiredSignatureError, "It has expired (`exp`)."),
    (jwt.ImmatureSignatureError, "It is not valid yet (`iat`, `nbf`): compare the clocks."),
    (jwt.InvalidAudienceError, "It is for another address (`aud`): it has to name the one called."),
    (jwt.InvalidAlgorithmError, "Its `alg` has to be one of its key, such as ES384 or RS384."),
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
    callers: tuple[tuple[str, str], ...] = ()  # issuer, and address or file of its keys

    def __bool__(self) -> bool:
        return bool(self.callers)


def hooks_from(tables: Mapping[str, Any]) -> Hooks:
    """Read the settings' file. Raises ValueError with a sentence on what is wrong."""
    rows = rows_of(tables, "caller", needed=("issuer", "keys"), beside=("audience", "account"))
    audience = str(tables.get("audience", "")).rstrip("/")
    if not _is_https(audience) or not audience.endswith("/cds-services"):
        raise ValueError('audience must be such as "https://guidelines.example.org/cds-services".')
    if not isinstance(account := tables.get("account"), str) or not account:
        raise ValueError("account must be the user name of the account that the record acts as.")
    return Hooks(audience, account, tuple(_caller(**row) for row in rows))


def _caller(issuer: str, keys: str) -> tuple[str, str]:
    if not _is_https(issuer):
        raise ValueError("issuer must be an address that begins with https://, as in `iss`.")
    if not _is_https(keys):
        try:
            _keys_in(keys, 0)
        except (OSError, ValueError, jwt.PyJWTError) as error:
            wanted = "an address with https://, or the path of a readable file with public keys"
            raise ValueError(f"keys must be {wanted}.") from error
    return issuer, keys


def _is_https(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" and bool(parts.hostname) and "@" not in parts.netloc


def claims_of(token: str, hooks: Hooks, *, audience: list[str]) -> dict[str, Any]:
    """Return the claims of a token for one of the addresses. Raises Untrusted or KeysAway."""
    if len(token) > MAX_CHARS:
        raise Untrusted("The token is too long.")
    try:
        unchecked = jwt.decode_complete(token, options={"verify_signature": False})
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise Untrusted("The token is no signed JWT.") from None
    issuer = unchecked["payload"].get("iss")
    keys = next((keys for name, keys in hooks.callers if name == issuer), None)
    if keys is None:
        raise Untrusted("The token's issuer (`iss`) is not one that this site allows.")
    key = _key(keys, unchecked["header"].get("kid"))
    required = {"require": ["aud", "exp", "iat", "iss", "jti"]}
    try:
        claims = signed_claims(token, key, issuer=issuer, audience=audience, options=required)
        life_s = int(claims["exp"]) - int(claims["iat"])
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError) as error:
        reasons = (reason for kind, reason in _REFUSED if isinstance(error, kind))
        raise Untrusted(f"The token is refused. {next(reasons, 'It is malformed.')}") from None
    if not isinstance(claims["jti"], str) or not 0 < len(claims["jti"]) <= 200:
        raise Untrusted("The token is refused. Its `jti` is no text of up to 200 characters.")
    if life_s > MAX_LIFE_S:
        raise Untrusted("The token is refused. It is valid for more than an hour.")
    return claims


def _key(place: str, kid: object) -> jwt.PyJWK:
    if not isinstance(kid, str) or not kid:
        raise Untrusted("The token names no key (`kid`).")
    try:
        if place.startswith("/"):
            keys = _keys_in(place, Path(place).stat().st_mtime_ns)
            return next(key for key in keys if key.key_id == kid)
        return keys_at(place).get_signing_key(kid)
    except (jwt.PyJWKClientConnectionError, OSError) as error:
        raise KeysAway("The keys of the token's issuer can't be had just now.") from error
    except (jwt.PyJWTError, StopIteration, ValueError):
        raise Untrusted("The token is refused. No key of its issuer has its `kid`.") from None


@lru_cache(maxsize=16)
def _keys_in(path: str, changed: int) -> list[jwt.PyJWK]:
    """Read a file of keys anew where it has changed. Raises ValueError for one that is secret."""
    keys = jwt.PyJWKSet.from_dict(json.loads(Path(path).read_text(encoding="utf-8"))).keys
    if not path.startswith("/") or any({"d", "k"} & key._jwk_data.keys() for key in keys):
        raise ValueError(path)
    return keys
