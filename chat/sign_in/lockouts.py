"""Wrong passwords and wrong tokens: who has to wait, for how long, and how that is ended.

django-axes counts them in the database, so that every process knows, and refuses before a password
is hashed. What is locked is an account together with an address; an address alone only at a higher
number. An account alone never is: whoever knows a name could keep its owner out.
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
    """Axes' own, with a limit of its own for an address alone."""

    def get_failures(self, request: HttpRequest, credentials: Credentials = None) -> int:
        """Return those of the pair, or the limit where the address has reached its own."""
        of_pair, of_address = (_failures(a) for a in self.get_user_attempts(request, credentials))
        if of_address < settings.LOCKOUT_ADDRESS_FAILURES:
            return of_pair
        return max(of_pair, settings.AXES_FAILURE_LIMIT)

    def reset_user_attempts(self, request: HttpRequest, credentials: Credentials = None) -> int:
        """Forget those of the pair after a right password; the address keeps all others."""
        of_pair, _ = self.filter_user_attempts(request, credentials)
        return int(of_pair.delete()[0])

    def reset_attempts(
        self,
        *,
        ip_address: str | None = None,
        username: str | None = None,
        ip_or_username: bool = False,
    ) -> int:
        """Unlock what the commands `axes_reset...` name; both narrow it down."""
        named = {"ip_address": ip_address, "username": username}
        return unlock(
            AccessAttempt.objects.filter(**{key: value for key, value in named.items() if value}),
            by=None,
        )


def unlock(attempts: QuerySet[AccessAttempt], *, by: audit.Actor) -> int:
    """Forget failed attempts, with an event for each account and address; return how many rows.

    None is somebody at the terminal.
    """
    with transaction.atomic():
        pairs = sorted(set(attempts.values_list("username", "ip_address")), key=str)
        count = int(attempts.delete()[0])
        for account, address in pairs:
            payload = {"account": account, "address": address}
            audit.record("user.unlocked", actor=by, subject=_subject(account), payload=payload)
    return count


def waits_until(attempt: AccessAttempt) -> datetime | None:
    """Return when the wait of this account at this address ends, None if it has none.

    Two to four queries. The wait of an address alone is told at each account tried from there.
    """
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    of_address = AccessAttempt.objects.filter(ip_address=attempt.ip_address, attempt_time__gt=since)
    return _ends(of_address.filter(username=attempt.username), of_address)


def account_of(request: HttpRequest, credentials: Credentials = None) -> str:
    """Name what is counted: an account, or by a keyed hash a name that is none, or a token.

    People type their password into the wrong box, so that an unknown name is not stored.
    """
    given = credentials or {}
    if "token" in given:
        return f"{TOKEN}{_keyed('chat.lockouts.token', str(given['token']))}"
    name = storable(str(given.get("username") or "").strip())
    if User.objects.filter(username=name).exists():
        return name
    return f"{UNKNOWN}{name_hmac(name)}"


def name_hmac(name: str) -> str:
    """Return a keyed hash that tells which attempts were for one name, and not the name."""
    return _keyed("chat.audit.name", name.casefold())


def was_refused_unseen(request: HttpRequest | None) -> bool:
    """Tell whether the attempt was refused before anything was compared, since it is locked."""
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
    """Record that a lock begins; what is refused while it lasts says nothing new."""
    if was_refused_unseen(request):
        return
    logger.warning("Locked out for %d min: %s from %s", _lock_min(), username, ip_address)
    payload = {"account": username, "address": ip_address, "minutes": _lock_min()}
    with transaction.atomic():
        audit.record("user.locked_out", actor=None, subject=_subject(username), payload=payload)


class TokenGuess:
    """A token that is shown at the API's door, from the address that the request comes from."""

    def __init__(self, request: HttpRequest, token: bytes) -> None:
        # Apart from the request itself: its body is nobody's business at the door.
        self._attempt = HttpRequest()
        self._attempt.META = request.META
        key = token.decode("latin-1")[: CONSTANTS.TOKEN_KEY_LENGTH]
        self._credentials = {"token": key}

    @property
    def wait_s(self) -> int:
        """Seconds for which it is not looked at, right or wrong; 0 where it is. Two queries."""
        if AxesProxyHandler.is_allowed(self._attempt, self._credentials):
            return 0
        return wait_s(self._attempt, self._credentials)

    def failed(self) -> None:
        """Count it as wrong."""
        AxesProxyHandler.user_login_failed(type(self), self._credentials, self._attempt)


def wait_s(request: HttpRequest, credentials: Credentials) -> int:
    """Return for how many seconds more what is locked stays so; at least 1. Four queries."""
    handler = AxesProxyHandler.get_implementation()
    now = timezone.now()
    ends = _ends(*handler.get_user_attempts(request, credentials))
    ends = ends or now + settings.AXES_COOLOFF_TIME
    return max(1, math.ceil((ends - now).total_seconds()))


def locked_page(
    request: HttpRequest, response: HttpResponse, credentials: Credentials
) -> HttpResponse:
    """Return what somebody reads at the sign-in page who has to wait."""
    seconds = wait_s(request, credentials)
    context = {"minutes": math.ceil(seconds / 60)}
    page = render(request, "429.html", context, status=429)
    page["Retry-After"] = str(seconds)
    page["Cache-Control"] = "no-store"
    return page


def _ends(of_pair: QuerySet[AccessAttempt], of_address: QuerySet[AccessAttempt]) -> datetime | None:
    """Return the end of the longer wait, of the account there or of the address; None for none."""
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
