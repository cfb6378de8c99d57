"""Search the guidelines in force, without gate or answer."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.api.problems import IdentifiersSeen
from chat.api.queries import passages_found
from chat.config import answer_config
from chat.errors import QuestionError
from corpus.management.arguments import asker_named
from corpus.parsing.clean import clean_text
from retrieval.filters import add_filters, filters_from


class Command(BaseCommand):
    help = "Print the best passages in force for a query, without a gate or an answer."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query")
        parser.add_argument("--json", action="store_true", help="print one JSON list")
        parser.add_argument("--k", type=int, default=10, help="number of passages, 1 to 50")
        parser.add_argument(
            "--surroundings", action="store_true", help="print each passage within its section"
        )
        add_filters(parser)
        parser.add_argument(
            "--user",
            help="who searches, with their rights; without a name only open collections are "
            "searched",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["k"] <= 50:
            raise CommandError("--k must be from 1 to 50.")
        reader = asker_named(options["user"])
        try:
            evidence, payload, kinds = passages_found(
                clean_text(options["query"]),
                reader=reader,
                k=options["k"],
                collections=options["collection"],
                filters=filters_from(options),
                surroundings=options["surroundings"],
            )
        except IdentifiersSeen as error:
            raise CommandError(str(error.detail)) from error
        except QuestionError as error:
            raise CommandError(error.sentence) from error
        if kinds:
            is_replaced = answer_config().identifiers == "redact"
            done = "replaced before the search" if is_replaced else "searched as typed"
            seen = f"Some words seem to identify a patient ({', '.join(kinds)}). They were {done}."
            self.stderr.write(seen)
        if options["json"]:
            self.stdout.write(json.dumps(payload, ensure_ascii=False, indent=2))
            return
        if not evidence.hits:
            self.stderr.write("No passage in force was found.")
        for hit, shown in zip(evidence.hits, payload, strict=True):
            self.stdout.write(f"{hit.rank}. {hit.title}, {hit.place}")
            if shown["stopped"]:
                self.stdout.write(f"   Do not use: {shown['stopped']}")
            self.stdout.write(f"   {' '.join(hit.text.split())[:300]}")
            if "surroundings" in shown:
                self.stdout.write(
                    f"   around it: {' '.join(shown['surroundings']['text'].split())}"
                )
