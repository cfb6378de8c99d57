"""Hold an account whose password was right until its second factor is: it is not signed in."""

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
