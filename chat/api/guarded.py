"""What all operations share: who gets in and how often, what is logged, what goes wrong."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.crypto import salted_hmac
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import ScopedRateThrottle
from rest_framework.views import APIView

from chat.api.requests import ApiToken, StrictJSONParser
from chat.api.serializers import Problem
from chat.audit import log as audit

ALWAYS = (401, 405, 406, 429, 500, 503)
BODY = (400, 413, 415)  # of what is sent
NOT_FOUND = (404,)


class Guarded(APIView):
    """For people with a token, within their rate; nothing of it is kept by a cache."""

    authentication_classes = [ApiToken]
    permission_classes = [IsAuthenticated]
    parser_classes = [StrictJSONParser]
    throttle_classes = [ScopedRateThrottle]
    throttle_scope = "query"

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        response["Cache-Control"] = "no-store"
        return super().finalize_response(request, response, *args, **kwargs)


def problems(*more: int) -> dict[Any, Any]:
    """Describe what may go wrong: the statuses of every operation, and those of this one."""
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
    """A keyed hash in the place of words that somebody looked for: they may name a patient."""
    keyed = salted_hmac("chat.audit.query", words.casefold(), algorithm="sha256")
    return keyed.hexdigest()


def record_read(user: User, operation: str, *, subject: str, **more: Any) -> None:
    """Log who read what. To be called before it is sent: what can't be logged is not shown."""
    with transaction.atomic():
        audit.record("read", actor=user, subject=subject, payload={"operation": operation, **more})
