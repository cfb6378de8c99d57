"""The list of documents, narrowed to what staff ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from corpus.models import Document
from corpus.review.words_found import documents_with_lost_words
from corpus.staff_selectors import (
    collections_seen,
    documents_badly_scanned,
    documents_read_by_older,
    documents_stuck,
    documents_to_review,
    documents_unpublished,
    waiting_conditions,
)

Documents = QuerySet[Document]


def _waits_for(name: str) -> Callable[[Documents], Documents]:
    return lambda documents: documents.filter(waiting_conditions()[name])


_ATTENTION: dict[str, tuple[str, Callable[[Documents], Documents]]] = {
    "check": ("To check", _waits_for("check")),
    "publish": ("To publish", _waits_for("publish")),
    "failed": ("Failed", _waits_for("failed")),
    "doubt": ("In doubt, not published yet", _waits_for("doubt")),
    "due": ("Review date past, or within 30 days", _waits_for("due")),
    "stuck": ("Stuck for 10 minutes", documents_stuck),
    "scan": ("Low OCR confidence", documents_badly_scanned),
    "words": ("Words not found", documents_with_lost_words),
    "unpublished": ("Not published yet", documents_unpublished),
    "stale": ("To be read or cut again", documents_read_by_older),
}


class AttentionFilter(admin.SimpleListFilter):
    title = "needs attention"
    parameter_name = "attention"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, label) for name, (label, _) in _ATTENTION.items()]

    def queryset(self, request: HttpRequest, queryset: Documents) -> Documents:
        found = _ATTENTION.get(self.value() or "")
        return found[1](queryset) if found else queryset


class JobStateFilter(admin.ChoicesFieldListFilter):
    """By how far a document was read, in words that tell that from its lifecycle."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.title = "job"


class ReviewFilter(admin.SimpleListFilter):
    title = "review"
    parameter_name = "review"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("past", "Past its review date"), ("soon", "Due within 60 days")]

    def queryset(self, request: HttpRequest, queryset: Documents) -> Documents:
        if self.value() not in ("past", "soon"):
            return queryset
        return documents_to_review(queryset, past=self.value() == "past")


class CollectionFilter(admin.SimpleListFilter):
    """Names only the collections that the person may know of."""

    title = "collection"
    parameter_name = "collection"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        seen = collections_seen(request.user)  # type: ignore[arg-type]
        return [(str(pk), name) for pk, name in seen.values_list("pk", "name")]

    def queryset(self, request: HttpRequest, queryset: Documents) -> Documents:
        value = self.value() or ""
        return queryset.filter(collection=int(value)) if value.isdecimal() else queryset
