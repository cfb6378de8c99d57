"""Pages to sign in: by password, with a second factor where it is set up or demanded, or by the
hospital's own sign-in."""

from __future__ import annotations

import logging
import time
from base64 import b32encode, b64encode
from io import BytesIO
from typing import Any

import qrcode
import qrcode.image.svg
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET

from chat.sign_in import second_factor
from chat.sign_in.oidc import ClockError, ProviderError, TokenError, from_provider, to_provider
from chat.sign_in.second_factor import PASSED
from chat.sign_in.single_sign_on import (
    SignInRefused,
    account_vouched_for,
    groups_untold,
    sign_in_refused,
)

GROUPS_KEPT = gettext_lazy(
    "The hospital's sign-in did not say in which groups you are, so yours here stay as they were. "
    "If one has changed, tell the people who run this system."
)

logger = logging.getLogger(__name__)


class SignIn(LoginView):
    template_name = "accounts/sign_in.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        single = bool(settings.OIDC_ISSUER)
        return super().get_context_data(has_single_sign_on=single, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        account = form.get_user()
        has_device = second_factor.has_device(account)
        if not has_device and not second_factor.is_demanded(account):
            return super().form_valid(form)
        hold(self.request, account, next_page=self.get_success_url())
        return redirect("sign_in_code" if has_device else "sign_in_set_up")


@never_cache
@sensitive_post_parameters("code")
def code(request: HttpRequest) -> HttpResponse:
    """Ask for the code of a device, or a recovery code."""
    account = held(request)
    if account is None:
        return redirect("login")
    if request.method != "POST":
        return render(request, "accounts/sign_in_code.html")
    if not second_factor.code_verify(account, code=_typed(request), request=request):
        return render(request, "accounts/sign_in_code.html", {"is_wrong": True})
    there = next_page(request)
    sign_in_whole(request, account)
    return redirect(there)


@never_cache
@sensitive_post_parameters("code")
def set_up(request: HttpRequest) -> HttpResponse:
    """Have an account set up its device before it is signed in, if the site demands one."""
    account = held(request)
    if account is None or second_factor.has_device(account):
        return redirect("login")
    codes = _confirmed(request, account)
    if not codes:
        return _offer(request, account, is_demanded=True)
    there = next_page(request)
    sign_in_whole(request, account)
    return render(request, "accounts/recovery_codes.html", {"codes": codes, "there": there})


@never_cache
@login_required
@sensitive_post_parameters("code", "password")
def own(request: HttpRequest) -> HttpResponse:
    """Let people set up or remove their second factor, or make new recovery codes."""
    account = User.objects.get(username=request.user.get_username())
    if not account.has_usable_password():
        raise Http404  # an account of the hospital's sign-in has its second factor there
    if not second_factor.has_device(account):
        return _own_set_up(request, account)
    context: dict[str, Any] = {
        "left": second_factor.recovery_codes_left(account),
        "is_demanded": second_factor.is_demanded(account),
    }
    if request.method == "POST":
        if not second_factor.code_verify(account, code=_typed(request), request=request):
            context["is_wrong"] = True
        elif request.POST.get("do") == "renew":
            codes = second_factor.recovery_codes_renew(account)
            return render(request, "accounts/recovery_codes.html", {"codes": codes})
        elif request.POST.get("do") == "remove" and not context["is_demanded"]:
            second_factor.second_factor_remove(account, by=account)
            return redirect("second_factor")
    return render(request, "accounts/second_factor.html", context)


def _own_set_up(request: HttpRequest, account: User) -> HttpResponse:
    """Set up a device, asking for the password: at an open session may sit a stranger."""
    if request.method == "POST" and not account.check_password(request.POST.get("password", "")):
        second_factor.failed(account, request)
        return _offer(request, account, is_password_wrong=True)
    codes = _confirmed(request, account)
    if not codes:
        return _offer(request, account)
    request.session[second_factor.PASSED] = True
    return render(request, "accounts/recovery_codes.html", {"codes": codes})


def _confirmed(request: HttpRequest, account: User) -> list[str]:
    """Return the recovery codes if the offered device's code was sent correctly, else none."""
    if request.method != "POST":
        return []
    return second_factor.device_confirm(account, code=_typed(request), request=request)


def _offer(request: HttpRequest, account: User, **context: bool) -> HttpResponse:
    device = second_factor.device_offered(account)
    image = BytesIO()
    qrcode.make(device.config_url, image_factory=qrcode.image.svg.SvgPathFillImage).save(image)
    shown = {
        "picture": f"data:image/svg+xml;base64,{b64encode(image.getvalue()).decode()}",
        "key": b32encode(device.bin_key).decode(),
        "is_wrong": request.method == "POST" and "is_password_wrong" not in context,
        **context,
    }
    return render(request, "accounts/second_factor_set_up.html", shown)


def _typed(request: HttpRequest) -> str:
    return request.POST.get("code", "").replace(" ", "")[:32]


@never_cache
@require_GET
def to_hospital(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider, from a link: the content policy lets no form redirect there."""
    _refuse_without_hospital()
    try:
        return to_provider(request, next_page=_safe(request, request.GET.get("next", "")))
    except ProviderError as error:
        return _hospital_failed(request, error)


@never_cache
@require_GET
def from_hospital(request: HttpRequest) -> HttpResponse:
    _refuse_without_hospital()
    try:
        claims, there = from_provider(request)
        account = account_vouched_for(claims, issuer=settings.OIDC_ISSUER)
    except TokenError as error:
        is_clock = isinstance(error, ClockError)
        sign_in_refused("clocks differ" if is_clock else "token not valid")
        return _hospital_failed(request, error)
    except ProviderError as error:
        return _hospital_failed(request, error)
    except SignInRefused:
        untold = {"groups_untold": groups_untold(claims)}
        return render(request, "accounts/not_let_in.html", untold, status=403)
    sign_in_whole(request, account)
    if groups_untold(claims):
        messages.warning(request, GROUPS_KEPT)
    return redirect(_safe(request, there))


def _refuse_without_hospital() -> None:
    if not settings.OIDC_ISSUER:
        raise Http404


def _hospital_failed(request: HttpRequest, error: ProviderError) -> HttpResponse:
    logger.warning("The hospital's sign-in failed: %s", error)
    clocks = {"clocks": error if isinstance(error, ClockError) else None}
    return render(request, "accounts/single_sign_on_failed.html", clocks, status=503)


def _safe(request: HttpRequest, there: str) -> str:
    hosts = {request.get_host()}
    if url_has_allowed_host_and_scheme(there, hosts, require_https=request.is_secure()):
        return there
    return resolve_url(settings.LOGIN_REDIRECT_URL)


HELD = "half_signed_in"
HELD_S = 600
_BACKEND = "django.contrib.auth.backends.ModelBackend"


def hold(request: HttpRequest, account: User, *, next_page: str) -> None:
    """Keep the account in the session, under a new key that nobody knows from before."""
    request.session.cycle_key()
    request.session[HELD] = {
        "user": account.pk,
        "hash": account.get_session_auth_hash(),
        "at": time.time(),
        "next": next_page,
    }


def held(request: HttpRequest) -> User | None:
    """Return the account that this session holds, or None.

    None also if it has been held for `HELD_S`, its password was changed or it was deactivated.
    """
    kept = request.session.get(HELD)
    if not kept or time.time() - kept["at"] > HELD_S:
        return None
    account = User.objects.filter(pk=kept["user"], is_active=True).first()
    if account and constant_time_compare(kept["hash"], account.get_session_auth_hash()):
        return account
    return None


def next_page(request: HttpRequest) -> str:
    """Return the page that the held account asked for before signing in."""
    return str(request.session.get(HELD, {}).get("next") or settings.LOGIN_REDIRECT_URL)


def sign_in_whole(request: HttpRequest, account: User, *, backend: str = _BACKEND) -> None:
    """Sign in an account that passed its second factor, or the hospital's sign-in."""
    request.session.pop(HELD, None)
    login(request, account, backend=backend)
    request.session[PASSED] = True
