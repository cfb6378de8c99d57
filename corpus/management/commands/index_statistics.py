"""Compare the statistics of the search with the index."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from corpus.indexing import statistics


class Command(BaseCommand):
    help = "Count the index and say whether the rarity of words in it is right; status 1 if not."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repair", action="store_true", help="count everything anew")

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            drift = statistics.drift()
            if drift and options["repair"]:
                statistics.recount()
        if not drift:
            self.stdout.write("The statistics agree with the index.")
            return
        self.stdout.write(
            f"{drift.lexemes} words have another frequency than the index says"
            + ("; so have the totals." if drift.totals else ".")
        )
        if not options["repair"]:
            self.stdout.write("Rankings may suffer; nothing is lost. Run it with --repair.")
            raise SystemExit(1)
        self.stdout.write("They were counted anew.")
