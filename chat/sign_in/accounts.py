"""Decide who may create and change accounts and assign groups; nobody assigns groups they lack.

Used by the administration (`medrag_site.admin`) and the API.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, Group, Permission, User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from chat.audit import log as audit
from corpus.access import refuse_without

EDITABLE = frozenset(("first_name", "last_name", "email", "is_active"))
# Of a user name that the hospital gives, in a class of a pattern: Django's, and those more that
# names of Entra have, such as anna_example.org#EXT#@tenant.onmicrosoft.com or o'neil@example.org.
NAME_CHARACTERS = r"\w.@+\-'!#^~"
VIEW, ADD, CHANGE_ONE = "auth.view_user", "auth.add_user", "auth.change_user"


def accounts_visible(by: User) -> QuerySet[User]:
    """Return all accounts, latest first. Raises PermissionDenied without the right to view them."""
    refuse_without(by, VIEW, CHANGE_ONE)
    return User.objects.prefetch_related("groups").order_by("-date_joined", "-pk")


def access_account(by: User, *, pk: int, to_change: bool = False) -> User:
    account = get_object_or_404(accounts_visible(by), pk=pk)
    if to_change:
        refuse_without(by, CHANGE_ONE)
        if not may_touch(by, account):
            raise PermissionDenied("Only a superuser may change a superuser. Nothing was changed.")
    return account


def may_touch(by: AbstractBaseUser | AnonymousUser, account: User | None) -> bool:
    """Tell whether a user may change an account: only superusers may change superusers."""
    return account is None or not account.is_superuser or bool(getattr(by, "is_superuser", False))


def groups_given(by: AbstractBaseUser | AnonymousUser) -> QuerySet[Group]:
    """Return the groups that a user may assign: all for superusers, else the user's own."""
    if getattr(by, "is_superuser", False):
        return Group.objects.all()
    return Group.objects.filter(user=by.pk)


def account_create(by: User, *, username: str, groups: Iterable[Group], **fields: Any) -> User:
    """Create an account that can't sign in until it has a password.

    Only `groups` that `by` may assign are assigned. Raises PermissionDenied.
    """
    refuse_without(by, ADD)
    with transaction.atomic():
        account = User(username=username, **fields)
        account.set_unusable_password()
        account.save(force_insert=True)
        account.groups.set(groups_given(by).filter(pk__in=[group.pk for group in groups]))
        LogEntry.objects.log_actions(
            by.pk, [account], ADDITION, change_message=[{"added": {}}], single_object=True
        )
    return account


def account_edit(
    account: User,
    *,
    by: User,
    changes: Mapping[str, Any],
    groups: Iterable[Group] | None = None,
) -> tuple[str, ...]:
    """Change fields of an account and groups that `by` may assign; return what has changed.

    Other groups stay. `groups` None leaves all groups as they are.
    """
    with transaction.atomic():
        stored = User.objects.select_for_update().get(pk=account.pk)
        fields = sorted(n for n in EDITABLE & set(changes) if getattr(stored, n) != changes[n])
        for name in fields:
            setattr(stored, name, changes[name])
        if fields:
            stored.save(update_fields=fields)
        if groups is not None and _set_groups(stored, groups, by=by):
            fields.append("groups")
        if fields:
            message = [{"changed": {"fields": fields}}]  # the receiver logs it
            LogEntry.objects.log_actions(
                by.pk, [stored], CHANGE, change_message=message, single_object=True
            )
    return tuple(fields)


def _set_groups(account: User, wanted: Iterable[Group], *, by: User) -> bool:
    """Set the groups that `by` may assign; return whether the account's groups have changed."""
    given = set(groups_given(by).values_list("pk", flat=True))
    before = set(account.groups.values_list("pk", flat=True))
    after = (before - given) | ({group.pk for group in wanted} & given)
    account.groups.set(after)
    return before != after


def superusers_record(before: Iterable[int]) -> None:
    """Record the superusers created at the terminal: all but those with keys in `before`."""
    for account in User.objects.filter(is_superuser=True).exclude(pk__in=[*before]):
        subject = f"user:{account.pk}"
        audit.record("user.created", actor=None, subject=subject, payload=rights_of(account))


def rights_of(thing: User | Group) -> dict[str, Any]:
    """Return name and rights of an account or a group, for an event."""
    if isinstance(thing, Group):
        return {"group": thing.name, "permissions": _labels(thing.permissions.all())}
    return {
        "account": thing.username,
        "groups": sorted(thing.groups.values_list("name", flat=True)),
        "permissions": _labels(thing.user_permissions.all()),
        "is_active": thing.is_active,
        "is_staff": thing.is_staff,
        "is_superuser": thing.is_superuser,
    }


def _labels(permissions: QuerySet[Permission]) -> list[str]:
    pairs = permissions.order_by().values_list("content_type__app_label", "codename")
    return sorted(f"{app}.{name}" for app, name in pairs)
