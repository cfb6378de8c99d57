"""Chat completions as OpenAI's clients send and read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError

from chat.api.fields import Strict, Whole, YesNo
from chat.api.places import CitationResponse
from chat.api.serializers import OwnerResponse, WarningResponse
from chat.config import modes_here
from chat.models import Reason, TurnStatus

MODEL = "medrag"  # in the site's mode; followed by a mode: in that mode
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
IGNORED = (
    *("temperature", "top_p", "max_tokens", "max_completion_tokens", "stop", "seed", "user"),
    *("presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs"),
    *("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"),
    *("store", "metadata", "service_tier", "reasoning_effort", "verbosity", "safety_identifier"),
    *("prompt_cache_key", "prediction", "modalities", "web_search_options"),
)


def models_here() -> list[str]:
    return [MODEL, *(f"{MODEL}-{mode.value}" for mode in modes_here())]


class ModelName(serializers.ChoiceField):
    """A model of `models_here`. Raises NotFound for any other, as OpenAI does."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=models_here(), **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid_choice", input=data)
        if data not in self.choices:
            raise NotFound(f"There is no model {data[:60]!r} here.", code="model_not_found")
        return data


class MessageRequest(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=ROLES, help_text="Only messages of `user` are read.")
    content = serializers.JSONField(
        required=False,
        allow_null=True,
        help_text='For `user`: a string, or a list of parts `{"type": "text", "text": "…"}`.',
    )


class StreamOptions(serializers.Serializer[Any]):
    include_usage = YesNo(
        required=False, default=False, help_text="Always zero: tokens are not counted."
    )


class TextFormat(serializers.Serializer[Any]):
    type = serializers.ChoiceField(choices=["text"])  # answers never follow a client's JSON schema


class CompletionRequest(Strict):
    """The messages of a conversation; keys without a type here, as `temperature`, are ignored."""

    model = ModelName(help_text="`medrag` for the site's mode, or `medrag-` followed by a mode.")
    messages = MessageRequest(
        many=True,
        allow_empty=False,
        help_text="The last user message is the question; it may follow up on the four user "
        "messages before it.",
    )
    stream = YesNo(required=False, default=False, allow_null=True)
    stream_options = StreamOptions(required=False, default=dict, allow_null=True)
    n = Whole(required=False, min_value=1, max_value=1, allow_null=True)
    response_format = TextFormat(required=False, allow_null=True)

    def get_fields(self) -> Any:
        ignored = {name: serializers.JSONField(required=False, allow_null=True) for name in IGNORED}
        return super().get_fields() | ignored

    def validate_messages(self, messages: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the texts of the user's messages, in order."""
        texts = [text_of(m.get("content", "")) for m in messages if m["role"] == "user"]
        if not texts:
            raise ValidationError("One message has to be the user's: it is the question.")
        return texts


def text_of(content: Any) -> str:
    """Return the text of all parts of a message. Raises ValidationError for any part but text."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list):
        raise ValidationError("A message of the user's has to be a text.")
    for part in parts:
        is_text = isinstance(part, dict) and part.get("type") == "text"
        if not is_text or not isinstance(part.get("text"), str):
            raise ValidationError("Only text can be read: no pictures, sounds or files.")
    return "\n".join(part["text"] for part in parts)


class ModelResponse(serializers.Serializer[Any]):
    id = serializers.CharField()
    object = serializers.CharField(help_text="`model`")
    created = serializers.IntegerField()
    owned_by = serializers.CharField()


class ModelsResponse(serializers.Serializer[Any]):
    object = serializers.CharField(help_text="`list`")
    data = ModelResponse(many=True)  # type: ignore[assignment]  # a field


class NoteResponse(serializers.Serializer[Any]):
    """The place of a number such as `[1]` in the text, and the source that it refers to."""

    start_index = serializers.IntegerField(min_value=0)
    end_index = serializers.IntegerField(min_value=0)
    title = serializers.CharField(help_text="Document, section and page.")
    url = serializers.CharField(
        help_text="The page with the words highlighted, for people who are signed in."
    )


class AnnotationResponse(serializers.Serializer[Any]):
    type = serializers.CharField(help_text="`url_citation`")
    url_citation = NoteResponse()


class SaidResponse(serializers.Serializer[Any]):
    role = serializers.CharField(help_text="`assistant`")
    content = serializers.CharField(
        help_text="Claims with numbers such as `[1]`, warnings, and the source of each "
        "number; or the text of a refusal."
    )
    refusal = serializers.CharField(
        allow_null=True, help_text="Always null; a refusal is in `content` and `medrag`."
    )
    annotations = AnnotationResponse(many=True)


class ChoiceResponse(serializers.Serializer[Any]):
    index = serializers.IntegerField()
    message = SaidResponse()
    finish_reason = serializers.CharField(help_text="`stop`, also for a refusal.")
    logprobs = serializers.CharField(allow_null=True)


class UsageResponse(serializers.Serializer[Any]):
    """Always zeros: tokens are not counted here."""

    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    total_tokens = serializers.IntegerField()


class NotedCitation(CitationResponse):
    note = serializers.IntegerField(min_value=1, help_text="Number of the citation in the text.")
    claim = serializers.IntegerField(min_value=1, help_text="The claim that it supports.")


class OutcomeResponse(serializers.Serializer[Any]):
    """The answer's status and citations as our own API gives them; check `status`."""

    status = serializers.ChoiceField(choices=TurnStatus.choices)
    reason = serializers.ChoiceField(choices=Reason.choices, allow_null=True)
    owner = OwnerResponse(allow_null=True, help_text="Whom to ask after a refusal.")
    warnings = WarningResponse(many=True)
    turn = serializers.UUIDField()
    citations = NotedCitation(many=True)


class CompletionResponse(serializers.Serializer[Any]):
    id = serializers.CharField()
    object = serializers.CharField(help_text="`chat.completion`")
    created = serializers.IntegerField(help_text="Seconds since 1970.")
    model = serializers.CharField()
    choices = ChoiceResponse(many=True, help_text="Exactly one choice.")
    usage = UsageResponse()
    medrag = OutcomeResponse()


class ChunkResponse(serializers.Serializer[Any]):
    """One event of a stream. Lines that begin with a colon are comments."""

    data = serializers.CharField(  # type: ignore[assignment]  # a field
        help_text="JSON on one line: a `chat.completion.chunk`, with `delta` in place of "
        "`message`; the last one has `medrag`, and `usage` follows if it was asked "
        "for. Or an `error`. `[DONE]` ends a complete stream."
    )


class ErrorDetail(serializers.Serializer[Any]):
    message = serializers.CharField()
    type = serializers.CharField(
        help_text="`invalid_request_error`, `authentication_error`, `permission_error`, "
        "`rate_limit_error` or `server_error`."
    )
    param = serializers.CharField(
        allow_null=True, help_text="The parameter that is wrong, such as `messages.0.role`."
    )
    code = serializers.CharField(allow_null=True, help_text="`model_not_found`, or null.")


class ErrorResponse(serializers.Serializer[Any]):
    """An error in OpenAI's form, with the sentence of our own API."""

    error = ErrorDetail()
