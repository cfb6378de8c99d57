"""What an auditor reads. Nothing here can be added, changed or deleted, by anybody.

Which calibration of the gate is in use can be chosen, and that is recorded.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from chat.gate.records import calibration_use, is_for_encoder_in_use
from chat.models import AuditEvent, CalibrationRecord, Feedback, Turn
from chat.selectors import audited_turns, every_collection
from chat.web.presentation import shown_turns

if TYPE_CHECKING:
    TurnModelAdmin = admin.ModelAdmin[Turn]
    EventModelAdmin = admin.ModelAdmin[AuditEvent]
    FeedbackModelAdmin = admin.ModelAdmin[Feedback]
    CalibrationModelAdmin = admin.ModelAdmin[CalibrationRecord]
else:
    TurnModelAdmin = EventModelAdmin = FeedbackModelAdmin = admin.ModelAdmin
    CalibrationModelAdmin = admin.ModelAdmin


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
    list_filter = ("status", "reason", "mode", "channel", "created_at")
    list_select_related = ("user",)
    list_per_page = 50
    search_fields = ("question", "user__username")
    show_full_result_count = False
    fieldsets = (
        (None, {"fields": ("question", "standalone", "outcome", "option")}),
        ("Who and when", {"fields": ("user", "channel", "created_at", "duration_ms", "id")}),
        (
            "How it was decided",
            {"fields": ("mode", "confidence", "fingerprint", "given", "trace_text")},
        ),
    )
    readonly_fields = ("outcome", "given", "trace_text")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        """Without what only the page of one shows: a trace is long."""
        return super().get_queryset(request).defer("trace", "nearest")

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

    def get_queryset(self, request: HttpRequest) -> QuerySet[Feedback]:
        return super().get_queryset(request).defer("turn__trace", "turn__nearest")


@admin.register(CalibrationRecord)
class CalibrationRecordAdmin(ReadOnly, CalibrationModelAdmin):
    """Whoever may change calibrations chooses the one in use; none can be edited."""

    list_display = (
        "version",
        "created_at",
        "is_active",
        "method",
        "threshold",
        "risk",
        "guarantee",
        "testset",
        "encoder",
    )
    list_filter = ("is_active", "encoder")
    list_per_page = 50
    fieldsets = (
        (None, {"fields": ("version", "is_active", "created_at", "created_by")}),
        ("The gate", {"fields": ("method", "weights", "threshold", "risk", "guarantee")}),
        ("Made with", {"fields": ("testset", "testset_digest", "encoder", "retrieval")}),
        ("On questions that it was not fitted on", {"fields": ("counted", "measured", "picture")}),
    )
    readonly_fields = ("version", "weights", "counted", "measured", "picture")
    actions = ("use_from_now_on",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[CalibrationRecord]:
        return super().get_queryset(request).defer("plot").select_related("created_by")

    def has_choose_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("chat.change_calibrationrecord"))

    @admin.action(description="Use this calibration from now on", permissions=["choose"])
    def use_from_now_on(self, request: HttpRequest, chosen: QuerySet[CalibrationRecord]) -> None:
        if len(records := list(chosen)) != 1:
            self.message_user(request, "Choose exactly one. Nothing was changed.", messages.ERROR)
            return
        calibration_use(records[0], by=User.objects.get(username=request.user.get_username()))
        if is_for_encoder_in_use(records[0]):
            self.message_user(request, f"From the next question on {records[0]} decides.")
        else:
            sentence = f"It waits: {records[0]} was made for an encoder that is not in use."
            self.message_user(request, sentence, messages.WARNING)

    @admin.display(description="version", ordering="number")
    def version(self, record: CalibrationRecord) -> str:
        return record.version

    @admin.display(description="weights")
    def weights(self, record: CalibrationRecord) -> str:
        return (
            f"{record.intercept:.2f} + {record.cosine:.2f} cosine + {record.coverage:.2f} coverage"
            + (f", {len(record.knots)} knots" if record.knots else "")
        )

    @admin.display(description="questions")
    def counted(self, record: CalibrationRecord) -> SafeString:
        return pretty(record.counts)

    @admin.display(description="figures")
    def measured(self, record: CalibrationRecord) -> SafeString:
        return pretty(record.metrics)

    @admin.display(description="plot")
    def picture(self, record: CalibrationRecord) -> SafeString:
        """Inside the page, so that it needs no address of its own."""
        encoded = base64.b64encode(bytes(record.plot)).decode()
        return format_html(
            '<img src="data:image/png;base64,{}" alt="{}" style="max-width: 100%">',
            encoded,
            f"Reliability, risk and coverage of {record.version}; the figures above say the same",
        )


def pretty(value: Any) -> SafeString:
    return format_html("<pre>{}</pre>", json.dumps(value, indent=2, ensure_ascii=False))
