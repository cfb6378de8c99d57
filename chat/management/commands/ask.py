"""Ask a question in the terminal."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.api.answers import turn_payload
from chat.ask import turn_ask
from chat.management.asking import add_asking, asking_from
from chat.terminal import as_text
from chat.types import AskedQuestion
from core.errors import MedragError


class Command(BaseCommand):
    help = "Answer a question from the guidelines; prints the cited answer or the refusal."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("question")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        add_asking(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            turn = turn_ask(AskedQuestion(options["question"], **asking_from(options)))
        except MedragError as error:
            raise CommandError(error.sentence) from error
        if options["json"]:
            self.stdout.write(json.dumps(turn_payload(turn), ensure_ascii=False, indent=2))
        else:
            self.stdout.write(as_text(turn))
