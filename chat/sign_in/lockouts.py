"""Lock out after wrong passwords and wrong tokens, and unlock.

django-axes counts failures in the database, so that every process sees them, and refuses before a
password is hashed. An account is locked at one address; an address alone only at a higher number.
An account is never locked at all addresses: whoever knows a name could lock its owner out.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.crypto import salted_hmac
from knox.settings import CONSTANTS

from chat.audit import log as audit
from chat.audit.chain import storable

TOKEN, UNKNOWN = "token:", "unknown:"

logger = logging.getLogger(__name__)
Credentials = Mapping[str, Any] | None


class LockoutHandler(AxesDatabaseHandler):  # type: ignore[misc]  # axes has no types
    """Axes' handler, with a further limit for an address alone."""

    def get_failures(self, request: HttpRequest, credentials: Credentials = None) -> int:
        """Return the failures of the account here; at least the limit if the address is locked."""
        of_pair, of_address = (_failures(a) for a in self.get_user_attempts(request, credentials))
        if of_address < settings.LOCKOUT_ADDRESS_FAILURES:
            return of_pair
        return max(of_pair, settings.AXES_FAILURE_LIMIT)

    def reset_user_attempts(self, request: HttpRequest, credentials: Credentials = None) -> int:
        """Delete the failures of an account at an address after a right password, and no others."""
        of_pair, _ = self.filter_user_attempts(request, credentials)
        return int(of_pair.delete()[0])

    def reset_attempts(
        self,
        *,
        ip_address: str | None = None,
        username: str | None = None,
        ip_or_username: bool = False,
    ) -> int:
        """Unlock an account, an address or both, for the commands `axes_reset...`."""
        named = {"ip_address": ip_address, "username": username}
        return unlock(
            AccessAttempt.objects.filter(**{key: value for key, value in named.items() if value}),
            by=None,
        )


def unlock(attempts: QuerySet[AccessAttempt], *, by: audit.Actor) -> int:
    """Delete failed attempts; return their number. One event for each account and address.

    `by` is None for the terminal.
    """
    with transaction.atomic():
        pairs = sorted(set(attempts.values_list("username", "ip_address")), key=str)
        count = int(attempts.delete()[0])
        for account, address in pairs:
            payload = {"account": account, "address": address}
            audit.record("user.unlocked", actor=by, subject=_subject(account), payload=payload)
    return count


def waits_until(attempt: AccessAttempt) -> datetime | None:
    """Return when the lockout of this account at this address ends; None if it is not locked.

    Two to four queries. A lockout of the whole address applies to each account tried from it.
    """
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    of_address = AccessAttempt.objects.filter(ip_address=attempt.ip_address, attempt_time__gt=since)
    return _ends(of_address.filter(username=attempt.username), of_address)


def account_of(request: HttpRequest, credentials: Credentials = None) -> str:
    """Return the name that failures are counted under: an account, or a keyed hash.

    A hash for an unknown name, since people type their password into the wrong field, and for a
    token.
    """
    given = credentials or {}
    if "token" in given:
        return f"{TOKEN}{_keyed('chat.lockouts.token', str(given['token']))}"
    name = storable(str(given.get("username") or "").strip())
    if User.objects.filter(username=name).exists():
        return name
    return f"{UNKNOWN}{name_hmac(name)}"


def name_hmac(name: str) -> str:
    """Return a keyed hash by which attempts with the same name can be recognised."""
    return _keyed("chat.audit.name", name.casefold())


def was_refused_unseen(request: HttpRequest | None) -> bool:
    """Tell whether an attempt was refused during a lockout, before anything was compared."""
    locked = getattr(request, "axes_locked_out", False)
    return bool(locked) and getattr(request, "axes_failures_since_start", None) is None


def record_lockout(
    sender: object,
    *,
    request: HttpRequest,
    username: str,
    ip_address: str | None,
    **extra: Any,
) -> None:
    """Record the beginning of a lockout; attempts refused during it are not recorded."""
    if was_refused_unseen(request):
        return
    logger.warning("Locked out for %d min: %s from %s", _lock_min(), username, ip_address)
    payload = {"account": username, "address": ip_address, "minutes": _lock_min()}
    with transaction.atomic():
        audit.record("user.locked_out", actor=None, subject=_subject(username), payload=payload)


class TokenGuess:
    """A token sent to the API, with the address of the request."""

    def __init__(self, request: HttpRequest, token: bytes) -> None:
        # A request of its own, so that axes never reads the body of the real one.
        self._attempt = HttpRequest()
        self._attempt.META = request.META
        key = token.decode("latin-1")[: CONSTANTS.TOKEN_KEY_LENGTH]
        self._credentials = {"token": key}

    @property
    def wait_s(self) -> int:
        """Seconds of lockout left, whether the token is right or wrong; 0 for none. Two queries."""
        if AxesProxyHandler.is_allowed(self._attempt, self._credentials):
            return 0
        return wait_s(self._attempt, self._credentials)

    def failed(self) -> None:
        """Count the token as wrong."""
        AxesProxyHandler.user_login_failed(type(self), self._credentials, self._attempt)


def wait_s(request: HttpRequest, credentials: Credentials) -> int:
    """Return the seconds of lockout left, at least 1. Four queries."""
    handler = AxesProxyHandler.get_implementation()
    now = timezone.now()
    ends = _ends(*handler.get_user_attempts(request, credentials))
    ends = ends or now + settings.AXES_COOLOFF_TIME
    return max(1, math.ceil((ends - now).total_seconds()))


def locked_page(
    request: HttpRequest, response: HttpResponse, credentials: Credentials
) -> HttpResponse:
    """Return the sign-in page's response during a lockout."""
    seconds = wait_s(request, credentials)
    context = {"minutes": math.ceil(seconds / 60)}
    page = render(request, "429.html", context, status=429)
    page["Retry-After"] = str(seconds)
    page["Cache-Control"] = "no-store"
    return page


def _ends(of_pair: QuerySet[AccessAttempt], of_address: QuerySet[AccessAttempt]) -> datetime | None:
    """Return the later end of two lockouts, of the account here and the address; None for none."""
    limits = (
        (of_pair, settings.AXES_FAILURE_LIMIT),
        (of_address, settings.LOCKOUT_ADDRESS_FAILURES),
    )
    locked = [attempts for attempts, limit in limits if _failures(attempts) >= limit]
    latest = [attempts.aggregate(at=Max("attempt_time"))["at"] for attempts in locked]
    ends: datetime | None = max(latest) + settings.AXES_COOLOFF_TIME if latest else None
    return ends


def _failures(attempts: QuerySet[AccessAttempt]) -> int:
    return int(attempts.aggregate(n=Sum("failures_since_start"))["n"] or 0)


def _lock_min() -> int:
    return int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)


def _subject(account: str | None) -> str:
    known = User.objects.filter(username=account or "").values_list("pk", flat=True).first()
    return f"user:{known}" if known else ""


def _keyed(salt: str, words: str) -> str:
    return salted_hmac(salt, words, algorithm="sha256").hexdigest()
