"""Examine the site's connections with its hospital, for `manage.py doctor`.

Each function returns whether all is well, None if there is something to do, and what was found.
"""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core import checks
from django.utils import timezone

from chat.models import DirectoryState
from chat.records.launch.authorization import configuration
from chat.records.launch.refusals import LaunchRefused
from chat.sign_in.oidc import ProviderError, provider_config

SOON = timedelta(days=30)


def sign_in_found() -> tuple[bool, str]:
    """Ask the hospital's provider, if there is one: a wrong address shows nowhere else at first."""
    if messages := checks.run_checks(tags=["sign_in"]):
        return False, "; ".join(f"{message.msg} {message.hint}" for message in messages)
    if not settings.OIDC_ISSUER:
        return True, "by password"
    try:
        provider_config()
    except ProviderError as error:
        return False, (
            f"{settings.OIDC_ISSUER}, the issuer of MEDRAG_OIDC, does not answer as it should "
            f"({error}): "
            "nobody signs in by it; passwords go on working"
        )
    return True, f"by password, or by {settings.OIDC_ISSUER}"


def directory_found() -> tuple[bool | None, str]:
    """Tell when the directory last asked, and name groups that it can't fill."""
    if not settings.SCIM_TOKEN:
        return True, "none: MEDRAG_SCIM lets the hospital's directory create and close accounts"
    heard = DirectoryState.objects.values_list("heard_at", flat=True).first()
    if heard is None:
        return None, "it has not asked yet: give it the address /scim/v2/ and the token"
    told = f"it last asked on {heard:%Y-%m-%d %H:%M} UTC"
    here = Group.objects.values_list("name", flat=True)
    if missing := sorted(set(settings.OIDC_GROUPS.values()) - set(here)):
        return None, f"{told}; [groups] of MEDRAG_OIDC names {', '.join(missing)}, not here"
    return True, told


def record_found() -> tuple[bool, str]:
    """Tell which doors are open to the patient's record, and ask each record that may launch."""
    record = settings.RECORD
    told, faults = [], []
    if record.infobutton:
        told.append("infobuttons")
    if record.hooks:
        told.append(f"CDS Hooks of {len(record.hooks.callers)} callers")
        if not User.objects.filter(username=record.hooks.account, is_active=True).exists():
            faults.append(f"{record.hooks.account}, the account of its hooks, is not active")
    for each in record.launch.records:
        told.append(f"launches from {each.name}")
        try:
            configuration(each)
        except LaunchRefused as refused:
            faults.append(f"{each.issuer}: {refused}")
    if faults:
        return False, "; ".join(faults)
    return True, ", ".join(told) or "no door is open to it: MEDRAG_RECORD opens some"


def certificates_found() -> tuple[bool | None, str]:
    """Tell what the file of SSL_CERT_FILE holds, and which of it expires within a month."""
    if not (file := settings.CERTIFICATES_FILE):
        return True, "those that everybody knows: SSL_CERT_FILE names a hospital's own"
    try:
        found = ssl.create_default_context(cafile=file).get_ca_certs()
    except OSError as error:  # an SSLError is one
        is_read = isinstance(error, ssl.SSLError)
        why = "it holds no certificate in PEM" if is_read else error.strerror
        return False, f"{file}, the file of SSL_CERT_FILE, can't be used: {why}"
    if not found:
        return False, f"{file}, the file of SSL_CERT_FILE, holds no certificate of an authority"
    ends = sorted((_end_of(one), str(one["subject"][-1][0][1])) for one in found)
    now, (first, _), (last, _) = timezone.now(), ends[0], ends[-1]
    told = f"{len(ends)} in {file}, the next to expire on {first:%Y-%m-%d}"
    if last <= now:
        return False, f"{told}: all have expired, so nothing is reached by https"
    if soon := [f"{name} on {end:%Y-%m-%d}" for end, name in ends if end <= now + SOON]:
        return None, f"{told}: {len(soon)} expired or do soon: {', '.join(soon[:3])}"
    return True, told


def _end_of(certificate: dict[str, Any]) -> datetime:
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(certificate["notAfter"]), UTC)
