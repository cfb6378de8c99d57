"""Report whether an account has a second factor, and remove one that was lost."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.sign_in.second_factor import has_device, recovery_codes_left, second_factor_remove


class Command(BaseCommand):
    help = "Say whether an account has a second factor; take it away when the device is lost."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the account")
        parser.add_argument("--remove", action="store_true", help="forget device and codes")

    def handle(self, *args: Any, **options: Any) -> None:
        account = User.objects.filter(username=options["name"]).first()
        if account is None:
            raise CommandError("There is no such account. Nothing was changed.")
        if options["remove"]:
            there = second_factor_remove(account, by=None)
            self.stdout.write("Taken away." if there else "There was none; nothing was changed.")
        else:
            left = recovery_codes_left(account)
            said = f"set up, {left} recovery codes left" if has_device(account) else "none"
            self.stdout.write(said)
