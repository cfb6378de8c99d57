"""Read requests of SCIM 2.0 (RFC 7644) as Entra ID and Okta send them.

What isn't known here (titles, passwords, extensions) is passed over: directories send all that they
have, and an attribute that is of no use here must keep nobody's account open.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import RequestDataTooBig
from django.core.validators import RegexValidator
from django.http import HttpRequest, UnreadablePostError

from chat.audit.chain import storable
from chat.sign_in.accounts import NAME_CHARACTERS
from core.errors import MedragError

MAX_COUNT, COUNT, MAX_START = 200, 100, 2**31
_URN = re.compile(r"^urn:ietf:params:scim:schemas:core:2\.0:(user|group):", re.IGNORECASE)
_FILTER = re.compile(r'\s*([\w.:]{1,200})\s+eq\s+("(?:[^"\\]|\\.)*")\s*', re.IGNORECASE)
_MAIL = re.compile(r'emails(\[(type eq "work"|primary eq "?true"?)\])?(\.value)?')
_MEMBER = re.compile(r'members\[value eq "([^"]*)"\]')
_FIELDS = {
    "username": "username",
    "name.givenname": "first_name",
    "name.familyname": "last_name",
    "emails": "email",
    "externalid": "external_id",
}
Change = Callable[[set[int]], set[int]]


class ScimError(MedragError):
    """A request that can't be read, or that isn't for anybody here; `kind` is its scimType."""

    def __init__(self, status: int, detail: str, kind: str = "") -> None:
        super().__init__(detail)
        self.status, self.kind = status, kind


_NAME = RegexValidator(
    rf"^[{NAME_CHARACTERS}]+\Z", "A user name has letters, digits and @ . + - _ ' ! # ^ ~ only."
)


class _Fields(forms.Form):
    username = forms.CharField(max_length=150, validators=[_NAME])
    first_name = forms.CharField(max_length=150, required=False)
    last_name = forms.CharField(max_length=150, required=False)
    email = forms.EmailField(max_length=254, required=False)
    external_id = forms.CharField(max_length=191)


def body_of(request: HttpRequest) -> dict[str, Any]:
    try:
        body = json.loads(request.body.decode())
    except (ValueError, RecursionError, RequestDataTooBig, UnreadablePostError):
        body = None  # the error's message may quote the body
    if not isinstance(body, dict):
        raise ScimError(400, "The body is no JSON object in UTF-8 of up to 2 MB.", "invalidSyntax")
    return body


def filter_of(request: HttpRequest, allowed: tuple[str, ...]) -> tuple[str, str] | None:
    """Return attribute, in lower case, and value of a filter `attribute eq "value"`."""
    if not (asked := request.GET.get("filter")):
        return None
    try:
        found = _FILTER.fullmatch(_URN.sub("", asked))
        if found and (attribute := found[1].lower()) in allowed:
            return attribute, storable(json.loads(found[2]))
    except ValueError:  # of an escape that JSON lacks
        pass
    raise ScimError(400, f'Filters are {", ".join(allowed)}, with eq and "...".', "invalidFilter")


def page_of(request: HttpRequest) -> tuple[int, int]:
    """Return the place of the first resource, from 1, and the number wanted."""
    try:
        start, count = (
            int(request.GET.get(n, d)) for n, d in (("startIndex", 1), ("count", COUNT))
        )
    except ValueError:
        raise ScimError(400, "startIndex and count are numbers.", "invalidValue") from None
    return min(max(start, 1), MAX_START), min(max(count, 0), MAX_COUNT)


def said_by_patch(body: dict[str, Any]) -> dict[str, Any]:
    steps = [(path, "" if op == "remove" else value) for path, op, value in _operations(body)]
    return _said([pair for path, value in steps for pair in _flat(path, value)])


def said_by_resource(body: dict[str, Any], *, is_new: bool = False) -> dict[str, Any]:
    """Read a whole person, of POST or PUT. What is left out stays as it is."""
    return _said([*_flat("", body)], is_new=is_new)


def group_name_of(body: dict[str, Any]) -> str:
    """Return the name of a group to create, or an empty string."""
    name = _lower(body).get("displayname")
    return name if isinstance(name, str) else ""


def members_by_resource(body: dict[str, Any], *, name: str) -> Change:
    """Return what a whole group makes of the ids of its members; left out, they are none."""
    said = _lower(body)
    _refuse_other_name(said.get("displayname"), name)
    ids = _ids(said.get("members") or [])
    return lambda members: ids


def members_by_patch(body: dict[str, Any], *, name: str) -> Change:
    """Return what a PATCH makes of the ids of a group's members. Raises ScimError for a new name.

    What it says of anything else, such as externalId, is passed over.
    """
    steps = []
    for path, op, value in _operations(body):
        said = _lower(value) if not path and isinstance(value, dict) else {path: value}
        if "displayname" in said:
            _refuse_other_name("" if op == "remove" else said["displayname"], name)
        if one := _MEMBER.fullmatch(path):
            said = {"members": [one[1]]}
        if "members" in said and (op == "remove" or said["members"] is not None):
            members = said["members"]
            steps.append((op, None if members is None else _ids(members)))

    def change(members: set[int]) -> set[int]:
        for op, ids in steps:
            if ids is None:
                members = set()
            elif op == "remove":
                members = members - ids
            else:
                members = ids if op == "replace" else members | ids
        return members

    return change


def _refuse_other_name(wanted: Any, name: str) -> None:
    """Refuse to rename a group: people would lose it at their next sign-in, which goes by name."""
    if wanted is None or (isinstance(wanted, str) and wanted.casefold() == name.casefold()):
        return
    raise ScimError(
        400,
        "A group's name here is that of [groups] in the file of MEDRAG_OIDC, by which single "
        "sign-on knows it, too. Nothing was changed. Give it its new name there first.",
        "mutability",
    )


def _lower(said: dict[str, Any]) -> dict[str, Any]:
    """Return attributes by their names in lower case, as SCIM compares them."""
    return {_URN.sub("", key).lower(): value for key, value in said.items()}


def _operations(body: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield path, in lower case, and value of each operation: `add`, `replace` or `remove`."""
    operations = body.get("Operations", body.get("operations"))
    for one in operations if isinstance(operations, list) and operations else [None]:
        said = one if isinstance(one, dict) else {}
        op, path = str(said.get("op")).lower(), said.get("path") or ""
        if op not in ("add", "replace", "remove") or not isinstance(path, str):
            raise ScimError(400, "Operations are add, replace and remove.", "invalidSyntax")
        yield _URN.sub("", path).lower(), op, said.get("value")


def _ids(value: Any) -> set[int]:
    listed = value if isinstance(value, list) else [value]
    ids = [str(one.get("value") if isinstance(one, dict) else one) for one in listed]
    if not all(re.fullmatch("[0-9]{1,9}", one) for one in ids):
        raise ScimError(400, "A member is named by the id of its account.", "invalidValue")
    return {int(one) for one in ids}


def _flat(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the known attributes, in lower case, that a path and its value set."""
    path = _URN.sub("", path).lower()
    if path in ("", "name") and isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(f"{path}.{key}".lstrip(".") or "-", item)
    elif _MAIL.fullmatch(path):
        mails = [one for one in (value if isinstance(value, list) else [value]) if one]
        mails.sort(key=lambda one: not (isinstance(one, dict) and one.get("primary") is True))
        first = mails[0] if mails else ""
        yield "emails", first.get("value") if isinstance(first, dict) else first
    elif path == "active" or path in _FIELDS:
        yield path, value


def _said(pairs: list[tuple[str, Any]], *, is_new: bool = False) -> dict[str, Any]:
    """Return what is said, the last of each. Nothing else is read of a request that closes."""
    told = {attribute: value for attribute, value in pairs if value is not None}
    active = told.pop("active", None)
    if isinstance(active, str):  # Entra sends "False"
        active = {"true": True, "false": False}.get(active.lower(), active)
    if active is False and not is_new:
        return {"is_active": False}
    if not all(isinstance(text, str) and text == storable(text) for text in told.values()):
        raise ScimError(400, "An attribute has to be text.", "invalidValue")
    form = _Fields({_FIELDS[attribute]: text for attribute, text in told.items()})
    needed = {*form.data, "username"} if is_new else {*form.data}
    form.fields = {name: field for name, field in form.fields.items() if name in needed}
    if not isinstance(active, bool | None):
        raise ScimError(400, "active is true or false.", "invalidValue")
    if not form.is_valid():
        detail = " ".join(f"{name}: {errors[0]}" for name, errors in form.errors.items())
        raise ScimError(400, detail, "invalidValue")
    said = form.cleaned_data | ({} if active is None else {"is_active": active})
    if "username" in said:
        said["username"] = User.normalize_username(said["username"])
    return said
