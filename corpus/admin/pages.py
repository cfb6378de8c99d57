"""Shared parts of the document pages in the administration: access and frame."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib import admin
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django_htmx.middleware import HtmxDetails

from corpus.models import Document
from corpus.staff_selectors import Right, access_document_of_staff

P = ParamSpec("P")


class StaffRequest(HttpRequest):
    user: User
    htmx: HtmxDetails


def guarded(
    right: Right,
) -> Callable[
    [Callable[Concatenate[StaffRequest, Document, P], HttpResponseBase]],
    Callable[Concatenate[StaffRequest, int, P], HttpResponseBase],
]:
    """Pass a view its document in place of `pk`, guarded by `access_document_of_staff`."""

    def decorate(
        view: Callable[Concatenate[StaffRequest, Document, P], HttpResponseBase],
    ) -> Callable[Concatenate[StaffRequest, int, P], HttpResponseBase]:
        @wraps(view)
        def opened(
            request: StaffRequest, pk: int, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            document = access_document_of_staff(request.user, right, pk=pk)
            return view(request, document, *args, **kwargs)

        return cast(Callable[Concatenate[StaffRequest, int, P], HttpResponseBase], opened)

    return decorate


def page(request: HttpRequest, template: str, *, title: str, **context: Any) -> HttpResponse:
    """Render a document page inside the administration's frame."""
    frame = {**admin.site.each_context(request), "opts": Document._meta, "title": title}
    return TemplateResponse(request, f"admin/corpus/document/{template}", {**frame, **context})


def address(name: str, *args: object) -> str:
    """Return the URL of a document page: `address("read", 7, 1)`."""
    return reverse(f"admin:corpus_document_{name}", args=args)
