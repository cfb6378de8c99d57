"""Show in one page how well the site answers, for the person responsible for it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from chat.admin.read_only import user_of
from chat.selectors import may_read_every_turn
from evaluation.monitoring.quality import (
    MOST,
    may_see_quality,
    quality_shown,
    topics_without_guideline,
    turns_without_guideline,
)

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
