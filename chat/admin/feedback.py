"""Feedback of askers for auditors; unanswered and unhelpful questions for corpus staff."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from chat.admin.filters import DaysFilter
from chat.admin.read_only import ModelAdmin, ReadOnly, user_of
from chat.models import Citation, Feedback, Reason, Turn
from chat.question.guard import question_guarded
from chat.rights import reasons_open
from chat.selectors import (
    may_read_every_turn,
    pages_cited_in_collections_of,
    turn_readable_ids,
    turns_refused_in_collections_of,
    turns_unhelpful_citing_collections_of,
)
from corpus.staff_selectors import collections_changeable

SHOWN = 100


@admin.register(Feedback)
class FeedbackAdmin(ReadOnly, ModelAdmin[Feedback]):
    list_display = ("created_at", "helpful", "comment", "question")
    list_filter = ("helpful", DaysFilter)
    fields = ("created_at", "helpful", "comment", "question")
    readonly_fields = ("created_at", "question")
    show_facets = admin.ShowFacets.NEVER
    list_select_related = ("turn",)
    search_fields = ("comment", "turn__question")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("gaps/", view(gaps), name="chat_feedback_gaps"),
            path("not-helpful/", view(unhelpful), name="chat_feedback_unhelpful"),
            *super().get_urls(),
        ]

    @admin.display(description="question")
    def question(self, feedback: Feedback) -> SafeString:
        """Link the question to its answer."""
        address = reverse("admin:chat_turn_change", args=[feedback.turn_id])
        return format_html('<a href="{}">{}</a>', address, feedback.turn.question)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Feedback]:
        return super().get_queryset(request).defer("turn__trace", "turn__nearest")


@dataclass(frozen=True)
class Heard:
    """A question without patient identifiers, and its citations in the reader's collections."""

    turn: Turn
    question: str
    reason: str  # of a refusal, in words, as it may be told to the reader
    cited: tuple[Citation, ...]


@require_safe
def gaps(request: HttpRequest) -> HttpResponse:
    """List questions that no guideline in force answered."""
    return _page(request, "Questions without an answer", turns_refused_in_collections_of)


@require_safe
def unhelpful(request: HttpRequest) -> HttpResponse:
    """List answers that their askers called not helpful."""
    return _page(request, "Answers said to be not helpful", turns_unhelpful_citing_collections_of)


def _page(
    request: HttpRequest, title: str, turns_of: Callable[[User], QuerySet[Turn]]
) -> HttpResponse:
    user = user_of(request)
    if not collections_changeable(user).exists():
        raise PermissionDenied
    every = turns_of(user)
    turns = list(every.defer(None).defer("nearest")[:SHOWN])  # a reason needs the trace
    reasons = reasons_open(turns, turn_readable_ids(user), reader=user.pk)
    cited = pages_cited_in_collections_of(user, turns)
    context = {
        **admin.site.each_context(request),
        "title": title,
        "heard": [
            Heard(
                turn,
                question_guarded(turn.question, "redact").text,
                str(Reason(reasons[turn.pk]).label) if reasons[turn.pk] else "",
                tuple(cited.get(turn.pk, ())),
            )
            for turn in turns
        ],
        "count": every.count(),
        "may_read_turns": may_read_every_turn(user),
    }
    return TemplateResponse(request, "admin/chat/feedback/heard.html", context)
