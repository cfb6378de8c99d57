"""Show figures of days, drift alerts, retracted documents, and the page *Quality*."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.views.decorators.http import require_safe

from chat.admin.read_only import user_of
from chat.selectors import may_read_every_turn
from chat.templatetags.chat_text import percent
from evaluation.admin.frame import EvaluationAdmin
from evaluation.models import DayFigures, DriftAlert, RetractionAlert, RetractionCheck
from evaluation.monitoring.quality import (
    MOST,
    may_see_quality,
    quality_shown,
    topics_without_guideline,
    turns_without_guideline,
)


@admin.register(DayFigures)
class DayFiguresAdmin(EvaluationAdmin[DayFigures]):
    """Figures of days; the page *Quality* lies below their address."""

    list_display = ("day", "answered", "refusals", "helped_share", "p50", "p95")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(quality)
        return [path("quality/", view, name="evaluation_quality"), *super().get_urls()]

    @admin.display(description="refused")
    def refusals(self, figures: DayFigures) -> int:
        return sum(figures.refused.values())

    @admin.display(description="helped")
    def helped_share(self, figures: DayFigures) -> str:
        if figures.helped is None:
            return "-"
        return f"{percent(figures.helped)} of {figures.helpful + figures.not_helpful}"

    @admin.display(description="p50, ms", empty_value="-")
    def p50(self, figures: DayFigures) -> int | None:
        return None if figures.p50_ms is None else round(figures.p50_ms)

    @admin.display(description="p95, ms", empty_value="-")
    def p95(self, figures: DayFigures) -> int | None:
        return None if figures.p95_ms is None else round(figures.p95_ms)


@admin.register(DriftAlert)
class DriftAlertAdmin(EvaluationAdmin[DriftAlert]):
    list_display = ("measure", "began_on", "ended_on", "statistic", "p", "n_before", "n")
    list_filter = ("measure",)


@admin.register(RetractionAlert)
class RetractionAlertAdmin(EvaluationAdmin[RetractionAlert]):
    list_display = ("document", "number", "reason", "began_on", "ended_on")
    list_filter = (("ended_on", admin.EmptyFieldListFilter),)
    list_select_related = ("document",)


@admin.register(RetractionCheck)
class RetractionCheckAdmin(EvaluationAdmin[RetractionCheck]):
    list_display = ("day", "listed", "left_out", "documents", "found", "problem")


SHOWN = 20  # topics


@require_safe
def quality(request: HttpRequest) -> HttpResponse:
    """Render the page; topics, which hold questions, only for users who may read every question."""
    user = user_of(request)
    if not may_see_quality(user):
        raise PermissionDenied
    figures = quality_shown()
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": "Quality",
        "found": figures,
        "count": turns_without_guideline(figures.first, figures.last).count(),
        "may_read_questions": may_read_every_turn(user),
        "most": MOST,
    }
    if may_read_every_turn(user):
        topics, context["no_topics"] = topics_without_guideline(figures.first, figures.last)
        context |= {"topics": topics[:SHOWN], "more": len(topics) - SHOWN}
    return TemplateResponse(request, "admin/evaluation/quality.html", context)
