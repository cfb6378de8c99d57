"""Errors of the API as problem details (RFC 9457)."""

from __future__ import annotations

import logging
import traceback
import uuid
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, JsonResponse
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler, set_rollback

from chat.audit.chain import storable
from chat.errors import QuestionError
from chat.pipeline.admission import Busy
from core.database_availability import in_words
from core.errors import MedragError

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 5

logger = logging.getLogger(__name__)


class FieldProblem(serializers.Serializer[Any]):
    pointer = serializers.CharField(help_text="JSON pointer into the body.")
    detail = serializers.CharField()


class Problem(serializers.Serializer[Any]):
    """Problem details (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField(required=False)
    errors = FieldProblem(many=True, required=False)  # type: ignore[assignment]  # a field


class BodyTooLarge(exceptions.APIException):
    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_detail = "The request's body is too large."


class IdentifiersSeen(exceptions.APIException):
    """The query seems to identify a patient, and the site's policy is to block."""

    status_code = HTTPStatus.BAD_REQUEST

    def __init__(self, kinds: tuple[str, ...]) -> None:
        """Name the kinds of identifiers, never their text."""
        super().__init__(
            f"Some words seem to identify a patient ({', '.join(kinds)}). Nothing was stored, "
            "searched or sent. Please search again without them."
        )


class Unavailable(exceptions.APIException):
    """A part of the system is unavailable; asking again later may work."""

    status_code = HTTPStatus.SERVICE_UNAVAILABLE
    default_detail = "The service can't answer just now. Please try again."
    wait = RETRY_AFTER_S  # becomes Retry-After

    def __init__(self, detail: str | None = None, *, wait_s: int = RETRY_AFTER_S) -> None:
        super().__init__(detail)
        self.wait = wait_s


@extend_schema(exclude=True)
class UnknownPath(APIView):
    """Answers unknown paths of the API with a problem."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise exceptions.NotFound("There is nothing at this path.")


def problem_details(exc: Exception, context: Mapping[str, Any]) -> Response:
    """Turn any exception into a problem; DRF's `EXCEPTION_HANDLER`.

    An unexpected exception becomes a bare 500 with a number that is logged too. The log gets the
    type of the exception and its places in the code, never its message, which may quote a question.
    """
    exc = _known(exc)
    response = exception_handler(exc, dict(context))
    if response is None:
        return _unexpected(exc)
    body = _problem(response.status_code, **_content(response.data))
    headers = {name: response[name] for name in _KEPT_HEADERS if response.has_header(name)}
    return Response(body, response.status_code, headers=headers, content_type=MEDIA_TYPE)


_KEPT_HEADERS = ("WWW-Authenticate", "Retry-After", "Allow")


def _known(exc: Exception) -> Exception:
    """Turn our own and Django's exceptions into DRF's, with a status of their own."""
    if isinstance(exc, OperationalError | InterfaceError):
        logger.error("Nothing was answered: %s (%s)", in_words(exc), type(exc).__name__)
        return Unavailable()
    if isinstance(exc, Http404):  # its own message names a table
        return exceptions.NotFound("There is no such thing, or it is not open to you.")
    if isinstance(exc, Busy):
        return Unavailable(exc.sentence, wait_s=exc.wait_s)
    if isinstance(exc, MedragError) and exc.retryable:
        return Unavailable(exc.sentence)
    if isinstance(exc, QuestionError):
        return exceptions.ParseError(exc.sentence)
    if isinstance(exc, SuspiciousOperation):
        return exceptions.ParseError("The request is not acceptable.")
    return exc


def _unexpected(exc: Exception) -> Response:
    set_rollback()
    number = uuid.uuid4()
    frames = traceback.extract_tb(exc.__traceback__)
    places = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))
    logger.error("API error %s: %s at %s", number, type(exc).__name__, places)
    detail = (
        exc.sentence
        if isinstance(exc, MedragError)
        else "An internal error occurred. Nothing was answered. Tell the administrator the number."
    )
    body = _problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail=detail) | {
        "instance": f"urn:uuid:{number}"
    }
    return Response(body, HTTPStatus.INTERNAL_SERVER_ERROR, content_type=MEDIA_TYPE)


def problem_response(status: int, detail: str) -> JsonResponse:
    """Return a problem for a request that is refused before it reaches a view of the API."""
    return JsonResponse(_problem(status, detail=detail), status=status, content_type=MEDIA_TYPE)


def _problem(status: int, *, detail: str, errors: list[dict[str, str]] | None = None) -> Any:
    problem = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "detail": detail,
    }
    return problem | ({"errors": errors} if errors else {})


def _content(detail: Any) -> dict[str, Any]:
    """Return the sentence of an error, and for a validation error also those of each field."""
    if isinstance(detail, Mapping) and isinstance(detail.get("detail"), str):
        return {"detail": str(detail["detail"])}
    errors = [
        {"pointer": pointer, "detail": sentence} for pointer, sentence in _flatten(detail, "#")
    ]
    return {"detail": " ".join(error["detail"] for error in errors), "errors": errors}


def _flatten(detail: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(detail, Mapping):
        for key, value in detail.items():
            own = pointer if key == "non_field_errors" else f"{pointer}/{_escape(str(key))}"
            yield from _flatten(value, own)
    elif isinstance(detail, list | tuple):
        for value in detail:
            yield from _flatten(value, pointer)
    else:
        yield pointer, str(detail)


def _escape(key: str) -> str:
    """Escape a key for a JSON pointer (RFC 6901), cut to 60 characters that JSON can hold."""
    return storable(key)[:60].replace("~", "~0").replace("/", "~1")
