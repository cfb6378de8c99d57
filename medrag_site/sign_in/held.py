"""Somebody whose password was right and whose second factor is still to come: not signed in."""

from __future__ import annotations

import time

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from chat.sign_in.second_factor import PASSED

HELD = "half_signed_in"
HELD_S = 600
_BACKEND = "django.contrib.auth.backends.ModelBackend"


def hold(request: HttpRequest, account: User, *, next_page: str) -> None:
    request.session[HELD] = {
        "user": account.pk,
        "hash": account.get_session_auth_hash(),
        "at": time.time(),
        "next": next_page,
    }


def held(request: HttpRequest) -> User | None:
    """Return None too where it is long ago, the password was changed, or the account was
    deactivated.
    """
    kept = request.session.get(HELD)
    if not kept or time.time() - kept["at"] > HELD_S:
        return None
    account = User.objects.filter(pk=kept["user"], is_active=True).first()
    if account and constant_time_compare(kept["hash"], account.get_session_auth_hash()):
        return account
    return None


def next_page(request: HttpRequest) -> str:
    """Return where whoever is held wanted to go."""
    return str(request.session.get(HELD, {}).get("next") or settings.LOGIN_REDIRECT_URL)


def sign_in_whole(request: HttpRequest, account: User, *, backend: str = _BACKEND) -> None:
    """Sign in whose second factor was right, or whom the hospital's sign-in vouches for."""
    request.session.pop(HELD, None)
    login(request, account, backend=backend)
    request.session[PASSED] = True
