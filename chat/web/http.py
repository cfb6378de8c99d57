"""Shared by all pages: who may see a page, and whether to send it whole or as a fragment."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

P = ParamSpec("P")


class SignedInRequest(HttpRequest):
    user: User
    htmx: HtmxDetails


def signed_in(
    view: Callable[Concatenate[SignedInRequest, P], HttpResponseBase],
) -> Callable[Concatenate[SignedInRequest, P], HttpResponseBase]:
    """Redirect users who are not signed in to the sign-in page, htmx requests as a whole page."""

    @wraps(view)
    def guarded(request: SignedInRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        here = request.htmx.current_url_abs_path if request.htmx else request.get_full_path()
        response = redirect_to_login(here or "/")
        return HttpResponseClientRedirect(response.url) if request.htmx else response

    return cast(Callable[Concatenate[SignedInRequest, P], HttpResponseBase], guarded)


def words_of(request: SignedInRequest) -> str:
    """Return the words that a list is searched for."""
    return request.GET.get("q", "").strip()[:200]


def wants_fragment(request: SignedInRequest) -> bool:
    """Tell whether htmx will swap the response into the page that is already shown."""
    htmx = request.htmx
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def render_part(
    request: SignedInRequest, *, page: str, fragment: str, context: Mapping[str, Any]
) -> HttpResponse:
    """Render the fragment for htmx and the whole page for a browser."""
    template = fragment if wants_fragment(request) else page
    response = render(request, template, dict(context))
    patch_vary_headers(response, ["HX-Request"])
    return response


def reads(
    view: Callable[Concatenate[SignedInRequest, P], HttpResponseBase],
) -> Callable[Concatenate[SignedInRequest, P], HttpResponseBase]:
    """Allow only signed-in users and safe methods, and forbid caching."""
    return require_safe(signed_in(never_cache(view)))


def changes(
    view: Callable[Concatenate[SignedInRequest, P], HttpResponseBase],
) -> Callable[Concatenate[SignedInRequest, P], HttpResponseBase]:
    """Allow only signed-in users and POST, and forbid caching."""
    return require_POST(signed_in(never_cache(view)))
