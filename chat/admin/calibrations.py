"""List the calibrations of the gate. Choosing the one in use is recorded in the log."""

from __future__ import annotations

import base64

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from chat.admin.read_only import ModelAdmin, ReadOnly, pretty, user_of
from chat.gate.calibration import CalibrationError
from chat.gate.records import (
    OTHER_GATE,
    calibration_use,
    is_for_encoder_in_use,
    is_of_odds_in_use,
)
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
        ("The gate", {"fields": ("method", "scaling", "threshold", "risk", "guarantee")}),
        ("Made with", {"fields": ("testset", "testset_digest", "encoder", "retrieval")}),
        ("On these questions", {"fields": ("counted", "measured", "picture")}),
    )
    readonly_fields = ("version", "scaling", "counted", "measured", "picture")
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
        try:
            calibration_use(records[0], by=user_of(request))
        except CalibrationError as error:
            self.message_user(request, error.sentence, messages.ERROR)
            return
        if is_for_encoder_in_use(records[0]):
            self.message_user(
                request, f"Calibration {records[0]} is used from the next question on."
            )
        else:
            sentence = (
                f"Calibration {records[0]} was made for another encoder and takes effect when "
                "that is used."
            )
            self.message_user(request, sentence, messages.WARNING)

    @admin.display(description="version", ordering="number")
    def version(self, record: CalibrationRecord) -> str:
        return record.version

    @admin.display(description="scale")
    def scaling(self, record: CalibrationRecord) -> str:
        if not is_of_odds_in_use(record):
            return f"{record.version} {OTHER_GATE}"
        return f"{record.intercept:.2f} + {record.slope:.2f} learned log-odds"

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
