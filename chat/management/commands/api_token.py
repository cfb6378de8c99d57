"""Make a token for the API and print it once, or revoke an account's tokens."""

from __future__ import annotations

import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from knox.models import get_token_model

from chat.api.requests import TOKEN_PREFIX
from chat.audit import log as audit


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument(
            "--revoke", action="store_true", help="End all tokens of the account at once."
        )

    def handle(self, *, username: str, revoke: bool, **options: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"There is no account named {username!r}.")
        if revoke:
            self.stderr.write(f"Revoked {tokens_revoke(user)} tokens of {username}.")
            return
        if not user.is_active:
            raise CommandError(f"The account {username!r} is not active.")
        token = token_create(user)
        self.stderr.write(
            f"A token for {username}, good for {settings.API_TOKEN_DAYS} days. "
            f"It is not shown again."
        )
        self.stdout.write(token)


def token_create(user: User) -> str:
    """Make a token, and return the only copy; the database keeps its hash."""
    lifetime = datetime.timedelta(days=settings.API_TOKEN_DAYS)
    with transaction.atomic():
        stored, token = get_token_model().objects.create(user, lifetime, TOKEN_PREFIX)
        payload = {"expires": stored.expiry.isoformat(), "key": stored.token_key}
        audit.record("token.created", actor=None, subject=f"user:{user.pk}", payload=payload)
    return str(token)


def tokens_revoke(user: User) -> int:
    """End every token of the account; returns how many there were."""
    with transaction.atomic():
        count: int = user.auth_token_set.all().delete()[0]  # type: ignore[attr-defined]
        payload = {"count": count}
        audit.record("token.revoked", actor=None, subject=f"user:{user.pk}", payload=payload)
    return count
