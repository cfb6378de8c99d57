"""Create and revoke API tokens, with scopes, rate and expiry, as their only writer.

A token acts as its account; its scopes narrow the account's rights and never add any. Knox keeps
the hash and the expiry, `TokenGrant` the rest. A token without a grant is older than scopes; at its
first use it gets the scopes that all tokens had: ask, and read.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from knox.models import get_token_model

from chat.audit import log as audit
from chat.models import Scope, TokenGrant

TOKEN_PREFIX = "mrag_"  # noqa: S105 - not a secret: scanners recognise a leaked token by it
BY_DEFAULT = (Scope.ASK, Scope.READ)


@dataclass(frozen=True)
class Granted:
    """The scopes and limits of a token; `rate` is empty for the site's rate."""

    digest: str
    scopes: frozenset[str]
    rate: str = ""
    ends: datetime.datetime | None = None  # None: never


def granted_to(token: Any) -> Granted:
    """Return the scopes and limits of a Knox token, and log its first use of a day.

    One query, except on the first use of a day.
    """
    grant = TokenGrant.objects.filter(token=token).first()
    if grant is None:
        given = {"user": token.user, "scopes": [str(scope) for scope in BY_DEFAULT]}
        grant, _ = TokenGrant.objects.get_or_create(token=token, defaults=given)
    if grant.used_on != timezone.localdate():
        today = timezone.localdate()
        with transaction.atomic():
            unused = TokenGrant.objects.filter(pk=grant.pk).exclude(used_on=today)
            if unused.update(used_on=today):  # else another request was first
                subject, payload = f"user:{grant.user_id}", {"key": token.token_key}
                audit.record("token.used", actor=token.user, subject=subject, payload=payload)
    return Granted(token.digest, frozenset(grant.scopes), grant.rate, token.expiry)


def token_create(
    user: User,
    *,
    name: str = "",
    scopes: Iterable[str] = BY_DEFAULT,
    days: int | None = None,
    rate: str = "",
    by: User | None = None,
) -> str:
    """Create a token and return it; the database only has its hash.

    Without `days` it expires after `token_days` of MEDRAG_API.
    """
    lifetime = datetime.timedelta(days=days or settings.API_TOKEN_DAYS)
    scopes = sorted(Scope(scope).value for scope in set(scopes))
    with transaction.atomic():
        stored, token = get_token_model().objects.create(user, lifetime, TOKEN_PREFIX)
        TokenGrant.objects.create(
            token=stored, user=user, name=name, scopes=scopes, rate=rate, made_by=by
        )
        payload = {
            "expires": stored.expiry.isoformat(),
            "key": stored.token_key,
            "scopes": scopes,
        }
        audit.record("token.created", actor=by, subject=f"user:{user.pk}", payload=payload)
    return str(token)


def token_revoke(grant: TokenGrant, *, by: User | None) -> None:
    """Revoke one token at once."""
    user, key = grant.user_id, grant.token.token_key
    with transaction.atomic():
        grant.token.delete()
        payload = {"count": 1, "key": key}
        audit.record("token.revoked", actor=by, subject=f"user:{user}", payload=payload)


def tokens_revoke(user: User, *, by: User | None = None) -> int:
    """Revoke every token of an account; return their number."""
    with transaction.atomic():
        tokens = get_token_model().objects.filter(user=user)
        count: int = tokens.count()
        tokens.delete()
        payload = {"count": count}
        audit.record("token.revoked", actor=by, subject=f"user:{user.pk}", payload=payload)
    return count
