"""An answer as server-sent events: the steps as they are taken, then what was stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from chat.api.problems import problem_details
from chat.models import TurnStatus
from chat.streams import MEDIA_TYPE, Frame

EVENTS = ("retrieval", "gate", "verdict", "claim", "answer", "abstention", "error")


class EventResponse(serializers.Serializer[Any]):
    """One event of a stream; lines that begin with a colon are none."""

    id = serializers.CharField(help_text="Its number in the stream, from 1.")
    event = serializers.ChoiceField(
        choices=[(name, name) for name in EVENTS],
        help_text="`retrieval`, `gate` and `verdict` come while the question is worked on. When "
        "the turn is stored, a `claim` for each of the answer's, and last `answer` or `abstention` "
        "with all that comes without a stream; `error`, a problem, may come in their place.",
    )
    data = serializers.CharField(help_text="JSON in one line.")  # type: ignore[assignment]  # a field


DESCRIBED = {(200, MEDIA_TYPE): EventResponse}


class EventRenderer(JSONRenderer):
    """Lets a client accept server-sent events; what refuses its question at once is JSON."""

    media_type = MEDIA_TYPE


def wants_stream(asked: Mapping[str, Any], request: Request) -> bool:
    """Tell whether events are to be sent: by the body, or because only they are accepted."""
    return bool(asked["stream"]) or isinstance(request.accepted_renderer, EventRenderer)


def problem_of(error: Exception) -> Any:
    """What a plain call would be told."""
    return problem_details(error, {}).data


def answer_frames(payload: Mapping[str, Any]) -> list[Frame]:
    """Each claim of a stored turn, then the whole."""
    last = "answer" if payload["status"] == TurnStatus.ANSWERED else "abstention"
    claims = [Frame("claim", claim) for claim in payload["claims"]]
    return [*claims, Frame(last, payload)]
