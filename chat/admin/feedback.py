"""What askers said of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path

from chat.admin import heard
from chat.admin.read_only import ReadOnly
from chat.models import Feedback

if TYPE_CHECKING:
    FeedbackModelAdmin = admin.ModelAdmin[Feedback]
else:
    FeedbackModelAdmin = admin.ModelAdmin


@admin.register(Feedback)
class FeedbackAdmin(ReadOnly, FeedbackModelAdmin):
    list_display = ("created_at", "helpful", "comment", "turn")
    list_filter = ("helpful", "created_at")
    list_select_related = ("turn",)
    search_fields = ("comment", "turn__question")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("gaps/", view(heard.gaps), name="chat_feedback_gaps"),
            path("not-helpful/", view(heard.unhelpful), name="chat_feedback_unhelpful"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Feedback]:
        return super().get_queryset(request).defer("turn__trace", "turn__nearest")
