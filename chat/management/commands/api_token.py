"""Create an API token and print it once, or revoke all tokens of an account."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.models import Scope
from chat.sign_in.tokens import BY_DEFAULT, token_create, tokens_revoke

MAX_DAYS = 3650


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="account that the token belongs to")
        parser.add_argument(
            "--revoke", action="store_true", help="revoke all tokens of the account"
        )
        parser.add_argument("--name", default="", help="purpose of the token, up to 100 characters")
        parser.add_argument(
            "--scope",
            action="append",
            choices=Scope.values,
            help=f"what the token allows; repeatable; by default {', '.join(BY_DEFAULT)}",
        )
        parser.add_argument(
            "--days", type=int, help="days until it expires; by default token_days of MEDRAG_API"
        )

    def handle(self, *, username: str, days: int | None, **options: Any) -> None:
        user = User.objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"There is no account named {username!r}.")
        if options["revoke"]:
            self.stderr.write(f"Revoked {tokens_revoke(user)} tokens of {username}.")
            return
        if not user.is_active:
            raise CommandError(f"The account {username!r} is not active.")
        days = settings.API_TOKEN_DAYS if days is None else days
        if not 1 <= days <= MAX_DAYS:
            raise CommandError(f"--days must be from 1 to {MAX_DAYS}.")
        name, scopes = options["name"][:100], options["scope"] or BY_DEFAULT
        token = token_create(user, name=name, scopes=scopes, days=days)
        self.stderr.write(f"A token for {username}, valid for {days} days. It is not shown again.")
        self.stdout.write(token)
