"""Examples of chat completions, derived from the examples of our own API."""

from __future__ import annotations

import json
from typing import Any

from drf_spectacular.utils import OpenApiExample

from chat.api import examples
from chat.api.openai.writing import Answer, chunks, completion
from chat.streams import MEDIA_TYPE

_QUESTION = {"role": "user", "content": examples.of("QUERY")[0].value["question"]}
_ASKED = {"model": "medrag", "messages": [_QUESTION]}
_ANSWERED, _REFUSED = (
    Answer(each.value, 1793611800, "medrag") for each in examples.of("QUERY")[1:]
)


def _given(name: str, value: Any, media_type: str = "application/json") -> OpenApiExample:
    return OpenApiExample(
        name, value=value, media_type=media_type, response_only=True, status_codes=["200"]
    )


COMPLETION = [
    OpenApiExample("A question", value=_ASKED, request_only=True),
    OpenApiExample("As a stream", value=_ASKED | {"stream": True}, request_only=True),
    _given("Answered", completion(_ANSWERED)),
    _given("Refused", completion(_REFUSED)),
    *(
        _given(f"Chunk {number}", {"data": json.dumps(frame.data)}, MEDIA_TYPE)
        for number, frame in enumerate(list(chunks(_ANSWERED, with_usage=False))[:3], 1)
    ),
]
