"""The log: search, verify, sign and export. Each of these actions is recorded in the log too."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.safestring import SafeString

from chat.admin.filters import ActionFilter, ActorFilter, DaysFilter
from chat.admin.links import as_uuid, subject_link
from chat.admin.read_only import (
    ModelAdmin,
    ReadOnly,
    download,
    export_asked,
    only_post,
    pretty,
    user_of,
)
from chat.audit.export import event_rows, record_work
from chat.audit.heads import sign_head
from chat.audit.heads_copy import send_heads
from chat.audit.verify import verify_chain
from chat.models import AuditEvent
from core.errors import MedragError

_SUBJECT = re.compile(r"[a-z]+:\S+")


class AtFilter(DaysFilter):
    field = "at"


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnly, ModelAdmin[AuditEvent]):
    list_display = ("seq", "at", "actor", "action", "about")
    list_filter = (AtFilter, ActorFilter, ActionFilter)
    list_per_page = 100
    search_fields = ("actor", "action", "subject")
    search_help_text = (
        "Words of actor, action or subject, the id of an answer or a conversation, or an event's "
        "number"
    )
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    ordering = ("-seq",)
    fields = ("seq", "at", "actor", "action", "about", "payload_text", "hash_hex", "previous_hex")
    readonly_fields = ("about", "payload_text", "hash_hex", "previous_hex")
    change_list_template = "admin/chat/auditevent/log.html"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditEvent], search_term: str
    ) -> tuple[QuerySet[AuditEvent], bool]:
        """Find events by the id or name of their subject or actor, or by number, using an index.

        Any other term is searched in actor, action and subject.
        """
        term = search_term.strip()
        if pk := as_uuid(term):
            return queryset.filter(subject__in=(f"turn:{pk}", f"conversation:{pk}")), False
        if _SUBJECT.fullmatch(term):
            named = Q(subject=term) | Q(actor=term) | Q(actor__startswith=f"{term}:")
            return queryset.filter(named), False
        number = term.removeprefix("#")
        if number.isascii() and number.isdecimal():
            return queryset.filter(seq=int(number) if len(number) <= 18 else 0), False
        return super().get_search_results(request, queryset, term)

    @admin.display(description="subject", ordering="subject")
    def about(self, event: AuditEvent) -> SafeString | str:
        return subject_link(event.subject)

    @admin.display(description="payload")
    def payload_text(self, event: AuditEvent) -> SafeString:
        return pretty(json.loads(event.payload))

    @admin.display(description="hash")
    def hash_hex(self, event: AuditEvent) -> str:
        return bytes(event.hash).hex()

    @admin.display(description="hash of the event before")
    def previous_hex(self, event: AuditEvent) -> str:
        return bytes(event.prev_hash).hex()

    def get_urls(self) -> list[URLPattern]:
        views: dict[str, Callable[[HttpRequest], HttpResponseBase]] = {
            "verify": self.verify,
            "sign": self.sign,
            "export": self.export,
        }
        own = [
            path(f"{name}/", self.admin_site.admin_view(view), name=f"chat_auditevent_{name}")
            for name, view in views.items()
        ]
        return [*own, *super().get_urls()]

    def verify(self, request: HttpRequest) -> HttpResponse:
        """Verify the whole chain and show the result."""
        if refused := self._refused(request, "verify"):
            return refused
        try:
            report = verify_chain()
        except (MedragError, OSError) as error:
            messages.error(request, f"The log can't be verified. {_sentence(error)}")
            return redirect("admin:chat_auditevent_changelist")
        payload = {"ok": report.ok, "rows": report.rows, "answers": report.answers}
        record_work("audit.verified", actor=user_of(request), payload=payload)
        context = {
            **self.admin_site.each_context(request),
            "title": "The log is sound" if report.ok else "The log is broken",
            "opts": AuditEvent._meta,
            "report": report,
        }
        return TemplateResponse(request, "admin/chat/auditevent/verified.html", context)

    def sign(self, request: HttpRequest) -> HttpResponse:
        """Record the request to sign, then sign the chain's head, which covers that event too."""
        if refused := self._refused(request, "sign"):
            return refused
        record_work("audit.sign", actor=user_of(request), payload={})
        try:
            head = sign_head()
        except (MedragError, OSError) as error:
            messages.error(request, f"Nothing was signed. {_sentence(error)}")
        else:
            messages.success(request, f"Signed row {head.seq}." if head else "It is signed.")
            for fault in send_heads():
                messages.warning(request, fault)
        return redirect("admin:chat_auditevent_changelist")

    def export(self, request: HttpRequest) -> HttpResponseBase:
        """Export the filtered list, whole or without payloads and names."""
        if refused := self._refused(request, "export"):
            return refused
        events, how = export_asked(request, self)
        last = AuditEvent.objects.order_by("-seq").values_list("seq", flat=True).first() or 0
        events = events.filter(seq__lte=last)  # without the event of this export
        payload = {"format": how["form"], "rows": events.count(), "texts": how["texts"]}
        record_work("audit.exported", actor=user_of(request), payload=payload)
        return download(event_rows(events, texts=how["texts"]), "log", how["form"])

    def _refused(self, request: HttpRequest, right: str) -> HttpResponse | None:
        """Raise PermissionDenied without the right; return a response if the method is not POST."""
        if not request.user.has_perm(f"chat.{right}_auditevent"):
            raise PermissionDenied
        return only_post() if request.method != "POST" else None

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        rights = {
            f"may_{right}": request.user.has_perm(f"chat.{right}_auditevent")
            for right in ("verify", "sign", "export")
        }
        return super().changelist_view(request, {**(extra_context or {}), **rights})


def _sentence(error: MedragError | OSError) -> str:
    if isinstance(error, MedragError):
        return error.sentence
    return f"A file of the signed heads can't be read or written: {error.strerror}."
