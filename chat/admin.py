"""What an auditor reads. Nothing here can be added, changed or deleted, by anybody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from chat.models import AuditEvent, Feedback, Turn
from chat.presentation import shown_turns
from chat.selectors import audited_turns, every_collection

if TYPE_CHECKING:
    TurnModelAdmin = admin.ModelAdmin[Turn]
    EventModelAdmin = admin.ModelAdmin[AuditEvent]
    FeedbackModelAdmin = admin.ModelAdmin[Feedback]
else:
    TurnModelAdmin = EventModelAdmin = FeedbackModelAdmin = admin.ModelAdmin


class ReadOnly:
    """Only the right to view counts; a superuser may not write here either."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Turn)
class TurnAdmin(ReadOnly, TurnModelAdmin):
    list_display = (
        "created_at",
        "user",
        "question_start",
        "status",
        "reason",
        "confidence",
        "channel",
    )
    list_display_links = ("created_at", "question_start")
    list_filter = ("status", "reason", "channel", "created_at")
    list_select_related = ("user",)
    list_per_page = 50
    search_fields = ("question", "user__username")
    show_full_result_count = False
    fieldsets = (
        (None, {"fields": ("question", "outcome")}),
        ("Who and when", {"fields": ("user", "channel", "created_at", "duration_ms", "id")}),
        (
            "How it was decided",
            {"fields": ("confidence", "fingerprint", "given", "trace_text")},
        ),
    )
    readonly_fields = ("outcome", "given", "trace_text")

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Turn | None:
        turn = super().get_object(request, object_id, from_field)
        return audited_turns().get(pk=turn.pk) if turn else None

    @admin.display(description="question")
    def question_start(self, turn: Turn) -> str:
        return turn.question[:90] + ("…" if len(turn.question) > 90 else "")

    @admin.display(description="answer or refusal")
    def outcome(self, turn: Turn) -> SafeString:
        """As it was shown, also what is in collections that are not open to the auditor."""
        (shown,) = shown_turns([turn], on=timezone.localdate(), readable=every_collection())
        return render_to_string("admin/chat/turn/_outcome.html", {"shown": shown})

    @admin.display(description="feedback")
    def given(self, turn: Turn) -> str:
        given = Feedback.objects.filter(turn=turn).first()
        return f"{given}: {given.comment}".rstrip(": ") if given else "-"

    @admin.display(description="trace")
    def trace_text(self, turn: Turn) -> SafeString:
        return pretty(turn.trace)


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnly, EventModelAdmin):
    list_display = ("seq", "at", "actor", "action", "subject")
    list_filter = ("action", "at")
    list_per_page = 100
    search_fields = ("actor", "subject")
    show_full_result_count = False
    ordering = ("-seq",)
    fields = ("seq", "at", "actor", "action", "subject", "payload_text", "hash_hex", "previous_hex")
    readonly_fields = ("payload_text", "hash_hex", "previous_hex")

    @admin.display(description="payload")
    def payload_text(self, event: AuditEvent) -> SafeString:
        return pretty(json.loads(event.payload))

    @admin.display(description="hash")
    def hash_hex(self, event: AuditEvent) -> str:
        return bytes(event.hash).hex()

    @admin.display(description="hash of the event before")
    def previous_hex(self, event: AuditEvent) -> str:
        return bytes(event.prev_hash).hex()


@admin.register(Feedback)
class FeedbackAdmin(ReadOnly, FeedbackModelAdmin):
    list_display = ("created_at", "helpful", "comment", "turn")
    list_filter = ("helpful", "created_at")
    list_select_related = ("turn",)
    search_fields = ("comment", "turn__question")


def pretty(value: Any) -> SafeString:
    return format_html("<pre>{}</pre>", json.dumps(value, indent=2, ensure_ascii=False))
