"""Find or create accounts for the hospital's single sign-on, and set their groups.

An account is found by issuer and `sub` alone, never by e-mail address or name, which can be given
to somebody else. A claim adds and removes groups of the configured map, leaves all others, and
makes nobody a superuser.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Mapping
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import transaction

from chat.audit import log as audit
from chat.sign_in.accounts import rights_of
from core.errors import MedragError

logger = logging.getLogger(__name__)


class SignInRefused(MedragError):
    """The hospital's sign-in accepted somebody who may not enter: deactivated, or in no group."""


def account_vouched_for(claims: Mapping[str, Any], *, issuer: str) -> User:
    """Return the account of a `sub` in the groups of its claim, created at the first sign-in.

    Raises SignInRefused and removes the groups if a map of groups is set and no value of it is
    claimed; raises it for a deactivated account before anything is changed.
    """
    groups, unlet = _groups_claimed(claims), settings.OIDC_GROUPS
    with transaction.atomic():
        known = SocialAccount.objects.select_for_update().filter(provider=issuer, uid=claims["sub"])
        social = known.select_related("user").first()
        account: User | None = social.user if social else None
        if account and account.is_active:
            _set_groups(account, groups)
        elif account is None and (groups or not unlet):
            account = _create(claims, issuer=issuer, groups=groups)
    if account and not account.is_active:
        sign_in_refused("deactivated", account=account)
        raise SignInRefused("The account is deactivated.")
    if account is None or (unlet and not groups):
        sign_in_refused("no group", account=account)
        raise SignInRefused("None of the groups of this site is theirs.")
    return account


def sign_in_refused(reason: str, *, account: User | None = None) -> None:
    """Record that a single sign-on was refused, with a short reason."""
    subject = f"user:{account.pk}" if account else ""
    payload = {"by": "single sign-on", "reason": reason}
    with transaction.atomic():
        audit.record("user.sign_in_failed", actor=None, subject=subject, payload=payload)


def _groups_claimed(claims: Mapping[str, Any]) -> set[str]:
    """Return the names of this site's groups in a claim; none if it is missing or malformed."""
    claimed = claims.get(settings.OIDC_GROUPS_CLAIM)
    values = [claimed] if isinstance(claimed, str) else claimed
    if not isinstance(values, list):
        return set()
    known: dict[str, str] = settings.OIDC_GROUPS
    return {known[value] for value in values if isinstance(value, str) and value in known}


def _create(claims: Mapping[str, Any], *, issuer: str, groups: Collection[str]) -> User:
    account = User(
        username=_free_name(str(claims.get("preferred_username") or "")),
        first_name=str(claims.get("given_name") or "")[:150],
        last_name=str(claims.get("family_name") or "")[:150],
    )
    account.set_unusable_password()
    account.save(force_insert=True)
    SocialAccount.objects.create(user=account, provider=issuer, uid=claims["sub"])
    account.groups.set(_groups(groups))
    _record("user.created", account, [])
    return account


def _free_name(wanted: str) -> str:
    """Return a user name that is not taken, ignoring case."""
    base = re.sub(r"[^\w.@+-]", "", wanted)[:140] or "colleague"
    alike = User.objects.filter(username__istartswith=base)
    taken = {name.lower() for name in alike.values_list("username", flat=True)}
    names = (base, *(f"{base}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name.lower() not in taken)


def _set_groups(account: User, names: Collection[str]) -> None:
    before = set(account.groups.all())
    after = {g for g in before if g.name not in settings.OIDC_GROUPS.values()} | set(_groups(names))
    if before != after:
        account.groups.set(after)
        _record("user.changed", account, ["groups"])


def _groups(names: Collection[str]) -> list[Group]:
    groups = list(Group.objects.filter(name__in=names))
    for missing in set(names) - {group.name for group in groups}:
        logger.warning("MEDRAG_OIDC: [groups] names a group that is not here: %s", missing)
    return groups


def _record(action: str, account: User, fields: list[str]) -> None:
    payload = rights_of(account) | {"fields": fields, "by": "single sign-on"}
    audit.record(action, actor=None, subject=f"user:{account.pk}", payload=payload)
