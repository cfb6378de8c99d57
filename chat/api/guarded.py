"""Shared by all operations: permissions, rates, logging and errors."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.crypto import salted_hmac
from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS, BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from chat.api.problems import Problem
from chat.api.requests import ApiToken, StrictJSONParser, TokenRate
from chat.audit import log as audit
from chat.models import Scope
from chat.sign_in.tokens import Granted

ALWAYS = (401, 403, 405, 406, 429, 500, 503)
BODY = (400, 413, 415)  # statuses for a request with a body
NOT_FOUND = (404,)


class InScope(BasePermission):
    """Allows a token with the scope of the operation; the refusal names the scope."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.auth, Granted) or not isinstance(view, Guarded):
            return False
        is_read = request.method in SAFE_METHODS
        needed = view.scope_to_read if is_read else view.scope_to_write
        self.message = f"This takes a token with the scope `{needed}`."
        return not needed or needed in request.auth.scopes


class Guarded(APIView):
    """An operation for users with a token, limited by their rate and never cached."""

    authentication_classes = [ApiToken]
    permission_classes = [IsAuthenticated, InScope]
    parser_classes = [StrictJSONParser]
    throttle_classes = [TokenRate]
    throttle_scope = "query"
    scope_to_read = str(Scope.READ)  # of GET; empty: any token
    scope_to_write = str(Scope.ASK)  # of all other methods

    def get_throttles(self) -> list[BaseThrottle]:
        self.rates = super().get_throttles()
        return self.rates

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        response["Cache-Control"] = "no-store"
        for rate in getattr(self, "rates", ()):
            for name, value in rate.headers().items():
                response[name] = value
        return super().finalize_response(request, response, *args, **kwargs)


def problems(*more: int) -> dict[Any, Any]:
    """Describe the error statuses of an operation: those of every operation, and `more`."""
    return {(status, "application/problem+json"): Problem for status in sorted({*ALWAYS, *more})}


def user_of(request: Request) -> User:
    user = request.user
    if not isinstance(user, User):
        raise TypeError("A view of the API was reached without a user.")
    return user


def valid(request: serializers.Serializer[Any]) -> dict[str, Any]:
    request.is_valid(raise_exception=True)
    validated: dict[str, Any] = request.validated_data
    return validated


def words_hmac(words: str) -> str:
    """Return a keyed hash to log instead of searched words, which may name a patient."""
    keyed = salted_hmac("chat.audit.query", words.casefold(), algorithm="sha256")
    return keyed.hexdigest()


def record_read(user: User, operation: str, *, subject: str, **more: Any) -> None:
    """Log who read what. Call it before sending: what can't be logged must not be sent."""
    with transaction.atomic():
        audit.record("read", actor=user, subject=subject, payload={"operation": operation, **more})
