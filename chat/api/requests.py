"""Admit a request to the API: its token, its rate and its body."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import IO, Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, ParseError, Throttled
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.throttling import ScopedRateThrottle

from chat.api.problems import BodyTooLarge
from chat.sign_in.lockouts import TokenGuess
from chat.sign_in.tokens import TOKEN_PREFIX, Granted, granted_to

MAX_BODY_BYTES = 1024**2


SCHEMES = ("Bearer", "Token")


class ApiToken(TokenAuthentication):  # type: ignore[misc]  # knox has no types
    """Knox's tokens, as `Bearer` or `Token`, with a limit on wrong tokens across all processes."""

    def authenticate(self, request: Request) -> Any:
        if not (header := get_authorization_header(request).split()):
            return None
        guess = TokenGuess(request._request, header[-1])
        if wait_s := guess.wait_s:
            raise Throttled(wait_s, "Too many wrong tokens came from this address.")
        try:
            return self._authenticated(header)
        except AuthenticationFailed:
            guess.failed()
            raise

    def authenticate_header(self, request: Request) -> str:
        return ", ".join(SCHEMES)

    def _authenticated(self, header: list[bytes]) -> Any:
        """Return user and token; None for another authentication scheme."""
        if header[0].lower() not in {scheme.lower().encode() for scheme in SCHEMES}:
            return None
        if len(header) != 2:
            raise AuthenticationFailed("The header has to be one scheme and one token.")
        return self.authenticate_credentials(header[1])

    def authenticate_credentials(self, token: bytes) -> Any:
        if not token.isalnum() and not token.replace(b"_", b"").isalnum():
            raise AuthenticationFailed("Invalid token.")
        user, stored = super().authenticate_credentials(token)
        return user, granted_to(stored)


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
    """Limits each token on its own, by its own rate if it has one."""

    is_counted = False
    own = ""  # the rate of the token
    num_requests: int
    duration: int

    def allow_request(self, request: Request, view: Any) -> bool:
        self.own = request.auth.rate if isinstance(request.auth, Granted) else ""
        allowed = super().allow_request(request, view)
        self.is_counted = self.rate is not None
        return allowed

    def get_rate(self) -> str | None:
        return self.own or super().get_rate()

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if isinstance(request.auth, Granted):
            return self.cache_format % {"scope": self.scope, "ident": request.auth.digest}
        return super().get_cache_key(request, view)

    def headers(self) -> dict[str, str]:
        """Return headers with the rate, the calls left and the seconds until one more is free."""
        if not self.is_counted:
            return {}
        remaining = max(self.num_requests - len(self.history), 0)
        wait_s = math.ceil(self.history[-1] + self.duration - self.now) if self.history else 0
        return {
            "RateLimit-Policy": f'"token";q={self.num_requests};w={self.duration}',
            "RateLimit": f'"token";r={remaining};t={max(wait_s, 0)}',
        }
