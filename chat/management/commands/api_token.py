"""Make a token for the API and print it once, or revoke an account's tokens."""

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
        parser.add_argument("username")
        parser.add_argument(
            "--revoke", action="store_true", help="End all tokens of the account at once."
        )
        parser.add_argument("--name", default="", help="What it is for; up to 100 characters.")
        parser.add_argument(
            "--scope",
            action="append",
            choices=Scope.values,
            help=f"What it may be used for; may be repeated. Without: {', '.join(BY_DEFAULT)}.",
        )
        parser.add_argument(
            "--days", type=int, help="When it ends; token_days of MEDRAG_API without."
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
            raise CommandError(f"A token is good for 1 to {MAX_DAYS} days.")
        name, scopes = options["name"][:100], options["scope"] or BY_DEFAULT
        token = token_create(user, name=name, scopes=scopes, days=days)
        self.stderr.write(f"A token for {username}, good for {days} days. It is not shown again.")
        self.stdout.write(token)
