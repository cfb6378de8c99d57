"""Ask a question in the terminal."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.api.answers import turn_payload
from chat.models import Channel, Mode
from chat.services import turn_ask
from chat.terminal import as_text
from core.errors import MedragError
from corpus.management.arguments import asker_named
from retrieval.filters import add_filters, filters_from


class Command(BaseCommand):
    help = "Ask a question; prints the cited answer or the refusal."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("question")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--collection", action="append", default=[], metavar="SLUG", help="search only here"
        )
        add_filters(parser)
        parser.add_argument(
            "--mode", choices=Mode.values, default="", help="what the answer has to pass"
        )
        parser.add_argument("--user", help="who asks, with their rights; it is recorded as theirs")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            turn = turn_ask(
                options["question"],
                user=asker_named(options["user"]),
                channel=Channel.COMMAND,
                collections=tuple(options["collection"]),
                filters=filters_from(options),
                mode=options["mode"],
            )
        except MedragError as error:
            raise CommandError(error.sentence) from error
        if options["json"]:
            self.stdout.write(json.dumps(turn_payload(turn), ensure_ascii=False, indent=2))
        else:
            self.stdout.write(as_text(turn))
