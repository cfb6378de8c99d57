"""Conversations over the API: start, ask in, read, delete; read a turn, and rate it."""

from __future__ import annotations

import uuid
from http import HTTPStatus
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.answers import feedback_payload, message_payload, turns_payload
from chat.api.fields import Recalled, Strict, Words, YesNo
from chat.api.guarded import (
    BODY,
    NOT_FOUND,
    Guarded,
    problems,
    record_read,
    user_of,
    valid,
)
from chat.api.pages import InOrder, LatestFirst, Listed, PageRequest, WordsRequest
from chat.api.queries import ANSWERS, EventRenderer, answered
from chat.api.repeats import QUESTION_KEY, UNPROCESSABLE
from chat.api.serializers import FeedbackResponse, MessageResponse, QueryRequest
from chat.conversations import (
    MAX_TITLE_CHARS,
    NotDeletable,
    conversation_create,
    conversation_delete,
)
from chat.models import Conversation, Turn
from chat.reviews.feedback import MAX_COMMENT_CHARS, feedback_save
from chat.selectors import (
    access_conversation,
    access_turn,
    access_turn_to_read,
    conversations_of,
    may_read_every_turn,
    turn_readable_ids,
    turns_of,
    with_recalls,
)
from corpus.access import readable_ids

ASKED_TOO = "Only your own conversations, whether started over the API or on the site."


class ConversationRequest(Strict):
    title = Words(
        required=False,
        max_length=MAX_TITLE_CHARS,
        help_text="Without a title, the first question becomes the title.",
    )


class ConversationResponse(serializers.ModelSerializer[Conversation]):
    recalled = serializers.SerializerMethodField()

    class Meta:
        model = Conversation
        fields = ("id", "title", "created_at", "updated_at", "recalled")

    @extend_schema_field(Recalled)
    def get_recalled(self, conversation: Conversation) -> str | None:
        ended = getattr(conversation, "ended", None)  # of `with_recalls`; a new one cites nothing
        return ended.lower() if ended else None


class ConversationsView(Listed):
    asks = WordsRequest
    serializer_class = ConversationResponse
    pagination_class = LatestFirst

    @extend_schema(
        operation_id="conversations",
        summary="List your conversations",
        description="The latest first, whether started over the API or on the site.",
        parameters=[WordsRequest],
        responses={200: ConversationResponse(many=True), **problems(400, *NOT_FOUND)},
        examples=examples.of("CONVERSATIONS", "PROBLEMS"),
    )
    def get(self, request: Request) -> Response:
        words = self.asked().get("words", "")
        conversations = with_recalls(conversations_of(user_of(request), words=words))
        return self.paged(conversations, "conversations", words=words)

    @extend_schema(
        operation_id="conversation_create",
        summary="Start a conversation",
        request=ConversationRequest,
        responses={201: ConversationResponse, **problems(*BODY)},
        examples=examples.of("CONVERSATION_CREATE", "WRONG_FIELD", "PROBLEMS"),
    )
    def post(self, request: Request) -> Response:
        fields = valid(ConversationRequest(data=request.data))
        made = conversation_create(user_of(request), **fields)
        return Response(ConversationResponse(made).data, HTTPStatus.CREATED)


class ConversationView(Guarded):
    @extend_schema(
        operation_id="conversation",
        summary="Read a conversation's title and times",
        description=ASKED_TOO,
        responses={200: ConversationResponse, **problems(*NOT_FOUND)},
        examples=examples.of("CONVERSATION", "NOT_FOUND", "PROBLEMS"),
    )
    def get(self, request: Request, pk: uuid.UUID) -> Response:
        user = user_of(request)
        thread = access_conversation(user, pk=pk)
        record_read(user, "conversation", subject=f"conversation:{thread.pk}")
        conversation = with_recalls(conversations_of(user)).get(pk=thread.pk)
        return Response(ConversationResponse(conversation).data)

    @extend_schema(
        operation_id="conversation_delete",
        summary="Delete a conversation",
        description="The conversation disappears from the API and the site and can't be read "
        "any more; the log records it. Its turns stay stored, for auditors and at "
        "their own addresses. If the site keeps all conversations, the status is "
        "403.",
        responses={
            204: OpenApiResponse(description="The conversation was deleted."),
            **problems(*NOT_FOUND),
        },
        examples=examples.of("CONVERSATIONS_KEPT", "NOT_FOUND", "PROBLEMS"),
    )
    def delete(self, request: Request, pk: uuid.UUID) -> Response:
        user = user_of(request)
        try:
            conversation_delete(access_conversation(user, pk=pk), by=user)
        except NotDeletable as error:
            raise PermissionDenied(error.sentence) from error
        return Response(status=HTTPStatus.NO_CONTENT)


class ConversationQueryView(Guarded):
    renderer_classes = [JSONRenderer, EventRenderer]

    @extend_schema(
        operation_id="conversation_query",
        summary="Ask in a conversation",
        description="As `query`. A follow-up such as `And in children?` is understood from "
        "the turns before it; `standalone` shows how.",
        parameters=[QUESTION_KEY],
        request=QueryRequest,
        responses={**ANSWERS, **problems(*BODY, *NOT_FOUND, *UNPROCESSABLE)},
        examples=examples.of("QUERY", "WRONG_FIELD", "NOT_FOUND", "PROBLEMS"),
    )
    def post(self, request: Request, pk: uuid.UUID) -> HttpResponseBase:
        user = user_of(request)
        thread = access_conversation(user, pk=pk)
        fields = valid(QueryRequest(data=request.data, context={"reader": user}))
        if fields.setdefault("conversation", thread) != thread:
            raise ValidationError({"conversation": ["The address names another conversation."]})
        return answered(fields, request)


class MessagesView(Guarded, GenericAPIView[Turn]):
    serializer_class = MessageResponse
    pagination_class = InOrder

    @extend_schema(
        operation_id="messages",
        summary="Read the questions and answers of a conversation",
        description=f"In order of asking. {ASKED_TOO} Text of a guideline that is no longer open "
        "to the reader is left out.",
        parameters=[PageRequest],
        responses={200: MessageResponse(many=True), **problems(400, *NOT_FOUND)},
        examples=examples.of("MESSAGES", "NOT_FOUND", "PROBLEMS"),
    )
    def get(self, request: Request, pk: uuid.UUID) -> Response:
        user = user_of(request)
        thread = access_conversation(user, pk=pk)
        valid(PageRequest(data=request.query_params.dict()))
        turns = self.paginate_queryset(turns_of(thread)) or []
        answers = turns_payload(
            turns,
            readable=readable_ids(user),
            reader=user.pk,
            address=request.build_absolute_uri,
        )
        record_read(user, "messages", subject=f"conversation:{thread.pk}")
        return self.get_paginated_response(
            [message_payload(turn, answer) for turn, answer in zip(turns, answers, strict=True)]
        )


class TurnResponse(MessageResponse):
    trace = serializers.DictField(
        required=False, help_text="How the answer was decided, step by step; only for auditors."
    )


class FeedbackRequest(Strict):
    helpful = YesNo()
    comment = Words(
        required=False,
        max_length=MAX_COMMENT_CHARS,
        help_text="What was missing or wrong. Words that identify a patient are removed.",
    )


class TurnView(Guarded):
    @extend_schema(
        operation_id="turn",
        summary="Read a turn",
        description="Your own question with its answer; auditors can read every question, "
        "with its trace. Text of a guideline that is no longer open to the reader "
        "is left out.",
        responses={200: TurnResponse, **problems(*NOT_FOUND)},
        examples=examples.of("TURN", "PROBLEMS", "NOT_FOUND"),
    )
    def get(self, request: Request, pk: uuid.UUID) -> Response:
        user = user_of(request)
        turn = access_turn_to_read(user, pk=pk)
        (answer,) = turns_payload(
            [turn],
            readable=turn_readable_ids(user),
            reader=user.pk,
            address=request.build_absolute_uri,
        )
        payload: dict[str, Any] = message_payload(turn, answer)
        if may_read_every_turn(user):
            payload["trace"] = turn.trace
        record_read(user, "turn", subject=f"turn:{turn.pk}")
        return Response(payload)


class FeedbackView(Guarded):
    @extend_schema(
        operation_id="feedback",
        summary="Give feedback on a turn",
        description="Only for your own questions. Later feedback replaces earlier feedback.",
        request=FeedbackRequest,
        responses={200: FeedbackResponse, **problems(*BODY, *NOT_FOUND)},
        examples=examples.of("FEEDBACK", "WRONG_FIELD", "PROBLEMS", "NOT_FOUND"),
    )
    def post(self, request: Request, pk: uuid.UUID) -> Response:
        turn = access_turn(user_of(request), pk=pk)
        given = valid(FeedbackRequest(data=request.data))
        return Response(feedback_payload(feedback_save(turn, **given)))
