"""The log, row by row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from django.contrib import admin
from django.utils.safestring import SafeString

from chat.admin.links import subject_link
from chat.admin.read_only import ReadOnly, pretty
from chat.models import AuditEvent

if TYPE_CHECKING:
    EventModelAdmin = admin.ModelAdmin[AuditEvent]
else:
    EventModelAdmin = admin.ModelAdmin


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnly, EventModelAdmin):
    list_display = ("seq", "at", "actor", "action", "about")
    list_filter = ("action", "at")
    list_per_page = 100
    search_fields = ("actor", "subject")
    show_full_result_count = False
    ordering = ("-seq",)
    fields = ("seq", "at", "actor", "action", "about", "payload_text", "hash_hex", "previous_hex")
    readonly_fields = ("about", "payload_text", "hash_hex", "previous_hex")

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
