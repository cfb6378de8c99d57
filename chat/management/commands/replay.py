"""Run a stored turn again and name the first difference."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.models import Turn
from chat.replay import Replay, turn_replay
from core.errors import MedragError


class Command(BaseCommand):
    help = (
        "Run a stored turn again: search, gate and verification anew, a language model's answer "
        "as stored. Exits with status 1 if something differs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("turn", help="its number, as the API and the administration show it")
        parser.add_argument(
            "--regenerate", action="store_true", help="ask the language model again"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            replay = turn_replay(_turn(options["turn"]), regenerate=options["regenerate"])
        except MedragError as error:
            raise CommandError(error.sentence) from error
        self.stdout.write(as_text(replay))
        if replay.difference:
            raise CommandError("The replay came out otherwise.")


def as_text(replay: Replay) -> str:
    if replay.difference is None:
        return f"Turn {replay.turn.pk}: the same in every step."
    found = replay.difference
    return "\n".join(
        [
            f"Turn {replay.turn.pk}: the first difference is at {found.place}.",
            f"  stored: {found.stored_text}",
            f"  now:    {found.now_text}",
        ]
    )


def _turn(raw: str) -> Turn:
    try:
        turn = Turn.objects.filter(pk=uuid.UUID(raw)).first()
    except ValueError:
        turn = None
    if turn is None:
        raise CommandError(f"There is no turn {raw}.")
    return turn
