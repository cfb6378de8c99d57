"""Ask a question once, even if a client that missed the response sends it again.

The header `Idempotency-Key` decides the primary key of the turn, so that a repeated request finds
it, and of two at the same time only one is stored.
"""

from __future__ import annotations

import datetime
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from django.contrib.auth.models import User
from django.db import IntegrityError
from django.utils import timezone
from django.utils.crypto import salted_hmac
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request

from chat.api.guarded import user_of, words_hmac
from chat.models import Turn
from corpus.services.uploads import MAX_KEY_CHARS

KEY_HEADER = "Idempotency-Key"
KEPT = datetime.timedelta(days=1)
UNPROCESSABLE = (int(HTTPStatus.UNPROCESSABLE_ENTITY),)
KEY_SCHEMA = {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS, "pattern": "^[!-~]+$"}
QUESTION_KEY = OpenApiParameter(
    KEY_HEADER,
    KEY_SCHEMA,
    OpenApiParameter.HEADER,
    description="A key of your own for this question. If the request is repeated with it within a "
    "day, the stored turn is returned and nothing is asked again. With another body it is 422.",
)


class KeyTaken(APIException):
    status_code = HTTPStatus.UNPROCESSABLE_ENTITY
    default_detail = (
        "This key was used for another question. Nothing was stored. Use a new key for a new one."
    )


@dataclass(frozen=True)
class AskedAs:
    """The primary key for the turn of a request, and the keyed hash of its address and body."""

    key: uuid.UUID | None = None
    request: str = ""


def asked_once(request: Request, ask: Callable[[AskedAs], Turn]) -> Turn:
    """Return the turn of this request: the stored one of an earlier request, or a new one.

    Raises ValidationError for an unusable key, and KeyTaken for one that came with another request.
    """
    key = key_of(request)
    if not key:
        return ask(AskedAs())
    user, now = user_of(request), timezone.now()
    # The day after too: the clock of the machine that took it first may be ahead.
    days = (now, now - KEPT, now + KEPT)
    keys = [_turn_key(user, key, day.date()) for day in days]
    body = json.dumps([request.path, request.data], sort_keys=True)
    asked_as = AskedAs(keys[0], words_hmac(body))
    earlier = Turn.objects.filter(pk__in=keys, user=user, created_at__gt=now - KEPT)
    if turn := earlier.first():
        return _same(turn, asked_as)
    try:
        return ask(asked_as)
    except IntegrityError:
        if turn := earlier.first():  # the same request at the same time was faster
            return _same(turn, asked_as)
        raise


def key_of(request: Request) -> str:
    """Return the caller's key for the request; empty without one. Raises ValidationError."""
    key = request.headers.get(KEY_HEADER)
    if key is None:
        return ""
    is_sound = key.isascii() and key.isprintable() and " " not in key
    if not key or len(key) > MAX_KEY_CHARS or not is_sound:
        raise ValidationError(
            {KEY_HEADER: [f"1 to {MAX_KEY_CHARS} printable characters without blanks."]}
        )
    return key


def _turn_key(user: User, key: str, day: datetime.date) -> uuid.UUID:
    content = json.dumps([user.pk, key, day.isoformat()])
    digest = salted_hmac("chat.api.repeats", content, algorithm="sha256").digest()
    return uuid.UUID(bytes=digest[:16], version=4)


def _same(turn: Turn, asked_as: AskedAs) -> Turn:
    if turn.trace.get("request") != asked_as.request:
        raise KeyTaken
    return turn
