"""Report whether an account has a second factor, and remove one that was lost."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.sign_in.second_factor import has_device, recovery_codes_left, second_factor_remove


class Command(BaseCommand):
    help = "Tell whether an account has a second factor, or remove a lost one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="name of the account")
        parser.add_argument(
            "--remove", action="store_true", help="remove the device and the recovery codes"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        account = User.objects.filter(username=options["name"]).first()
        if account is None:
            raise CommandError("There is no such account. Nothing was changed.")
        if options["remove"]:
            there = second_factor_remove(account, by=None)
            self.stdout.write(
                "The second factor was removed."
                if there
                else ("The account had none; nothing was changed.")
            )
        else:
            count = recovery_codes_left(account)
            state = f"set up, {count} recovery codes left" if has_device(account) else "none"
            self.stdout.write(state)
