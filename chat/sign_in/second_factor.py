"""Second factor of accounts with a password: codes of an authenticator app (TOTP, RFC 6238).

Nobody is signed in before the code is right, so a session proves it. Wrong codes count as wrong
passwords do (`chat.sign_in.lockouts`), and a code is accepted once. Recovery codes replace a lost
device.
"""

from __future__ import annotations

from axes.handlers.proxy import AxesProxyHandler
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.db import transaction
from django.http import HttpRequest
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from chat.audit import log as audit

RECOVERY_CODES = 10
PASSED = "second_factor"  # key in a session: a code was right, or the sign-in was the hospital's


def has_device(account: User) -> bool:
    return bool(TOTPDevice.objects.filter(user=account, confirmed=True).exists())


def is_demanded(account: User) -> bool:
    """Tell whether the site requires a second factor of this account, as it may for all staff."""
    return bool(settings.SECOND_FACTOR_FOR_STAFF and account.is_staff)


def has_passed(request: HttpRequest) -> bool:
    """Tell whether this session may open pages for which the site requires a second factor."""
    return not settings.SECOND_FACTOR_FOR_STAFF or PASSED in request.session


def device_offered(account: User) -> TOTPDevice:
    """Return the device that waits for its first code, creating it if there is none."""
    device = TOTPDevice.objects.filter(user=account, confirmed=False).first()
    return device or TOTPDevice.objects.create(user=account, name="app", confirmed=False)


def device_confirm(account: User, *, code: str, request: HttpRequest) -> list[str]:
    """Confirm the offered device; return its recovery codes, none if the code is wrong."""
    device = device_offered(account)
    with transaction.atomic():
        locked = TOTPDevice.objects.select_for_update().get(pk=device.pk)
        if _is_allowed(account, request) and not has_device(account) and locked.verify_token(code):
            locked.confirmed = True
            locked.save(update_fields=["confirmed"])
            codes = _codes_make(account)
            _record("user.second_factor_set_up", account, by=account)
            return codes
    failed(account, request)
    return []


def code_verify(account: User, *, code: str, request: HttpRequest) -> bool:
    """Tell whether a code is the device's, or a recovery code, which can't be used again."""
    code = code.replace(" ", "").lower()
    if _is_allowed(account, request) and _is_right(account, code):
        return True
    failed(account, request)
    return False


def recovery_codes_renew(account: User) -> list[str]:
    """Replace the recovery codes; the old ones become invalid."""
    with transaction.atomic():
        codes = _codes_make(account)
        _record("user.recovery_codes_made", account, by=account)
    return codes


def recovery_codes_left(account: User) -> int:
    return int(StaticToken.objects.filter(device__user=account).count())


def second_factor_remove(account: User, *, by: audit.Actor) -> bool:
    """Delete the device and the recovery codes; False if there was no device.

    `by` is None for the terminal. If the site requires a second factor, the user sets up a new one
    at the next sign-in.
    """
    with transaction.atomic():
        there = has_device(account)
        TOTPDevice.objects.filter(user=account).delete()
        StaticDevice.objects.filter(user=account).delete()
        if there:
            _record("user.second_factor_removed", account, by=by)
    return there


def _is_right(account: User, code: str) -> bool:
    with transaction.atomic():
        # Locked: of two requests with one code, only one succeeds.
        devices = TOTPDevice.objects.select_for_update().filter(user=account, confirmed=True)
        if len(code) == 6 and code.isascii() and code.isdecimal():
            return any(device.verify_token(code) for device in devices)
        spares = StaticDevice.objects.select_for_update().filter(user=account, confirmed=True)
        used = any(device.verify_token(code) for device in spares)
        if used:
            _record("user.recovery_code_used", account, by=account)
        return used


def _codes_make(account: User) -> list[str]:
    StaticDevice.objects.filter(user=account).delete()
    device = StaticDevice.objects.create(user=account, name="recovery codes")
    codes = [StaticToken.random_token() for _ in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in codes)
    return codes


def _is_allowed(account: User, request: HttpRequest) -> bool:
    return bool(AxesProxyHandler.is_allowed(request, {"username": account.username}))


def failed(account: User, request: HttpRequest) -> None:
    """Count a wrong code as a wrong password; axes answers once the account is locked."""
    credentials = {"username": account.username}
    user_login_failed.send(sender=__name__, credentials=credentials, request=request)


def _record(action: str, account: User, *, by: audit.Actor) -> None:
    audit.record(action, actor=by, subject=f"user:{account.pk}", payload={})
