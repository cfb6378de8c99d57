"""A turn, and what its asker says of it."""

from __future__ import annotations

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.answers import feedback_payload, message_payload, turns_payload
from chat.api.fields import Strict, Words, YesNo
from chat.api.guarded import (
    BODY,
    NOT_FOUND,
    Guarded,
    problems,
    record_read,
    user_of,
    valid,
)
from chat.api.serializers import FeedbackResponse, MessageResponse
from chat.feedback import MAX_COMMENT_CHARS, feedback_save
from chat.selectors import (
    access_turn,
    access_turn_to_read,
    may_read_every_turn,
    turn_readable_ids,
)


class TurnResponse(MessageResponse):
    trace = serializers.DictField(
        required=False, help_text="How it was decided, step by step; only for auditors."
    )


class FeedbackRequest(Strict):
    helpful = YesNo()
    comment = Words(
        required=False,
        max_length=MAX_COMMENT_CHARS,
        help_text="What was missing or wrong. What identifies a patient is taken out.",
    )


class TurnView(Guarded):
    @extend_schema(
        operation_id="turn",
        summary="Read a turn",
        description="A question of one's own with its answer; anybody's, and with its trace, for "
        "auditors. Of a guideline that is no longer open to the reader nothing is shown.",
        responses={200: TurnResponse, **problems(*NOT_FOUND)},
        examples=[*examples.TURN, *examples.PROBLEMS, *examples.NOT_FOUND],
    )
    def get(self, request: Request, pk: uuid.UUID) -> Response:
        user = user_of(request)
        turn = access_turn_to_read(user, pk=pk)
        (answer,) = turns_payload(
            [turn], readable=turn_readable_ids(user), address=request.build_absolute_uri
        )
        payload: dict[str, Any] = message_payload(turn, answer)
        if may_read_every_turn(user):
            payload["trace"] = turn.trace
        record_read(user, "turn", subject=f"turn:{turn.pk}")
        return Response(payload)


class FeedbackView(Guarded):
    @extend_schema(
        operation_id="feedback",
        summary="Say whether a turn was helpful",
        description="Of a question of one's own; a later word replaces the earlier one.",
        request=FeedbackRequest,
        responses={200: FeedbackResponse, **problems(*BODY, *NOT_FOUND)},
        examples=[
            *examples.FEEDBACK,
            *examples.WRONG_FIELD,
            *examples.PROBLEMS,
            *examples.NOT_FOUND,
        ],
    )
    def post(self, request: Request, pk: uuid.UUID) -> Response:
        turn = access_turn(user_of(request), pk=pk)
        given = valid(FeedbackRequest(data=request.data))
        return Response(feedback_payload(feedback_save(turn, **given)))
