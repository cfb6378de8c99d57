"""Let corpus staff edit the lexicon in the administration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from retrieval.models import LexiconEntry
from retrieval.services import (
    lexicon_entries_enable,
    lexicon_entry_delete,
    lexicon_entry_save,
)

if TYPE_CHECKING:
    EntryModelAdmin = admin.ModelAdmin[LexiconEntry]
    EntryForm = ModelForm[LexiconEntry]
else:
    EntryModelAdmin, EntryForm = admin.ModelAdmin, ModelForm


@admin.register(LexiconEntry)
class LexiconEntryAdmin(EntryModelAdmin):
    list_display = ("short", "words", "beside", "kind", "match", "enabled", "updated_at")
    list_filter = ("kind", "match", "enabled")
    search_fields = ("short", "words")
    search_help_text = "What is typed, or the words of a guideline."
    fields = ("short", "words", "beside", "kind", "match", "enabled")
    actions = ("use", "leave_out")
    list_per_page = 100

    def save_model(
        self, request: HttpRequest, obj: LexiconEntry, form: EntryForm, change: bool
    ) -> None:
        """Save the form's changes through the service, which compares them with the stored row."""
        answers = form.cleaned_data
        changes = {name: answers[name] for name in (form.changed_data if change else answers)}
        changes |= {
            name: getattr(obj, name) for name in ("short", "words", "beside") if name in changes
        }
        lexicon_entry_save(obj, by=_user(request), changes=changes)

    def delete_model(self, request: HttpRequest, obj: LexiconEntry) -> None:
        lexicon_entry_delete(obj, by=_user(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[LexiconEntry]) -> None:
        for entry in queryset.order_by("pk"):
            lexicon_entry_delete(entry, by=_user(request))

    @admin.action(description="Use the selected entries", permissions=["change"])
    def use(self, request: HttpRequest, queryset: QuerySet[LexiconEntry]) -> None:
        self._enable(request, queryset, enabled=True)

    @admin.action(description="Leave the selected entries out", permissions=["change"])
    def leave_out(self, request: HttpRequest, queryset: QuerySet[LexiconEntry]) -> None:
        self._enable(request, queryset, enabled=False)

    def _enable(
        self, request: HttpRequest, queryset: QuerySet[LexiconEntry], *, enabled: bool
    ) -> None:
        changed = lexicon_entries_enable(
            queryset.order_by("pk"), by=_user(request), enabled=enabled
        )
        entries = f"{changed} {'entry' if changed == 1 else 'entries'}"
        words = "in use from the next question on" if enabled else "left out from now on"
        messages.success(request, f"{entries} {words}.")


def _user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise TypeError("The administration is for people who are signed in.")
    return request.user
