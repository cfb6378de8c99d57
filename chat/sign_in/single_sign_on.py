"""Find or create accounts for the hospital's single sign-on, and set their groups.

An account is found by issuer and `sub` alone, never by e-mail address or name, which can be given
to somebody else. A claim adds and removes groups of the configured map, leaves all others, and
makes nobody a superuser.

Where a directory manages the accounts (MEDRAG_SCIM), it alone creates them: an account that it
doesn't know would stay open after it closed the person's. It is found by the directory's permanent
id of the person at the first sign-in, and by issuer and `sub` from then on.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Mapping
from typing import Any

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction

from chat.audit import log as audit
from chat.models import DirectoryAccount
from chat.sign_in.accounts import NAME_CHARACTERS, rights_of
from core.errors import MedragError

TRIES = 5  # of a first sign-in, when others create accounts at the same time

logger = logging.getLogger(__name__)


class SignInRefused(MedragError):
    """The hospital's sign-in accepted somebody who may not enter.

    Deactivated, in no group, or not known to the directory.
    """


def account_vouched_for(claims: Mapping[str, Any], *, issuer: str) -> User:
    """Return the account of a `sub` in the groups of its claim, created at the first sign-in.

    Raises SignInRefused and removes the groups if a map of groups is set and no value of it is
    claimed; raises it for a deactivated account before anything is changed. A token that doesn't
    tell the groups leaves them.
    """
    for _ in range(TRIES - 1):
        try:
            return _vouched_for(claims, issuer=issuer)
        except IntegrityError:
            continue  # another request has just created this account, or one of this name
    return _vouched_for(claims, issuer=issuer)


def _vouched_for(claims: Mapping[str, Any], *, issuer: str) -> User:
    groups, unlet = _groups_claimed(claims), settings.OIDC_GROUPS
    is_managed = bool(settings.SCIM_TOKEN)
    with transaction.atomic():
        known = SocialAccount.objects.filter(provider=issuer, uid=claims["sub"])
        social = known.select_related("user").first()
        account: User | None = social.user if social else None
        if is_managed:
            account = _of_directory(claims, account, issuer=issuer)
        if account:
            account = User.objects.select_for_update().get(pk=account.pk)  # as the directory does
            if not _tells_groups(claims):
                held = account.groups.filter(name__in=unlet.values())
                groups = set(held.values_list("name", flat=True))
        if account and account.is_active:
            groups_set(account, groups, by="single sign-on")
        elif account is None and not is_managed and (groups or not unlet):
            account = _create(claims, issuer=issuer, groups=groups)
    if account and not account.is_active:
        sign_in_refused("deactivated", account=account)
        raise SignInRefused("The account is deactivated.")
    if account is None and is_managed:
        sign_in_refused("not of the directory")
        raise SignInRefused("The directory has not created the account.")
    if untold := groups_untold(claims):
        logger.warning("Groups of user:%s stay as they are: %s", account and account.pk, untold)
    if account is None or (unlet and not groups):
        sign_in_refused("groups not told" if untold else "no group", account=account)
        raise SignInRefused("None of the groups of this site is theirs.")
    return account


def _of_directory(claims: Mapping[str, Any], account: User | None, *, issuer: str) -> User | None:
    """Return the account that directory and issuer both mean; None if there is none.

    The directory's account is linked with the `sub` at the first sign-in. An account that was here
    before the directory is not: the directory may have found it by its name. If it is linked
    already, its person's id becomes known, by which the directory finds it.
    """
    person = claims.get(settings.OIDC_EXTERNAL_ID_CLAIM)
    if not isinstance(person, str) or not 0 < len(person) <= 191:
        return account
    # Accounts before their entries, as the directory locks them.
    User.objects.select_for_update().filter(in_directory__external_id=person).first()
    entries = DirectoryAccount.objects.select_for_update(of=("self",)).select_related("user")
    entry = entries.filter(external_id=person).first()
    if account is not None:
        if entry is None:
            DirectoryAccount.objects.get_or_create(user=account, defaults={"external_id": person})
        return account if entry is None or entry.user_id == account.pk else None
    if entry is None or not entry.is_its_own or entry.user.is_superuser:
        return None
    if entry.user.is_active:
        if SocialAccount.objects.filter(user=entry.user, provider=issuer).exists():
            return None  # another person's
        SocialAccount.objects.create(user=entry.user, provider=issuer, uid=claims["sub"])
    return entry.user


def sign_in_refused(reason: str, *, account: User | None = None) -> None:
    """Record that a single sign-on was refused, with a short reason."""
    subject = f"user:{account.pk}" if account else ""
    payload = {"by": "single sign-on", "reason": reason}
    with transaction.atomic():
        audit.record("user.sign_in_failed", actor=None, subject=subject, payload=payload)


def groups_untold(claims: Mapping[str, Any]) -> str:
    """Return why a token doesn't tell the groups, or "" if it does or need not.

    Entra leaves the claim out for somebody in more than 200 groups, and names it elsewhere. Where a
    directory gives the groups, no token has to tell them.
    """
    if settings.SCIM_TOKEN or not settings.OIDC_GROUPS or _tells_groups(claims):
        return ""
    claim = settings.OIDC_GROUPS_CLAIM
    if _is_overage(claims):
        return f"the token has too many groups to list them in the claim {claim}"
    return f"the token has no claim {claim}"


def _tells_groups(claims: Mapping[str, Any]) -> bool:
    return claims.get(settings.OIDC_GROUPS_CLAIM) is not None and not _is_overage(claims)


def _is_overage(claims: Mapping[str, Any]) -> bool:
    elsewhere = claims.get("_claim_names")
    is_named = isinstance(elsewhere, Mapping) and settings.OIDC_GROUPS_CLAIM in elsewhere
    return is_named or claims.get("hasgroups") in (True, "true", "True")


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
    account_record("user.created", account, [], by="single sign-on")
    return account


def _free_name(wanted: str) -> str:
    """Return a user name that is not taken, ignoring case."""
    base = re.sub(rf"[^{NAME_CHARACTERS}]", "", wanted)[:140] or "colleague"
    alike = User.objects.filter(username__istartswith=base)
    taken = {name.lower() for name in alike.values_list("username", flat=True)}
    names = (base, *(f"{base}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name.lower() not in taken)


def groups_set(account: User, names: Collection[str], *, by: str) -> None:
    """Set the groups of the configured map that an account is in; others stay. Logs a change."""
    before = set(account.groups.all())
    after = {g for g in before if g.name not in settings.OIDC_GROUPS.values()} | set(_groups(names))
    if before != after:
        account.groups.set(after)
        account_record("user.changed", account, ["groups"], by=by)


def _groups(names: Collection[str]) -> list[Group]:
    groups = list(Group.objects.filter(name__in=names))
    for missing in set(names) - {group.name for group in groups}:
        logger.warning("MEDRAG_OIDC: [groups] names a group that is not here: %s", missing)
    return groups


def account_record(action: str, account: User, fields: list[str], *, by: str, **more: Any) -> None:
    """Log an account with its rights and the changed fields, in the caller's transaction."""
    payload = rights_of(account) | {"fields": fields, "by": by} | more
    audit.record(action, actor=None, subject=f"user:{account.pk}", payload=payload)
