"""Report what works and what does not."""

from typing import Any

from django.core.management.base import BaseCommand

from medrag_site import doctor

MARKS = {True: "ok  ", None: "todo", False: "FAIL"}


class Command(BaseCommand):
    help = (
        "Check the installation, one line each: ok, todo or FAIL. Exit status 1 if a check fails."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        bad = False
        for finding in doctor.examine():
            self.stdout.write(f"{MARKS[finding.ok]}  {finding.name:<10}  {finding.detail}")
            bad = bad or finding.ok is False
        if bad:
            raise SystemExit(1)
