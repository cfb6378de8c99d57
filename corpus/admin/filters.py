"""Filter the list of documents."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from corpus.models import Document
from corpus.review.words_found import documents_with_lost_words
from corpus.staff_selectors import collections_seen, documents_read_by_older, list_conditions

Documents = QuerySet[Document]


_BY_QUERY = {"words": documents_with_lost_words, "stale": documents_read_by_older}


class LabelledFilter(admin.SimpleListFilter):
    """Filters by `list_conditions`, or by a query where a condition can't express it."""

    labels: dict[str, str]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(self.labels.items())

    def queryset(self, request: HttpRequest, queryset: Documents) -> Documents:
        name = self.value() or ""
        if name not in self.labels:
            return queryset
        narrow = _BY_QUERY.get(name)
        return narrow(queryset) if narrow else queryset.filter(list_conditions()[name])


class AttentionFilter(LabelledFilter):
    title = "needs attention"
    parameter_name = "attention"
    labels = {
        "check": "To check",
        "publish": "To publish",
        "failed": "Failed",
        "reading": "Being read, or waiting for it",
        "missing": "Published, not found yet",
        "doubt": "In doubt, not published yet",
        "due": "Review date past, or within 30 days",
        "gone": "Gone at its source",
        "moved": "Moved or renamed at its source",
        "stuck": "Stuck for 10 minutes",
        "scan": "Low OCR confidence",
        "words": "Words not found",
        "unpublished": "Not published yet",
        "stale": "To be read or cut again",
    }


class DoubtFilter(LabelledFilter):
    title = "doubts"
    parameter_name = "doubts"
    labels = {
        "doubt_value": "Values in doubt",
        "doubt_structure": "Structure in doubt",
        "doubt_note": "Notes",
    }


class JobStateFilter(admin.ChoicesFieldListFilter):
    """Filters by the state of the job, in words that differ from those of the lifecycle."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.title = "job"


class ReviewFilter(LabelledFilter):
    title = "review"
    parameter_name = "review"
    labels = {"past": "Past its review date", "soon": "Due within 60 days"}


class CollectionFilter(admin.SimpleListFilter):
    """Lists only the collections that the person may know."""

    title = "collection"
    parameter_name = "collection"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        seen = collections_seen(request.user)  # type: ignore[arg-type]
        return [(str(pk), name) for pk, name in seen.values_list("pk", "name")]

    def queryset(self, request: HttpRequest, queryset: Documents) -> Documents:
        value = self.value() or ""
        return queryset.filter(collection=int(value)) if value.isdecimal() else queryset
