"""What every page of documents in the administration shares: who may open it, and its frame."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django_htmx.middleware import HtmxDetails

from corpus.access import may_publish
from corpus.admin.selectors import documents_for_staff
from corpus.models import Document

P = ParamSpec("P")


class StaffRequest(HttpRequest):
    user: User
    htmx: HtmxDetails


class Right(Enum):
    """What a page lets somebody do with a document."""

    SEE = "see"
    CHANGE = "change"
    PUBLISH = "publish"


def document_for(user: User, pk: int, right: Right = Right.SEE) -> Document:
    """The one guard: 404 for what is missing or hidden from the user, 403 without the right.

    The document comes with its collection, job, people and `may_change`. Two queries at most
    beside those for permissions.
    """
    if not user.has_perm("corpus.view_document"):
        raise PermissionDenied
    document = get_object_or_404(documents_for_staff(user), pk=pk)
    if right is Right.CHANGE and not may_change(document):
        raise PermissionDenied
    if right is Right.PUBLISH and not may_publish(user, document):
        raise PermissionDenied
    return document


def may_change(document: Document) -> bool:
    """As the query that read the document for its user has found; no is the answer without it."""
    return bool(getattr(document, "may_change", False))


def guarded(
    right: Right,
) -> Callable[
    [Callable[Concatenate[StaffRequest, Document, P], HttpResponseBase]],
    Callable[Concatenate[StaffRequest, int, P], HttpResponseBase],
]:
    """Give a view its document in place of `pk`, after `document_for` has let the user in."""

    def decorate(
        view: Callable[Concatenate[StaffRequest, Document, P], HttpResponseBase],
    ) -> Callable[Concatenate[StaffRequest, int, P], HttpResponseBase]:
        @wraps(view)
        def opened(
            request: StaffRequest, pk: int, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            return view(request, document_for(request.user, pk, right), *args, **kwargs)

        return cast(Callable[Concatenate[StaffRequest, int, P], HttpResponseBase], opened)

    return decorate


def page(request: HttpRequest, template: str, *, title: str, **context: Any) -> HttpResponse:
    """Render a page of documents inside the administration's frame."""
    frame = {**admin.site.each_context(request), "opts": Document._meta, "title": title}
    return TemplateResponse(request, f"admin/corpus/document/{template}", {**frame, **context})


def address(name: str, *args: object) -> str:
    """The address of a page of documents: `address("read", 7, 1)`."""
    return reverse(f"admin:corpus_document_{name}", args=args)


def log(by: User, document: Document, message: str) -> None:
    """A line in the document's history, for colleagues; the audit log has its own row."""
    LogEntry.objects.log_actions(
        by.pk, [document], CHANGE, change_message=message, single_object=True
    )
