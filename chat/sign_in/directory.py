"""Create, change, close and reopen accounts as the hospital's directory says, and set their groups.

Superusers are out of its reach, and no account is ever deleted, since the log names accounts: what
the directory deletes is closed, emptied and unknown to it until it creates that anew. Groups are
those of `[groups]` in MEDRAG_OIDC, as at single sign-on. What is said of a person is a mapping of
fields of `User` and of `external_id`; a field left out stays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from knox.models import get_token_model

from chat.audit import log as audit
from chat.models import DirectoryAccount, DirectoryState
from chat.sign_in.sessions import sessions_end
from chat.sign_in.single_sign_on import account_record, groups_set
from chat.sign_in.tokens import tokens_revoke
from core.errors import MedragError

BY = "directory"
HEARD_EVERY = timedelta(minutes=1)  # as often as the time of a request is stored
_NAMES = ("username", "first_name", "last_name", "email")
_UNIQUE = {
    "username": "username__iexact",
    "email": "email__iexact",
    "external_id": "in_directory__external_id",
}


class Unknown(MedragError):
    """No account has this id."""


class Taken(MedragError):
    """Another account has this name, mail address or id; two people never share one."""


class OutOfReach(MedragError):
    """The directory may not change this account."""

    def __init__(self, reason: str, account: User) -> None:
        super().__init__(f"{reason} Nothing was changed.")
        self.reason, self.account = reason, account


def accounts_in_reach() -> QuerySet[User]:
    """Return all accounts but superusers' and those that it deleted, in a stable order."""
    found = User.objects.filter(is_superuser=False).exclude(in_directory__is_gone=True)
    return found.select_related("in_directory").order_by("pk")


def directory_heard() -> DirectoryState:
    """Store that the directory has just sent a request, to the minute. One query or two."""
    now = timezone.now()
    state, _ = DirectoryState.objects.get_or_create(pk=1, defaults={"heard_at": now})
    if state.heard_at <= now - HEARD_EVERY:
        DirectoryState.objects.filter(pk=state.pk).update(heard_at=now)
    return state


def account_provision(said: Mapping[str, Any]) -> User:
    """Create an account without a password and without rights. Raises Taken or OutOfReach.

    Who was deleted and has the same `external_id` gets the account of before, without its groups.
    """
    person = said.get("external_id")
    gone = DirectoryAccount.objects.filter(is_gone=True, external_id=person).first()
    if person and gone:
        return _return(gone.pk, said)
    account = User(is_active=said.get("is_active", True))
    account.set_unusable_password()
    entry = DirectoryAccount(is_its_own=True, is_closed=not account.is_active)
    with transaction.atomic():
        _save(account, entry, said)
        account_record("user.created", account, [], by=BY)
    return account


def account_adjust(pk: int, said: Mapping[str, Any]) -> User:
    """Change, close or reopen an account. Raises Unknown, Taken or OutOfReach.

    A request that closes changes nothing else: nothing else that it says may keep a leaver in.
    """
    with transaction.atomic():
        account, entry = _locked(pk)
        if said.get("is_active") is False:
            _close(account, entry)
        else:
            _adjust(account, entry, said)
    return account


def account_remove(pk: int) -> None:
    """Close an account and take the directory's groups from it. Raises Unknown or OutOfReach."""
    with transaction.atomic():
        account, entry = _locked(pk)
        _close(account, entry)
        entry.is_gone, entry.groups = True, []
        entry.save()
        groups_set(account, (), by=BY)


def _return(pk: int, said: Mapping[str, Any]) -> User:
    with transaction.atomic():
        account, entry = _locked(pk, is_gone=True)
        entry.is_gone = False
        _adjust(account, entry, {"is_active": True, **said})
    return account


def _adjust(account: User, entry: DirectoryAccount, said: Mapping[str, Any]) -> None:
    fields = sorted(n for n in _NAMES if n in said and getattr(account, n) != said[n])
    if said.get("is_active") and not account.is_active:
        if not entry.is_closed:
            raise OutOfReach("The account was deactivated here, not by the directory.", account)
        account.is_active, entry.is_closed = True, False
        fields.append("is_active")
    if entry.external_id and said.get("external_id", entry.external_id) != entry.external_id:
        raise OutOfReach("The account has another externalId.", account)
    _save(account, entry, said)
    if fields:
        account_record("user.changed", account, fields, by=BY)


def groups_here() -> list[str]:
    """Return the directory's names of those of `[groups]` that exist here and that it has."""
    gone = DirectoryState.objects.values_list("groups_gone", flat=True).first() or []
    return sorted(_groups_known() - set(gone))


def group_remove(name: str) -> None:
    """Take a group of the directory from its members, and forget it until it is created anew."""
    with transaction.atomic():
        members_change(name, lambda members: set())
        _groups_gone_change(lambda gone: {*gone, name})


def group_return(name: str, change: Callable[[set[int]], Collection[int]]) -> None:
    """Create a group that the directory had deleted, with its members.

    Raises Unknown if `[groups]` has none of this name, Taken if the directory has it already.
    """
    with transaction.atomic():
        if name not in _groups_known():
            raise Unknown("Groups are those of [groups] in the file of MEDRAG_OIDC, no others.")
        if name in groups_here():
            raise Taken("There is a group of this name already: link to it. Nothing changed.")
        _groups_gone_change(lambda gone: gone - {name})
        members_change(name, change)


def _groups_known() -> set[str]:
    ours = settings.OIDC_GROUPS
    exist = set(Group.objects.filter(name__in=ours.values()).values_list("name", flat=True))
    return {name for name, group in ours.items() if group in exist}


def _groups_gone_change(change: Callable[[set[str]], set[str]]) -> None:
    state = DirectoryState.objects.select_for_update().get(pk=directory_heard().pk)
    state.groups_gone = sorted(change(set(state.groups_gone)))
    state.save()


def members_of(name: str) -> QuerySet[User]:
    """Return the members of our group, except those who are in it by another of theirs alone."""
    is_in, by_another = (
        Q(in_directory__groups__contains=[name]),
        Q(in_directory__groups__overlap=_same(name)),
    )
    members = accounts_in_reach().filter(groups__name=settings.OIDC_GROUPS[name])
    return members.exclude(by_another & ~is_in)


def members_change(name: str, change: Callable[[set[int]], Collection[int]]) -> None:
    """Set the members of a group of the directory to what `change` makes of their ids.

    Raises Unknown or OutOfReach for a new member, and then changes nobody.
    """
    ours = settings.OIDC_GROUPS[name]
    with transaction.atomic():
        # Without barring others from naming it: a sign-in does, which holds an account's lock.
        Group.objects.select_for_update(no_key=True).get(name=ours)
        before = set(members_of(name).values_list("pk", flat=True))
        after = set(change(set(before)))
        for pk in sorted(before ^ after):
            account, entry = _locked(pk)
            theirs = {*entry.groups, name} if pk in after else {*entry.groups} - {name}
            entry.groups = sorted(theirs)
            entry.save()
            held = set(account.groups.values_list("name", flat=True)) - {ours}
            stays = pk in after or not theirs.isdisjoint(_same(name))
            groups_set(account, held | ({ours} if stays else set()), by=BY)


def refusal_record(refused: OutOfReach) -> None:
    """Log that the directory wanted to change an account out of its reach."""
    subject, payload = f"user:{refused.account.pk}", {"by": BY, "reason": refused.reason}
    with transaction.atomic():
        audit.record("user.change_refused", actor=None, subject=subject, payload=payload)


def _same(name: str) -> list[str]:
    """Return the directory's other groups that are the same group here."""
    known = settings.OIDC_GROUPS
    return [other for other, ours in known.items() if ours == known[name] and other != name]


def _locked(pk: int, *, is_gone: bool = False) -> tuple[User, DirectoryAccount]:
    account = User.objects.select_for_update().filter(pk=pk).first()
    if account is None:
        raise Unknown("There is no such account. Nothing was changed.")
    if account.is_superuser:
        raise OutOfReach("The account is a superuser's.", account)
    entry = DirectoryAccount.objects.filter(user=account).first()
    entry = entry or DirectoryAccount(user=account)
    if entry.is_gone != is_gone:
        raise Unknown("The directory has deleted this account. Nothing was changed.")
    return account, entry


def _close(account: User, entry: DirectoryAccount) -> None:
    """Deactivate an account, end its sessions and revoke its tokens, all in one transaction."""
    was_active, account.is_active = account.is_active, False
    entry.is_closed = entry.is_closed or was_active
    _save(account, entry, {})
    ended = sessions_end(account)
    if was_active or ended:
        account_record("user.changed", account, ["is_active"], by=BY, sessions_ended=ended)
    if get_token_model().objects.filter(user=account).exists():
        tokens_revoke(account)


def _save(account: User, entry: DirectoryAccount, said: Mapping[str, Any]) -> None:
    """Store what is said, unless another account has its name, mail or id: raises Taken."""
    others = User.objects.exclude(pk=account.pk)
    for name, lookup in _UNIQUE.items():
        is_new = said.get(name) and said[name] != getattr(
            entry if name == "external_id" else account, name
        )
        if is_new and others.filter(**{lookup: said[name]}).exists():
            raise Taken(f"Another account, maybe out of reach, has this {name}. Nothing changed.")
    for name in _NAMES:
        setattr(account, name, said.get(name, getattr(account, name)))
    entry.external_id = said.get("external_id", entry.external_id)
    try:
        with transaction.atomic():
            account.save()
            entry.user = account
            entry.save()
    except IntegrityError as error:
        raise Taken("Another request has just created this account.") from error
