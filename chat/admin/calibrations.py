"""List the calibrations of the gate. Choosing the one in use is recorded in the log."""

from __future__ import annotations

import base64

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from chat.admin.read_only import ModelAdmin, ReadOnly, pretty, user_of
from chat.gate.records import calibration_use, is_for_encoder_in_use
from chat.models import CalibrationRecord


@admin.register(CalibrationRecord)
class CalibrationRecordAdmin(ReadOnly, ModelAdmin[CalibrationRecord]):
    """Lists calibrations; with the right to change them, one can be put in use, none edited."""

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
            self.message_user(
                request, "Nothing was changed. Choose exactly one calibration.", messages.ERROR
            )
            return
        calibration_use(records[0], by=user_of(request))
        if is_for_encoder_in_use(records[0]):
            self.message_user(
                request, f"Calibration {records[0]} is used from the next question on."
            )
        else:
            sentence = (
                f"Calibration {records[0]} was fitted for another encoder and takes effect when "
                "that is used."
            )
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
        """Embed the plot in the page, so that it needs no address of its own."""
        encoded = base64.b64encode(bytes(record.plot)).decode()
        return format_html(
            '<img src="data:image/png;base64,{}" alt="{}" style="max-width: 100%">',
            encoded,
            f"Reliability, risk and coverage of {record.version}; the figures above say the same",
        )
