"""Accept access tokens of the hospital's provider, for a program that a person signed in to.

Off unless `audience` is set. The person must have signed in to the site before: an access token
creates no account, and changes no group.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import jwt
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import User

from chat.models import Scope
from chat.sign_in.oidc import ProviderError, TokenError, provider_config
from chat.sign_in.signed_tokens import keys_at, signed_claims
from chat.sign_in.tokens import Granted

SCOPES = (Scope.ASK, Scope.READ)  # those that a token can give


class AccessTokenExpired(TokenError):
    """It was the provider's and for this site, and its time is over."""


def access_token_account(token: str) -> tuple[User, Granted]:
    """Return the account that a token acts as, and its scopes. One query.

    Raises TokenError if the token must not be trusted, else ProviderError.
    """
    if not settings.OIDC_AUDIENCE:
        raise TokenError("the site has no audience")
    claims = _claims(token, provider_config()["jwks_uri"])
    scopes = _scopes(claims)
    if not scopes:
        raise TokenError("it has none of the scopes")
    accounts = SocialAccount.objects.filter(provider=settings.OIDC_ISSUER, uid=claims["sub"])
    known = accounts.select_related("user").filter(user__is_active=True).first()
    if known is None:
        raise TokenError("it is of nobody who has an active account")
    # Counted by person: each of their tokens would have a rate of its own.
    ends = datetime.fromtimestamp(claims["exp"], UTC)
    return known.user, Granted(f"person:{known.user.pk}", scopes, ends=ends)


def _claims(token: str, keys: str) -> dict[str, Any]:
    """Return the claims of a valid token: signature, issuer, audience and times (RFC 9068, 4)."""
    try:
        key = keys_at(keys).get_signing_key_from_jwt(token)
        return signed_claims(
            token,
            key,
            issuer=settings.OIDC_ISSUER,
            audience=settings.OIDC_AUDIENCE,
            options={"require": ["aud", "exp", "iat", "iss", "sub"]},
        )
    except jwt.PyJWKClientConnectionError as error:
        raise ProviderError("its keys are away") from error
    except jwt.ExpiredSignatureError as error:
        raise AccessTokenExpired("it has expired") from error
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError) as error:
        raise TokenError(type(error).__name__) from error  # its message may quote the token


def _scopes(claims: dict[str, Any]) -> frozenset[str]:
    """Return the scopes: a string (`scope`; Entra: `scp`), or a list (Okta: `scp`)."""
    said = claims.get("scope", claims.get("scp", ""))
    names = said.split() if isinstance(said, str) else said if isinstance(said, list) else []
    return frozenset(scope for scope in SCOPES if scope in names)
