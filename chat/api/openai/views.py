"""Chat completions in OpenAI's form, for programs that support no other API.

The user's last message is the question, and the earlier ones are the questions before it. Messages
of an assistant or a system are never read: an answer rests on the guidelines alone. The answer is
built from the response of our own API.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from django.http import JsonResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.answers import turn_payload
from chat.api.guarded import ALWAYS, BODY, NOT_FOUND, Guarded, record_read, user_of, valid
from chat.api.openai.examples import COMPLETION
from chat.api.openai.serializers import (
    MODEL,
    ChunkResponse,
    CompletionRequest,
    CompletionResponse,
    ErrorResponse,
    ModelsResponse,
    models_here,
)
from chat.api.openai.writing import Answer, as_data, chunks, completion
from chat.api.problems import problem_details
from chat.api.queries import EventRenderer
from chat.api.repeats import QUESTION_KEY, UNPROCESSABLE, AskedAs, asked_once
from chat.ask import turn_ask
from chat.models import Channel, Turn
from chat.pipeline.events import Tell, ignore_event
from chat.streams import MEDIA_TYPE, EventStream, Frame, QuestionStream
from chat.types import AskedQuestion

JSON = "application/json"
TAGS = ["OpenAI"]


def errors(*more: int) -> dict[Any, Any]:
    """Describe the error statuses of an operation, as `problems` does for our own API."""
    return {(status, JSON): ErrorResponse for status in sorted({*ALWAYS, *more})}


class Compatible(Guarded):
    """An operation of the API with errors in OpenAI's form."""

    renderer_classes = [JSONRenderer, EventRenderer]

    def get_exception_handler(self) -> Callable[..., Response]:
        return openai_error


class ModelsView(Compatible):
    @extend_schema(
        operation_id="openai_models",
        tags=TAGS,
        summary="List the models",
        description="One model for each mode that the site is configured for.",
        responses={(200, JSON): ModelsResponse, **errors()},
        examples=examples.of("OPENAI_MODELS", "OPENAI_ERRORS"),
    )
    def get(self, request: Request) -> Response:
        user = user_of(request)
        record_read(user, "models", subject=f"user:{user.pk}")
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": MODEL}
            for name in models_here()
        ]
        return Response({"object": "list", "data": models}, content_type=JSON)


class CompletionsView(Compatible):
    @extend_schema(
        operation_id="openai_completion",
        tags=TAGS,
        summary="Ask a question as a chat completion",
        description="Answers or refuses as `POST /api/v1/query` does; both have status 200. "
        "Errors have OpenAI's format.",
        parameters=[QUESTION_KEY],
        request=CompletionRequest,
        responses={
            (200, JSON): CompletionResponse,
            (200, MEDIA_TYPE): ChunkResponse,
            **errors(*BODY, *NOT_FOUND, *UNPROCESSABLE),
        },
        examples=[*COMPLETION, *examples.of("OPENAI_NO_MODEL", "OPENAI_ERRORS")],
    )
    def post(self, request: Request) -> HttpResponseBase:
        fields = valid(CompletionRequest(data=request.data))
        if not fields["stream"]:
            return Response(completion(_asked(fields, request)), content_type=JSON)
        with_usage = (fields["stream_options"] or {}).get("include_usage", False)

        def work(tell: Tell) -> list[Frame]:
            return list(chunks(_asked(fields, request, tell=tell), with_usage=with_usage))

        stream = QuestionStream(work, user=user_of(request), problem=_error_of)
        return EventStream(stream.begun(), write=as_data)


@extend_schema(exclude=True)
class UnknownCompatiblePath(Compatible):
    authentication_classes = []
    permission_classes = [AllowAny]
    throttle_classes = []

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound("There is nothing at this path.")


def openai_error(exc: Exception, context: Mapping[str, Any]) -> Response:
    """Return an error with the API's sentence in OpenAI's form."""
    response = problem_details(exc, context)
    code = exc.get_codes() if isinstance(exc, NotFound) else None
    response.data = _error(response.status_code, response.data, str(code) if code else None)
    response.content_type = JSON
    return response


def error_response(status: int, detail: str) -> JsonResponse:
    """Return an error in OpenAI's form for a request that is refused before it reaches a view."""
    return JsonResponse(_error(status, {"detail": detail}), status=status)


def _error_of(error: Exception) -> Any:
    return openai_error(error, {}).data


def _error(status: int, problem: Mapping[str, Any], code: str | None = None) -> dict[str, Any]:
    kinds = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    of_server = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    wrong = problem.get("errors") or [{}]
    return {
        "error": {
            "message": problem["detail"],
            "type": "server_error" if of_server else kinds.get(status, "invalid_request_error"),
            "param": wrong[0].get("pointer", "")[2:].replace("/", ".") or None,
            "code": code if code != "not_found" else None,
        }
    }


def _asked(fields: Mapping[str, Any], request: Request, *, tell: Tell = ignore_event) -> Answer:
    *earlier, question = fields["messages"]

    def ask(asked_as: AskedAs) -> Turn:
        return turn_ask(
            AskedQuestion(
                question,
                user=user_of(request),
                channel=Channel.API,
                earlier=tuple(earlier),
                mode=fields["model"].removeprefix(MODEL).removeprefix("-"),
                key=asked_as.key,
                request=asked_as.request,
            ),
            tell=tell,
        )

    turn = asked_once(request, ask)
    payload = turn_payload(turn, address=request.build_absolute_uri)
    return Answer(payload, int(turn.created_at.timestamp()), fields["model"])
