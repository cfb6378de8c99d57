"""Shared by all pages of this room: only the right to view counts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.exports import CSV, FORMS, exported

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin
else:

    class ModelAdmin(admin.ModelAdmin):
        """Django's `ModelAdmin`, which is generic for mypy alone."""

        def __class_getitem__(cls, model: Any) -> type:
            return cls


class ReadOnly:
    """Allows viewing only, even to superusers."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def pretty(value: Any) -> SafeString:
    """Return a value as indented JSON."""
    return format_html(
        '<pre tabindex="0">{}</pre>', json.dumps(value, indent=2, ensure_ascii=False)
    )


def user_of(request: HttpRequest) -> User:
    """Return the signed-in user. Raises PermissionDenied for anybody else."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def only_post() -> HttpResponse:
    """Return the response of a page that changes something to a request other than POST."""
    return HttpResponse(status=405, headers={"Allow": "POST"})


def export_asked(
    request: HttpRequest, of: admin.ModelAdmin[Any]
) -> tuple[QuerySet[Any], dict[str, Any]]:
    """Return the rows of the filtered list, with the export's format and whether it has texts."""
    form = request.POST.get("format", "")
    try:
        rows = of.get_changelist_instance(request).get_queryset(request)
    except IncorrectLookupParameters as error:
        raise BadRequest("This filter is not valid for the list.") from error
    how = {"form": form if form in FORMS else CSV, "texts": request.POST.get("texts") == "yes"}
    return rows, how


def download(rows: Iterable[dict[str, Any]], name: str, form: str) -> StreamingHttpResponse:
    """Stream rows as a file in one of FORMS."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
    return StreamingHttpResponse(exported(rows, form), content_type=FORMS[form], headers=headers)
