"""Check signed tokens (JWT) by the public keys of whoever signs them. No Django."""

from __future__ import annotations

from functools import cache
from typing import Any

import jwt

LEEWAY_S = 60  # by which the clocks of the two may differ
KEYS_S, KEYS_TIMEOUT_S = 300, 10
ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA".split()
_OF_KIND = {"RSA": ("RS", "PS"), "EC": ("ES",), "OKP": ("Ed",)}


def signed_claims(token: str, key: jwt.PyJWK, **checks: Any) -> dict[str, Any]:
    """Return the claims of a valid token. Raises PyJWTError, ValueError, TypeError, OverflowError.

    A key verifies by the algorithm that its set names for it, else by one of its own kind. PyJWT
    would take RS256 for granted, and would take a published secret.
    """
    named = key._jwk_data.get("alg")
    kinds = _OF_KIND.get(key.key_type or "", ()) if key.public_key_use in (None, "sig") else ()
    possible = [each for each in ALGORITHMS if each[:2] in kinds and named in (None, each)]
    claims: dict[str, Any] = jwt.decode(
        token, key.key, algorithms=possible, leeway=LEEWAY_S, **checks
    )
    return claims


@cache
def keys_at(address: str) -> jwt.PyJWKClient:
    """Return a cached set of keys; one that isn't there is looked for at most twice a minute."""
    return jwt.PyJWKClient(address, lifespan=KEYS_S, timeout=KEYS_TIMEOUT_S)
