"""Compare the statistics of the search with the index."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from corpus.indexing import statistics


class Command(BaseCommand):
    help = (
        "Compare the word statistics used for ranking with the index. Exit status 1 if they differ."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--repair", action="store_true", help="count everything again and store it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            drift = statistics.drift()
            if drift and options["repair"]:
                statistics.recount()
        if not drift:
            self.stdout.write("The statistics agree with the index.")
            return
        self.stdout.write(
            f"The frequencies of {drift.lexemes} words differ from the index"
            + ("; so do the totals." if drift.totals else ".")
        )
        if not options["repair"]:
            self.stdout.write(
                "Rankings may be worse; nothing is lost. Run manage.py index_statistics --repair."
            )
            raise SystemExit(1)
        self.stdout.write("They were counted again and are right now.")
