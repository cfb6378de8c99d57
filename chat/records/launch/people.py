"""Know a person whom the record vouches for: by a link that they made when signed in here.

The record's word creates no account and gives no group. Accounts with rights over others, and those
with a second factor, sign in themselves at each launch.
"""

from __future__ import annotations

from datetime import timedelta

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from chat.audit import log as audit
from chat.records.launch.allowed import LaunchingRecord
from chat.sign_in.second_factor import has_device


def linked_account(issuer: str, person: str) -> User | None:
    """Return the account that somebody linked within `link_days`, closed ones too."""
    since = timezone.now() - timedelta(days=settings.RECORD.launch.link_days)
    known = SocialAccount.objects.filter(provider=_provider(issuer), uid=person)
    link = known.filter(date_joined__gt=since).select_related("user").first()
    return link.user if link else None


def signs_in_itself(account: User) -> bool:
    """Tell whether a launch alone must not sign the account in."""
    return account.is_staff or account.is_superuser or has_device(account)


def account_link(account: User, *, record: LaunchingRecord, person: str) -> None:
    """Link an account with a person of the record; older links of either end."""
    provider = _provider(record.issuer)
    with transaction.atomic():
        theirs = SocialAccount.objects.filter(provider=provider)
        theirs.filter(Q(uid=person) | Q(user=account)).delete()
        SocialAccount.objects.create(user=account, provider=provider, uid=person)
        subject, payload = f"user:{account.pk}", {"record": record.name}
        audit.record("user.linked", actor=account, subject=subject, payload=payload)


def _provider(issuer: str) -> str:
    """Return a name that no issuer of single sign-on has: a record vouches for its own alone."""
    return f"record:{issuer}"
