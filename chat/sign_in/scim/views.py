"""Serve SCIM 2.0 at `/scim/v2/` to the hospital's directory, by the token of MEDRAG_SCIM."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, re_path
from django.utils.crypto import constant_time_compare
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from chat.sign_in import directory
from chat.sign_in.lockouts import TokenGuess
from chat.sign_in.scim import answers, requests
from chat.sign_in.scim.requests import ScimError, body_of
from core.endpoint_settings import is_guarded
from core.errors import MedragError

_DESCRIBED = json.loads(Path(__file__).with_name("described.json").read_text(encoding="utf-8"))
_FIELDS = {"username": "username__iexact", "externalid": "in_directory__external_id"}
_STATUS: dict[type[MedragError], tuple[int, str]] = {
    directory.Unknown: (404, ""),
    directory.OutOfReach: (403, ""),
    directory.Taken: (409, "uniqueness"),
}


class Scim(View):
    """Admits the directory alone, and answers errors in SCIM's form. Uses no cookie."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.SCIM_TOKEN:  # not by Http404, whose page would read the request's form
            return answers.error_response(404, "SCIM is off: set MEDRAG_SCIM.")
        response: HttpResponseBase
        try:
            response = _refused(request) or self._heard(request, *args, **kwargs)
        except ScimError as error:
            response = answers.error_response(error.status, error.sentence, error.kind)
        except tuple(_STATUS) as error:
            if isinstance(error, directory.OutOfReach):
                directory.refusal_record(error)
            status, kind = _STATUS[type(error)]
            response = answers.error_response(status, error.sentence, kind)
        except (OperationalError, InterfaceError):
            response = answers.error_response(503, "The database is away. Nothing was changed.")
        response["Cache-Control"] = "no-store"
        return response

    def _heard(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        directory.directory_heard()
        return super().dispatch(request, *args, **kwargs)

    def http_method_not_allowed(self, *args: Any, **kwargs: Any) -> HttpResponse:
        raise ScimError(405, "This can't be done here.")


def _refused(request: HttpRequest) -> HttpResponse | None:
    """Return the refusal of a request without the setting's token, or that others could read."""
    if not is_guarded(request.build_absolute_uri()):
        return answers.error_response(403, "SCIM needs HTTPS: see `https` of MEDRAG_WEB.")
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    guess = TokenGuess(request, token.encode("latin-1", "replace"))
    if token and (wait_s := guess.wait_s):
        response = answers.error_response(429, "Too many wrong tokens came from this address.")
        response["Retry-After"] = str(wait_s)
        return response
    if scheme.lower() == "bearer" and constant_time_compare(token.strip(), settings.SCIM_TOKEN):
        return None
    if token:
        guess.failed()
    response = answers.error_response(401, "This takes the token of MEDRAG_SCIM.")
    response["WWW-Authenticate"] = "Bearer"
    return response


class Users(Scim):
    def get(self, request: HttpRequest) -> HttpResponse:
        found = directory.accounts_in_reach()
        if asked := requests.filter_of(request, tuple(_FIELDS)):
            found = found.filter(**{_FIELDS[asked[0]]: asked[1]})
        start, count = requests.page_of(request)
        shown = [answers.user_resource(request, one) for one in found[start - 1 :][:count]]
        return answers.page(shown, total=found.count(), start=start)

    def post(self, request: HttpRequest) -> HttpResponse:
        said = requests.said_by_resource(body_of(request), is_new=True)
        return _user(request, directory.account_provision(said).pk, status=201)


class OneUser(Scim):
    def get(self, request: HttpRequest, pk: str) -> HttpResponse:
        return _user(request, _number(pk))

    def put(self, request: HttpRequest, pk: str) -> HttpResponse:
        said = requests.said_by_resource(body_of(request))
        return _user(request, directory.account_adjust(_number(pk), said).pk)

    def patch(self, request: HttpRequest, pk: str) -> HttpResponse:
        said = requests.said_by_patch(body_of(request))
        return _user(request, directory.account_adjust(_number(pk), said).pk)

    def delete(self, request: HttpRequest, pk: str) -> HttpResponse:
        """Close the account, which the directory no longer sees. The log goes on naming it."""
        directory.account_remove(_number(pk))
        return HttpResponse(status=204)


class Groups(Scim):
    def get(self, request: HttpRequest) -> HttpResponse:
        names = directory.groups_here()
        if asked := requests.filter_of(request, ("displayname", "externalid")):
            names = [name for name in names if name.casefold() == asked[1].casefold()]
        start, count = requests.page_of(request)
        shown = [_group(request, name) for name in names[start - 1 :][:count]]
        return answers.page(shown, total=len(names), start=start)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Create a group anew that the directory had deleted; no others are created."""
        body = body_of(request)
        name = requests.group_name_of(body)
        try:
            directory.group_return(name, requests.members_by_resource(body, name=name))
        except directory.Unknown as error:
            raise ScimError(403, error.sentence) from error
        shown = _group(request, name)
        response = answers.answer(shown, 201)
        response["Location"] = shown["meta"]["location"]
        return response


class OneGroup(Scim):
    def get(self, request: HttpRequest, pk: str) -> HttpResponse:
        return answers.answer(_group(request, _name(pk)))

    def patch(self, request: HttpRequest, pk: str) -> HttpResponse:
        name = _name(pk)
        directory.members_change(name, requests.members_by_patch(body_of(request), name=name))
        return self.get(request, pk)

    def put(self, request: HttpRequest, pk: str) -> HttpResponse:
        """Replace the members: those that it leaves out are none any more."""
        name = _name(pk)
        directory.members_change(name, requests.members_by_resource(body_of(request), name=name))
        return self.get(request, pk)

    def delete(self, request: HttpRequest, pk: str) -> HttpResponse:
        """Take the group from its members. The group here stays."""
        directory.group_remove(_name(pk))
        return HttpResponse(status=204)


class Described(Scim):
    """Tells what this site supports."""

    def get(self, request: HttpRequest, what: str, name: str = "") -> HttpResponse:
        found = [one for one in _DESCRIBED.get(what, ()) if name in ("", one.get("id"))]
        if not found:
            raise ScimError(404, "There is nothing at this path.")
        if name or what == "ServiceProviderConfig":
            return answers.answer(found[0])
        return answers.page(found, total=len(found))


def _number(pk: str) -> int:
    """Return the number of an account; 0, which none has, for anything else."""
    return int(pk) if pk.isascii() and pk.isdigit() and len(pk) < 10 else 0


def _user(request: HttpRequest, pk: int, *, status: int = 200) -> HttpResponse:
    account = directory.accounts_in_reach().filter(pk=pk).first()
    if account is None:
        raise directory.Unknown("There is no such account.")
    shown = answers.user_resource(request, account)
    response = answers.answer(shown, status)
    response["Location"] = shown["meta"]["location"]
    return response


def _name(pk: str) -> str:
    for name in directory.groups_here():
        if answers.group_id(name) == pk:
            return name
    raise ScimError(404, "[groups] in the file of MEDRAG_OIDC has no such group.")


def _group(request: HttpRequest, name: str) -> dict[str, Any]:
    is_short = request.GET.get("excludedAttributes") == "members"
    return answers.group_resource(request, name, None if is_short else directory.members_of(name))


urlpatterns: list[URLPattern] = [
    path("v2/Users", csrf_exempt(Users.as_view())),
    path("v2/Users/<str:pk>", csrf_exempt(OneUser.as_view())),
    path("v2/Groups", csrf_exempt(Groups.as_view())),
    path("v2/Groups/<str:pk>", csrf_exempt(OneGroup.as_view())),
    path("v2/<str:what>", csrf_exempt(Described.as_view())),
    path("v2/<str:what>/<path:name>", csrf_exempt(Described.as_view())),
    re_path("", csrf_exempt(Described.as_view()), {"what": ""}),
]
