"""Chat completions in the form of OpenAI's, for programs that speak no other.

The last message of the user is the question and the earlier ones what was asked before it. What
else a client sends (an assistant's messages, a system's) is never read: an answer rests on the
guidelines alone. The answer is written out of what the API of its own gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from django.http import JsonResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api.answers import turn_payload
from chat.api.fields import Strict, Whole, Words, YesNo
from chat.api.guarded import Guarded, record_read, user_of, valid
from chat.api.problems import problem_details
from chat.api.streaming import EventRenderer
from chat.config import modes_here
from chat.models import Channel, ClaimKind, Turn, TurnStatus
from chat.pipeline.events import Tell, untold
from chat.services import turn_ask
from chat.streams import EventStream, Frame, QuestionStream, as_json

MODEL = "medrag"  # in the site's own mode; with a mode behind it in that
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
IGNORED = (
    *("temperature", "top_p", "max_tokens", "max_completion_tokens", "stop", "seed", "user"),
    *("presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs"),
    *("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"),
    *("store", "metadata", "service_tier", "reasoning_effort", "verbosity", "safety_identifier"),
    *("prompt_cache_key", "prediction", "modalities", "web_search_options"),
)
USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}  # nothing is counted here
BESIDE = {ClaimKind.CAUTION: "Note: ", ClaimKind.OTHERWISE: "Another guideline: "}


class MessageRequest(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=ROLES)
    content = serializers.JSONField(required=False, allow_null=True)


class StreamOptions(serializers.Serializer[Any]):
    include_usage = YesNo(required=False, default=False)


class TextFormat(serializers.Serializer[Any]):
    type = serializers.ChoiceField(choices=["text"])  # an answer is no JSON of a client's making


class CompletionRequest(Strict):
    model = Words()
    messages = MessageRequest(many=True, allow_empty=False)
    stream = YesNo(required=False, default=False, allow_null=True)
    stream_options = StreamOptions(required=False, default=dict, allow_null=True)
    n = Whole(required=False, min_value=1, max_value=1, allow_null=True)
    response_format = TextFormat(required=False, allow_null=True)

    def get_fields(self) -> Any:
        ignored = {name: serializers.JSONField(required=False, allow_null=True) for name in IGNORED}
        return super().get_fields() | ignored

    def validate_model(self, name: str) -> str:
        if name not in models_here():
            raise NotFound(f"There is no model {name[:60]!r} here.", code="model_not_found")
        return name

    def validate_messages(self, messages: Sequence[Mapping[str, Any]]) -> list[str]:
        """Keep what the user asked, in order."""
        asked = [text_of(one.get("content", "")) for one in messages if one["role"] == "user"]
        if not asked:
            raise ValidationError("One message has to be the user's: it is the question.")
        return asked


def models_here() -> list[str]:
    return [MODEL, *(f"{MODEL}-{mode.value}" for mode in modes_here())]


def text_of(content: Any) -> str:
    """Return a message's text, of all its parts. Raises ValidationError for any but text."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list):
        raise ValidationError("A message of the user's has to be a text.")
    for part in parts:
        is_text = isinstance(part, dict) and part.get("type") == "text"
        if not is_text or not isinstance(part.get("text"), str):
            raise ValidationError("Only text can be read: no pictures, sounds or files.")
    return "\n".join(part["text"] for part in parts)


class Compatible(Guarded):
    """As any operation of the API, with errors in OpenAI's form."""

    renderer_classes = [JSONRenderer, EventRenderer]

    def get_exception_handler(self) -> Callable[..., Response]:
        return openai_error


class ModelsView(Compatible):
    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        user = user_of(request)
        record_read(user, "models", subject=f"user:{user.pk}")
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": MODEL}
            for name in models_here()
        ]
        return Response({"object": "list", "data": models})


class CompletionsView(Compatible):
    @extend_schema(exclude=True)
    def post(self, request: Request) -> HttpResponseBase:
        asked = valid(CompletionRequest(data=request.data))
        if not asked["stream"]:
            return Response(_completion(_asked(asked, request), asked["model"]))

        def work(tell: Tell) -> list[Frame]:
            return list(_chunks(_asked(asked, request, tell=tell), asked))

        stream = QuestionStream(work, user=user_of(request), problem=_error_of)
        return EventStream(stream.begun(), write=_as_data)


@extend_schema(exclude=True)
class UnknownCompatiblePath(Compatible):
    authentication_classes = []
    permission_classes = [AllowAny]
    throttle_classes = []

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound("There is nothing at this path.")


def openai_error(exc: Exception, context: Mapping[str, Any]) -> Response:
    """Say of an error what the API says, in the form that OpenAI's clients read."""
    response = problem_details(exc, context)
    code = exc.get_codes() if isinstance(exc, NotFound) else None
    response.data = _error(response.status_code, response.data, str(code) if code else None)
    response.content_type = "application/json"
    return response


def error_response(status: int, detail: str) -> JsonResponse:
    """The same for what is refused before a view is reached."""
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


@dataclass
class _Text:
    """An answer as text with numbered notes, paragraph by paragraph, and what each note is."""

    paragraphs: list[str] = field(default_factory=list)
    annotations: list[dict[str, Any]] = field(default_factory=list)
    citations: list[dict[str, Any]] = field(default_factory=list)
    notes: dict[str, int] = field(default_factory=dict)  # by the note's words

    @property
    def content(self) -> str:
        return "".join(self.paragraphs)

    def add(self, words: str) -> None:
        self.paragraphs.append(f"\n\n{words}" if self.paragraphs else words)

    def add_claim(self, claim: Mapping[str, Any]) -> None:
        """A claim under what it stands under, with the number of each place that it cites."""
        self.add(f"{BESIDE.get(claim['kind'], '')}{claim['under']}: {claim['text']}")
        for cited in claim["citations"]:
            number = self.notes.setdefault(_place(cited), len(self.notes) + 1)
            self.citations.append({"note": number, "claim": claim["number"], **cited})
            mark = f"[{number}]"
            if self.paragraphs[-1].endswith(mark):
                continue  # several spans of one place
            self.paragraphs[-1] += f" {mark}"
            end = len(self.content)
            where = {"start_index": end - len(mark), "end_index": end}
            whole = where | {"title": _place(cited), "url": cited["link"]}
            self.annotations.append({"type": "url_citation", "url_citation": whole})
        if claim["left_out"]:
            self.paragraphs[-1] += f" ({claim['left_out']})"


def _place(cited: Mapping[str, Any]) -> str:
    version = f" {cited['version']}" if cited["version"] else ""
    where = cited["position"] or f"page {cited['page']}"
    section = f", {cited['section']}" if cited["section"] else ""
    return f"{cited['document']}{version}{section}, {where}"


def _text(payload: Mapping[str, Any]) -> _Text:
    """Write an answer, or a refusal, as a person reads it: with all that has to be read with it."""
    text = _Text()
    stops = [one["text"] for one in payload["warnings"] if one["level"] == "stop"]
    for warning in stops:
        text.add(f"Do not use: {warning}")
    if payload["status"] == TurnStatus.ANSWERED:
        if payload["option"]:
            text.add(f"Option {payload['option']}.")
        for claim in payload["claims"]:
            text.add_claim(claim)
    else:
        text.add(f"No answer. {payload['message']}")
        near = dict.fromkeys(_place(passage) for passage in payload["nearest"])
        if near:
            text.add("Nearest passages, which are no answer: " + "; ".join(near))
        if owner := payload["owner"]:
            text.add("Ask: " + ", ".join(filter(None, (owner["name"], owner["contact"]))))
    for warning in payload["warnings"]:
        if warning["level"] != "stop":
            text.add(f"Please note: {warning['text']}")
    if payload["hidden"]:
        text.add(f"Left out, since not open to you: {payload['hidden']}")
    if text.notes:
        text.add("\n".join(f"[{number}] {words}" for words, number in text.notes.items()))
    return text


@dataclass(frozen=True)
class _Answer:
    turn: Turn
    payload: Mapping[str, Any]

    def medrag(self, text: _Text) -> dict[str, Any]:
        kept = ("status", "reason", "warnings", "turn")
        return {name: self.payload[name] for name in kept} | {"citations": text.citations}

    def head(self, kind: str, model: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{self.turn.pk}",
            "object": kind,
            "created": int(self.turn.created_at.timestamp()),
            "model": model,
        }


def _asked(asked: Mapping[str, Any], request: Request, *, tell: Tell = untold) -> _Answer:
    *earlier, question = asked["messages"]
    turn = turn_ask(
        question,
        user=user_of(request),
        channel=Channel.API,
        earlier=tuple(earlier),
        mode=asked["model"].removeprefix(MODEL).removeprefix("-"),
        tell=tell,
    )
    return _Answer(turn, turn_payload(turn, address=request.build_absolute_uri))


def _completion(answer: _Answer, model: str) -> dict[str, Any]:
    text = _text(answer.payload)
    message = {
        "role": "assistant",
        "content": text.content,
        "refusal": None,
        "annotations": text.annotations,
    }
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    head = answer.head("chat.completion", model)
    return head | {"choices": [choice], "usage": USAGE, "medrag": answer.medrag(text)}


def _chunks(answer: _Answer, asked: Mapping[str, Any]) -> Iterator[Frame]:
    text, head = _text(answer.payload), answer.head("chat.completion.chunk", asked["model"])

    def chunk(delta: Mapping[str, Any], *, end: str | None = None, **more: Any) -> Frame:
        choice = {"index": 0, "delta": delta, "finish_reason": end, "logprobs": None}
        return Frame("chunk", head | {"choices": [choice], **more})

    yield chunk({"role": "assistant", "content": ""})
    for paragraph in text.paragraphs:
        yield chunk({"content": paragraph})
    yield chunk({"annotations": text.annotations}, end="stop", medrag=answer.medrag(text))
    if (asked["stream_options"] or {}).get("include_usage"):
        yield Frame("chunk", head | {"choices": [], "usage": USAGE})
    yield Frame("done")


def _as_data(number: int, frame: Frame) -> str:
    """Write a frame as OpenAI does, without a name; a step has no place there but a comment."""
    match frame.name:
        case "chunk" | "error":
            return f"data: {as_json(frame.data)}\n\n"
        case "done":
            return "data: [DONE]\n\n"
        case step:
            return f": {step}\n\n"
