"""Answers of SCIM 2.0 (RFC 7643 and 7644): people, groups, lists and errors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, JsonResponse

_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:"
_MESSAGE = "urn:ietf:params:scim:api:messages:2.0:"


def answer(body: Any, status: int = 200) -> JsonResponse:
    return JsonResponse(body, status=status, content_type="application/scim+json")


def error_response(status: int, detail: str, kind: str = "") -> JsonResponse:
    """Return an error; `kind` is its scimType, if it has one."""
    body = {"schemas": [f"{_MESSAGE}Error"], "status": str(int(status)), "detail": detail}
    return answer(body | ({"scimType": kind} if kind else {}), int(status))


def page(resources: Sequence[dict[str, Any]], *, total: int, start: int = 1) -> JsonResponse:
    listed = {"itemsPerPage": len(resources), "Resources": resources}
    about = {"schemas": [f"{_MESSAGE}ListResponse"], "totalResults": total, "startIndex": start}
    return answer(about | listed)


def group_id(name: str) -> str:
    """Return an id for a group of the directory, whose name may hold any character."""
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def user_resource(request: HttpRequest, account: User) -> dict[str, Any]:
    entry = getattr(account, "in_directory", None)
    groups = entry.groups if entry else ()
    mail = [{"value": account.email, "type": "work", "primary": True}]
    return _resource(request, "User", str(account.pk)) | {
        "userName": account.username,
        "name": {"givenName": account.first_name, "familyName": account.last_name},
        "active": account.is_active,
        "groups": [{"value": group_id(name), "display": name} for name in groups],
        **({"emails": mail} if account.email else {}),
        **({"externalId": entry.external_id} if entry and entry.external_id else {}),
    }


def group_resource(
    request: HttpRequest, name: str, members: Iterable[User] | None
) -> dict[str, Any]:
    """Return a group of the directory; without its members if these are None."""
    found = _resource(request, "Group", group_id(name)) | {"displayName": name}
    if members is not None:
        found["members"] = [{"value": str(one.pk), "display": one.username} for one in members]
    return found


def _resource(request: HttpRequest, kind: str, pk: str) -> dict[str, Any]:
    location = request.build_absolute_uri(f"/scim/v2/{kind}s/{pk}")
    meta = {"resourceType": kind, "location": location}
    return {"schemas": [_SCHEMA + kind], "id": pk, "meta": meta}
