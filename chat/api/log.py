"""The log over the API, for auditors: its rows, and whether the chain is intact."""

from __future__ import annotations

import json
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.fields import Words
from chat.api.guarded import NOT_FOUND, Guarded, problems, record_read, user_of
from chat.api.pages import LatestRow, Listed, PageRequest
from chat.audit.verify import verify_chain
from chat.models import AuditEvent, Scope
from corpus.access import refuse_without


class EventsRequest(PageRequest):
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

    def check_permissions(self, request: Request) -> None:
        super().check_permissions(request)
        refuse_without(request.user, "chat.view_auditevent")


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
        asked = self.asked()
        named = {key: asked[key] for key in ("action", "subject") if asked.get(key)}
        return self.paged(AuditEvent.objects.filter(**named), "audit")


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
