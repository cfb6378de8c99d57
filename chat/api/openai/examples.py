"""Examples of chat completions, out of those of the API of its own."""

from __future__ import annotations

import json
from typing import Any

from drf_spectacular.utils import OpenApiExample

from chat.api import examples
from chat.api.openai.writing import Answer, chunks, completion
from chat.streams import MEDIA_TYPE

_QUESTION = {"role": "user", "content": examples.QUERY[0].value["question"]}
_ASKED = {"model": "medrag", "messages": [_QUESTION]}
_ANSWERED, _REFUSED = (Answer(one.value, 1793611800, "medrag") for one in examples.QUERY[1:])


def _given(name: str, value: Any, status: int = 200, **more: Any) -> OpenApiExample:
    return OpenApiExample(name, value=value, response_only=True, status_codes=[str(status)], **more)


def _error(name: str, status: int, kind: str, message: str, **more: Any) -> OpenApiExample:
    error = {"message": message, "type": kind, "param": None, "code": None} | more
    return _given(name, {"error": error}, status)


MODELS = [
    _given(
        "The site's own mode, and one more",
        {
            "object": "list",
            "data": [
                {"id": name, "object": "model", "created": 0, "owned_by": "medrag"}
                for name in ("medrag", "medrag-faithful")
            ],
        },
    )
]
COMPLETION = [
    OpenApiExample("A question", value=_ASKED, request_only=True),
    OpenApiExample("As a stream", value=_ASKED | {"stream": True}, request_only=True),
    _given("Answered", completion(_ANSWERED), media_type="application/json"),
    _given("Refused", completion(_REFUSED), media_type="application/json"),
    *(
        _given(f"Chunk {number}", {"data": json.dumps(frame.data)}, media_type=MEDIA_TYPE)
        for number, frame in enumerate(list(chunks(_ANSWERED, with_usage=False))[:3], 1)
    ),
]
NO_MODEL = [
    _error(
        "No such model",
        404,
        "invalid_request_error",
        "There is no model 'gpt-4o' here.",
        code="model_not_found",
    ),
    _error(
        "Something can't be kept",
        400,
        "invalid_request_error",
        "Ensure this value is less than or equal to 1.",
        param="n",
    ),
]
ERRORS = [
    _error("A wrong token", 401, "authentication_error", "Invalid token."),
    _error(
        "Another scope",
        403,
        "permission_error",
        "This takes a token with the scope `ask`.",
    ),
    _error(
        "Too many requests",
        429,
        "rate_limit_error",
        "Request was throttled. Expected available in 12 seconds.",
    ),
]
