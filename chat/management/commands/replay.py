"""Run a stored question again and name the first step that differs."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.models import Turn
from chat.replay import Replay, turn_replay
from core.errors import MedragError


class Command(BaseCommand):
    help = (
        "Run a stored question again and name the first step that differs. Search, gate and "
        "verification run again; the answer of a language model is used as stored. Exit "
        "status 1 if a step differs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "turn", help="id of the turn, as the API and the administration show it"
        )
        parser.add_argument(
            "--regenerate", action="store_true", help="also ask the language model again"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            replay = turn_replay(_turn(options["turn"]), regenerate=options["regenerate"])
        except MedragError as error:
            raise CommandError(error.sentence) from error
        self.stdout.write(as_text(replay))
        if replay.difference:
            raise CommandError("The replay differs from the stored answer.")


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
        raise CommandError(f"There is no turn {raw}. Nothing was run.")
    return turn
