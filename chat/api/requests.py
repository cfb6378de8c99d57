"""Admit a request to the API: its token, its rate and its body."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import IO, Any

from django.contrib.auth.models import User
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated, ParseError, Throttled
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.throttling import ScopedRateThrottle

from chat.api.problems import BodyTooLarge, Unavailable
from chat.sign_in.access_tokens import AccessTokenExpired, access_token_account
from chat.sign_in.lockouts import TokenGuess
from chat.sign_in.oidc import ProviderError, TokenError
from chat.sign_in.rates import Use, call_count
from chat.sign_in.tokens import TOKEN_PREFIX, Granted, granted_to

MAX_BODY_BYTES = 1024**2
OF_A_TOOL = "medrag.tool"  # in the environ of a call by MCP, where no client's header gets
SCHEMES = ("Bearer", "Token")

logger = logging.getLogger(__name__)


class ApiToken(TokenAuthentication):  # type: ignore[misc]  # knox has no types
    """Knox's tokens, as `Bearer` or `Token`, with a limit on wrong tokens across all processes."""

    def authenticate(self, request: Request) -> Any:
        if not (header := get_authorization_header(request).split()):
            return None
        guess = TokenGuess(request._request, header[-1].rpartition(b".")[2])
        if wait_s := guess.wait_s:
            raise Throttled(wait_s, "Too many wrong tokens came from this address.")
        try:
            return self._authenticated(request, header)
        except AuthenticationFailed:
            guess.failed()
            raise

    def authenticate_header(self, request: Request) -> str:
        return ", ".join(SCHEMES)

    def _authenticated(self, request: Request, header: list[bytes]) -> Any:
        """Return user and token; None for another authentication scheme."""
        if header[0].lower() not in {scheme.lower().encode() for scheme in SCHEMES}:
            return None
        if len(header) != 2:
            raise AuthenticationFailed("The header has to be one scheme and one token.")
        if b"." in header[1] and OF_A_TOOL in request._request.META:
            return _by_access_token(header[1])
        return self.authenticate_credentials(header[1])

    def authenticate_credentials(self, token: bytes) -> Any:
        if not token.isalnum() and not token.replace(b"_", b"").isalnum():
            raise AuthenticationFailed("Invalid token.")
        user, stored = super().authenticate_credentials(token)
        return user, granted_to(stored)


def _by_access_token(token: bytes) -> tuple[User, Granted]:
    try:
        return access_token_account(token.decode("latin-1"))
    except AccessTokenExpired:  # it was right, so nobody guessed
        raise NotAuthenticated("The access token has expired.") from None
    except TokenError as error:
        logger.warning("An access token was refused: %s", error)
        raise AuthenticationFailed("Invalid token.") from None
    except ProviderError:
        raise Unavailable("The hospital's sign-in is away. Nothing was done. Try again.") from None


class ApiTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = ApiToken
    name = ["bearer", "token"]

    def get_security_requirement(self, auto_schema: object) -> list[dict[str, list[Any]]]:
        return [{name: []} for name in self.name]  # either of them

    def get_security_definition(self, auto_schema: object) -> list[dict[str, str]]:
        return [
            {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": f"{TOKEN_PREFIX}…",
                "description": "A token that `manage.py api_token` made.",
            },
            {
                "type": "apiKey",
                "in": "header",
                "name": "Authorization",
                "description": f"The same token as `Authorization: Token {TOKEN_PREFIX}…`.",
            },
        ]


class StrictJSONParser(BaseParser):
    """JSON in UTF-8 up to 1 MiB, without NaN, duplicate keys or excessive nesting."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        body = stream.read(MAX_BODY_BYTES + 1)
        if len(body) > MAX_BODY_BYTES:
            raise BodyTooLarge
        try:
            return json.loads(
                body.decode(), parse_constant=_refuse_constant, object_pairs_hook=_unique
            )
        except (ValueError, RecursionError):  # its message may quote the body
            raise ParseError("The body is not valid JSON in UTF-8.") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("doubled key")
    return values


class TokenRate(ScopedRateThrottle):
    """Limits each token by its own rate or the site's, counted across all processes."""

    use: Use | None = None  # none for a site without a rate

    def allow_request(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, Granted):
            raise TypeError("A rate was asked for without a token.")
        rate = request.auth.rate or self.THROTTLE_RATES[view.throttle_scope]
        limit, window_s = self.parse_rate(rate)
        if limit is None or window_s is None:
            return True
        self.use = call_count(request.auth.digest, limit=limit, window_s=window_s)
        return self.use.is_admitted

    def wait(self) -> float | None:
        return self.use.wait_s if self.use else None

    def headers(self) -> dict[str, str]:
        """Return headers with the rate, the calls left and the seconds until one more is free."""
        if self.use is None:
            return {}
        return {
            "RateLimit-Policy": f'"token";q={self.use.limit};w={self.use.window_s}',
            "RateLimit": f'"token";r={self.use.left};t={self.use.wait_s}',
        }
