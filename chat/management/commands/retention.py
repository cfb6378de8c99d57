"""Delete the text of old questions, answers and comments, but keep the record of what happened."""

from __future__ import annotations

import argparse
import datetime
import re
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from chat.retention import periods_end, texts_expired, texts_remove
from core.errors import MedragError
from core.progress import Progress


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--older-than",
            type=_age,
            metavar="DAYS",
            help="age in days, such as 365d, of every kind, in place of MEDRAG_RETENTION",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="only count what would be deleted"
        )

    def handle(self, *args: Any, older_than: datetime.timedelta | None, **options: Any) -> None:
        ends = periods_end(timezone.now(), older_than=older_than)
        if not ends:
            raise CommandError(
                "No period is set, so nothing was removed. Set MEDRAG_RETENTION, or give an age by "
                "--older-than."
            )
        counts = {what: rows.count() for what, rows in texts_expired(ends).items()}
        verb = "Would remove"
        if not options["dry_run"]:
            verb, total = "Removed", sum(counts.values())
            with Progress("Removing text", total=total, unit="rows") as progress:
                try:
                    counts = dict(texts_remove(ends, tell=progress.step))
                except MedragError as error:
                    raise CommandError(error.sentence) from error
        removed = ", ".join(f"{count} {what}" for what, count in counts.items())
        ages = ", ".join(f"{kind} of before {at:%Y-%m-%d %H:%M} UTC" for kind, at in ends.items())
        self.stdout.write(f"{verb} the text of {removed} ({ages}).")


def _age(text: str) -> datetime.timedelta:
    if not re.fullmatch(r"[1-9][0-9]{0,4}d", text):
        raise argparse.ArgumentTypeError("write a number of days, such as 365d")
    return datetime.timedelta(days=int(text[:-1]))
