"""Questions with their answers or refusals, for auditors to search and read."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html

from chat.admin.filters import (
    DaysFilter,
    DocumentFilter,
    FeedbackFilter,
    OutcomeFilter,
    PersonFilter,
)
from chat.admin.links import as_uuid, searched
from chat.admin.read_only import (
    ModelAdmin,
    ReadOnly,
    download,
    export_asked,
    only_post,
    pretty,
    user_of,
)
from chat.audit.turn_rows import turn_rows, turns_export_record
from chat.models import Arm, AuditEvent, Turn
from chat.replays.replay import turn_replay
from chat.reviews.selectors import reviews_readable
from chat.reviews.services import OwnTurn, review_flag
from chat.selectors import audited_turns
from chat.web.provenance import turn_provenance
from core.errors import MedragError

SEQ_DIGITS = 18  # of an event's number at most


@admin.register(Turn)
class TurnAdmin(ReadOnly, ModelAdmin[Turn]):
    list_display = (
        "created_at",
        "user",
        "question_start",
        "became",
        "feedback_given",
        "confidence",
        "channel",
    )
    list_display_links = ("created_at", "question_start")
    list_filter = (
        DaysFilter,
        PersonFilter,
        DocumentFilter,
        OutcomeFilter,
        FeedbackFilter,
        "channel",
        "mode",
    )
    list_select_related = ("user", "feedback")
    list_per_page = 50
    search_fields = ("question", "user__username")
    search_help_text = (
        "Words of the question, a name, the id of an answer or a conversation, or the number of an "
        "event in the log"
    )
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # each facet would count the whole list
    ordering = ("-created_at", "-pk")
    actions = ("have_reviewed",)
    change_list_template = "admin/chat/turn/answers.html"
    fields = ("id",)  # the page of a turn is no form

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        """Defer the trace and nearest passages, which are long and not shown in the list."""
        return super().get_queryset(request).defer("trace", "nearest")

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Turn | None:
        turn = super().get_object(request, object_id, from_field)
        return audited_turns().get(pk=turn.pk) if turn else None

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Turn], search_term: str
    ) -> tuple[QuerySet[Turn], bool]:
        """Find turns by id, else by words of the question, asker or the number of an event."""
        term = search_term.strip()
        if pk := as_uuid(term):
            return queryset.filter(Q(pk=pk) | Q(conversation=pk)), False
        matches, has_duplicates = super().get_search_results(request, queryset, term)
        if turn := _turn_of_event(term):
            matches |= queryset.filter(pk=turn)
        return matches, has_duplicates

    def has_flag_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("chat.add_review")

    @admin.action(description="Add these to the queue of reviews", permissions=["flag"])
    def have_reviewed(self, request: HttpRequest, chosen: QuerySet[Turn]) -> None:
        by, refused = user_of(request), 0
        turns = list(chosen)
        for turn in turns:
            try:
                review_flag(turn, by=by)
            except OwnTurn as error:
                refused += 1
                self.message_user(request, error.sentence, messages.ERROR)
        if waiting := len(turns) - refused:
            queue = reverse("admin:chat_review_changelist")
            message = format_html('{} in the <a href="{}">queue of reviews</a>.', waiting, queue)
            self.message_user(request, message, messages.SUCCESS)

    @admin.display(description="question")
    def question_start(self, turn: Turn) -> str:
        return turn.question[:90] + ("…" if len(turn.question) > 90 else "")

    @admin.display(description="outcome", ordering="reason")
    def became(self, turn: Turn) -> str:
        return str(turn.get_reason_display() or turn.get_status_display())

    @admin.display(description="feedback")
    def feedback_given(self, turn: Turn) -> str:
        return str(getattr(turn, "feedback", "-"))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *arguments: Any, **named: Any
    ) -> HttpResponse:
        """Show how the turn came about, including collections that the auditor may not search."""
        turn: Turn = context["original"]
        context |= {
            "provenance": turn_provenance(turn, on=timezone.localdate()),
            "arm": Arm(turn.arm).label if turn.arm else "",
            "seconds": f"{turn.duration_ms / 1000:.2f}",
            "thread_address": searched("admin:chat_turn_changelist", turn.conversation_id),
            "events_address": searched("admin:chat_auditevent_changelist", turn.pk),
            "reviews": reviews_readable(user_of(request)).filter(turn=turn),
            "trace_text": pretty(turn.trace),
        }
        return super().render_change_form(request, context, *arguments, **named)

    def get_urls(self) -> list[URLPattern]:
        replay = path(
            "<uuid:pk>/replay/",
            self.admin_site.admin_view(self.replay),
            name="chat_turn_replay",
        )
        export = path("export/", self.admin_site.admin_view(self.export), name="chat_turn_export")
        return [replay, export, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        rights = {"may_export": request.user.has_perm("chat.export_turn")}
        return super().changelist_view(request, {**(extra_context or {}), **rights})

    def export(self, request: HttpRequest) -> HttpResponseBase:
        """Export the filtered list, with or without texts. Recorded in the log."""
        if not request.user.has_perms(("chat.export_turn", "chat.view_turn")):
            raise PermissionDenied
        if request.method != "POST":
            return only_post()
        by = user_of(request)
        turns, how = export_asked(request, self)
        filters = (name for name, value in request.GET.items() if value)
        turns_export_record(rows=turns.count(), **how, filters=filters, by=by)
        return download(turn_rows(turns, texts=how["texts"], by=by), "answers", how["form"])

    def replay(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Replay the turn with the stored reply of a language model, and show the comparison."""
        if not request.user.has_perms(("chat.replay_turn", "chat.view_turn")):
            raise PermissionDenied
        if request.method != "POST":
            return only_post()
        turn = get_object_or_404(Turn, pk=pk)
        try:
            replay = turn_replay(turn, by=user_of(request))
        except MedragError as error:
            messages.error(request, error.sentence)
            return redirect("admin:chat_turn_change", turn.pk)
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "title": "Replay",
            "opts": Turn._meta,
            "replay": replay,
        }
        return TemplateResponse(request, "admin/chat/turn/replay.html", context)


def _turn_of_event(term: str) -> uuid.UUID | None:
    """Return the turn of an event of the log, by the event's number: `12` or `#12`."""
    number = term.removeprefix("#")
    if not (number.isascii() and number.isdecimal() and len(number) <= SEQ_DIGITS):
        return None
    event = AuditEvent.objects.filter(seq=int(number), subject__startswith="turn:").first()
    return as_uuid(event.subject.removeprefix("turn:")) if event else None
