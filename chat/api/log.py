"""For auditors over the API: the log, whether its chain is intact, and everybody's turns."""

from __future__ import annotations

import datetime
import json
from typing import Any

from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.fields import Recalled, Slug, Words
from chat.api.guarded import NOT_FOUND, Guarded, problems, record_read, user_of
from chat.api.pages import LatestAsked, LatestRow, Listed, PageRequest
from chat.audit.turn_rows import rows_of
from chat.audit.verify import verify_chain
from chat.models import AuditEvent, Channel, Mode, Reason, Scope, Turn, TurnStatus
from chat.selectors import audited_turns, of_days, turn_readable_ids, turns_in
from corpus.access import refuse_without


class DaysRequest(PageRequest):
    since = serializers.DateField(
        required=False, help_text="First day, in the site's time zone, such as `2026-11-02`."
    )
    until = serializers.DateField(required=False, help_text="Last day, included.")


class EventsRequest(DaysRequest):
    actor = Words(
        required=False, max_length=100, help_text="User name of who did it; `system` for none."
    )
    action = Words(
        required=False, max_length=100, help_text="Action, such as `document.published`."
    )
    subject = Words(required=False, max_length=100, help_text="Subject, such as `document:7`.")


class LoggedEvent(serializers.ModelSerializer[AuditEvent]):
    payload = serializers.SerializerMethodField()
    hash = serializers.SerializerMethodField(help_text="Hash of the row, in hex.")

    class Meta:
        model = AuditEvent
        fields = ("seq", "at", "actor", "action", "subject", "payload", "hash")

    def get_payload(self, event: AuditEvent) -> dict[str, Any]:
        payload: dict[str, Any] = json.loads(event.payload)
        return payload

    def get_hash(self, event: AuditEvent) -> str:
        return bytes(event.hash).hex()


class VerdictResponse(serializers.Serializer[Any]):
    ok = serializers.BooleanField()
    verdict = serializers.CharField(
        source="__str__", help_text="The result as `manage.py audit verify` prints it."
    )
    rows = serializers.IntegerField(help_text="Rows verified, up to the first break.")
    head_hash = serializers.CharField()
    answers = serializers.IntegerField(
        help_text="Stored answers that were compared with their digest."
    )
    signed_heads = serializers.IntegerField()
    signed_seq = serializers.IntegerField()
    warnings = serializers.ListField(child=serializers.CharField())


class OfAuditors(Guarded):
    scope_to_read = scope_to_write = str(Scope.AUDIT)
    needs = "chat.view_auditevent"

    def check_permissions(self, request: Request) -> None:
        super().check_permissions(request)
        refuse_without(request.user, self.needs)


class EventsView(OfAuditors, Listed):
    asks = EventsRequest
    serializer_class = LoggedEvent
    pagination_class = LatestRow

    @extend_schema(
        operation_id="audit",
        summary="Read the log",
        description="The latest first; for auditors.",
        parameters=[EventsRequest],
        responses={200: LoggedEvent(many=True), **problems(400, *NOT_FOUND)},
        examples=examples.of("EVENTS", "FORBIDDEN", "PROBLEMS"),
    )
    def get(self, request: Request) -> Response:
        given = self.asked()
        named = {key: given[key] for key in ("action", "subject") if given.get(key)}
        events = of_days(AuditEvent.objects.all(), "at", given.get("since"), given.get("until"))
        if actor := given.get("actor"):
            events = events.filter(Q(actor=actor) | Q(actor__endswith=f":{actor}"))
        return self.paged(events.filter(**named), "audit")


class VerdictView(OfAuditors):
    @extend_schema(
        operation_id="audit_verify",
        summary="Verify the log",
        description="Checks the hash of every row, the signed heads and the stored answers. "
        "This takes minutes with millions of rows. A broken log is a result with "
        "status 200.",
        responses={200: VerdictResponse, **problems()},
        examples=examples.of("VERDICT", "FORBIDDEN", "PROBLEMS"),
    )
    def get(self, request: Request) -> Response:
        user = user_of(request)
        report = verify_chain()
        record_read(user, "audit_verify", subject=f"user:{user.pk}")
        return Response(VerdictResponse(report).data)


class TurnsRequest(DaysRequest):
    person = Words(required=False, max_length=150, help_text="User name of who asked.")
    status = serializers.ChoiceField(required=False, choices=TurnStatus.choices)
    reason = serializers.ChoiceField(
        required=False, choices=Reason.choices, help_text="Why it was refused."
    )
    collection = Slug(
        required=False,
        max_length=50,
        help_text="Slug of a collection: answers that cite it, and questions limited to it.",
    )


class TurnRowResponse(serializers.Serializer[Any]):
    turn = serializers.UUIDField(help_text="Read it whole by `GET /turns/{id}`.")
    conversation = serializers.UUIDField(allow_null=True)
    asked_at = serializers.DateTimeField()
    user = serializers.IntegerField(allow_null=True, help_text="Id of who asked.")
    channel = serializers.ChoiceField(choices=Channel.choices)
    mode = serializers.ChoiceField(choices=Mode.choices)
    status = serializers.ChoiceField(choices=TurnStatus.choices)
    reason = serializers.ChoiceField(choices=Reason.choices, allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    fingerprint = serializers.CharField(allow_blank=True, help_text="Of the configuration.")
    duration_ms = serializers.IntegerField(min_value=0)
    text_removed_at = serializers.DateTimeField(allow_null=True)
    recalled = Recalled()
    hidden = serializers.IntegerField(
        min_value=0, help_text="Number of statements or passages that are not open to the reader."
    )
    username = serializers.CharField(allow_null=True)
    question = serializers.CharField()
    standalone = serializers.CharField(allow_null=True)
    statements = serializers.ListField(child=serializers.CharField())
    citations = serializers.ListField(
        child=serializers.CharField(), help_text="Document, version and place, each once."
    )
    warnings = serializers.ListField(child=serializers.CharField())


class TurnsView(OfAuditors, Listed):
    asks = TurnsRequest
    serializer_class = TurnRowResponse
    pagination_class = LatestAsked
    needs = "chat.view_turn"

    @extend_schema(
        operation_id="turns",
        summary="List everybody's questions and answers",
        description="The latest first; for auditors. The log has who read which page.",
        parameters=[TurnsRequest],
        responses={200: TurnRowResponse(many=True), **problems(400, *NOT_FOUND)},
        examples=examples.of("TURNS", "FORBIDDEN", "PROBLEMS"),
    )
    def get(self, request: Request) -> Response:
        user, given = user_of(request), self.asked()
        page = self.paginate_queryset(_narrowed(given)) or []
        rows = rows_of(page, turn_readable_ids(user), texts=True, by=user)
        narrowed = {
            key: value.isoformat() if isinstance(value, datetime.date) else value
            for key, value in given.items()
            if key != "cursor"
        }
        record_read(user, "turns", subject=f"user:{user.pk}", rows=len(page), **narrowed)
        return self.get_paginated_response(list(rows))


def _narrowed(given: dict[str, Any]) -> QuerySet[Turn]:
    turns = of_days(audited_turns(), "created_at", given.get("since"), given.get("until"))
    for key, field in (("person", "user__username"), ("status", "status"), ("reason", "reason")):
        if given.get(key):
            turns = turns.filter(**{field: given[key]})
    return turns_in(turns, given["collection"]) if given.get("collection") else turns
