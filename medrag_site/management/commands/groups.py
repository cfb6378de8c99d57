"""Report how the groups differ from this release, and give them what they lack."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from chat.audit import log as audit
from medrag_site.groups import PERMISSIONS, groups_give, groups_standing


class Command(BaseCommand):
    help = "List the groups, and which rights of this release each lacks or has in addition."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--give",
            nargs="+",
            choices=[*PERMISSIONS],
            default=[],
            metavar="GROUP",
            help="give these groups the rights that they lack; additional rights stay",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if given := sorted(options["give"]):
            with transaction.atomic():
                groups_give(given)
                payload = {"groups": given}
                audit.record("groups.given", actor=None, subject="groups:all", payload=payload)
        for group in groups_standing():
            if not group.exists:
                self.stdout.write(f"{group.name}: not here (deleted or renamed)")
                continue
            self.stdout.write(f"{group.name}: {group.people} in it")
            for word, labels in (("lacks", group.lacks), ("besides", group.besides)):
                if labels:
                    self.stdout.write(f"  {word} {', '.join(labels)}")
