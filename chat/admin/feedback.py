"""What askers said of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from chat.admin import heard
from chat.admin.filters import DaysFilter
from chat.admin.read_only import ReadOnly
from chat.models import Feedback

if TYPE_CHECKING:
    FeedbackModelAdmin = admin.ModelAdmin[Feedback]
else:
    FeedbackModelAdmin = admin.ModelAdmin


@admin.register(Feedback)
class FeedbackAdmin(ReadOnly, FeedbackModelAdmin):
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
            path("gaps/", view(heard.gaps), name="chat_feedback_gaps"),
            path("not-helpful/", view(heard.unhelpful), name="chat_feedback_unhelpful"),
            *super().get_urls(),
        ]

    @admin.display(description="question")
    def question(self, feedback: Feedback) -> SafeString:
        """Link to the answer that was meant."""
        address = reverse("admin:chat_turn_change", args=[feedback.turn_id])
        return format_html('<a href="{}">{}</a>', address, feedback.turn.question)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Feedback]:
        return super().get_queryset(request).defer("turn__trace", "turn__nearest")
