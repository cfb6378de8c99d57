"""Pages of the hospital's own sign-in: to the provider, back from it, and of its failures."""

from __future__ import annotations

import logging

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from chat.sign_in.single_sign_on import SignInRefused, account_vouched_for, sign_in_refused
from medrag_site.sign_in.held import sign_in_whole
from medrag_site.sign_in.oidc import ProviderError, TokenError, from_provider, to_provider

logger = logging.getLogger(__name__)


@never_cache
@require_GET
def start(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider, from a link: the content policy lets no form redirect there."""
    _refuse_if_off()
    try:
        return to_provider(request, next_page=_safe(request, request.GET.get("next", "")))
    except ProviderError as error:
        return _failed(request, error)


@never_cache
@require_GET
def callback(request: HttpRequest) -> HttpResponse:
    _refuse_if_off()
    try:
        claims, there = from_provider(request)
        account = account_vouched_for(claims, issuer=settings.OIDC_ISSUER)
    except TokenError as error:
        sign_in_refused("token not valid")
        return _failed(request, error)
    except ProviderError as error:
        return _failed(request, error)
    except SignInRefused:
        return render(request, "accounts/not_let_in.html", status=403)
    sign_in_whole(request, account)
    return redirect(_safe(request, there))


def _refuse_if_off() -> None:
    if not settings.OIDC_ISSUER:
        raise Http404


def _failed(request: HttpRequest, error: ProviderError) -> HttpResponse:
    logger.warning("The hospital's sign-in failed: %s", error)
    return render(request, "accounts/single_sign_on_failed.html", status=503)


def _safe(request: HttpRequest, there: str) -> str:
    hosts = {request.get_host()}
    if url_has_allowed_host_and_scheme(there, hosts, require_https=request.is_secure()):
        return there
    return resolve_url(settings.LOGIN_REDIRECT_URL)
