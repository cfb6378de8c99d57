"""What all pages here share: only the right to view counts."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString


class ReadOnly:
    """Only the right to view counts; a superuser may not write here either."""

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
    """Return who works here; the administration lets nobody else in."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def only_post() -> HttpResponse:
    """Return what a page that changes something says to who only looks at it."""
    return HttpResponse(status=405, headers={"Allow": "POST"})
