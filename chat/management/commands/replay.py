"""Run a stored question again and say whether the answer is the same, and what differs."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.models import Turn
from chat.replays.comparison import Group
from chat.replays.replay import Replay, turn_replay
from core.errors import MedragError

SCORES = 10  # values of the search that are shown; another document moves some hundred


class Command(BaseCommand):
    help = (
        "Run a stored question again and say whether outcome, statements and citations are the "
        "same, then everything that differs. Search, gate and verification run again; the "
        "answer of a language model is used as stored. Exit status 1 if the answer differs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "turn", help="id of the turn, as the API and the administration show it"
        )
        parser.add_argument(
            "--regenerate", action="store_true", help="also ask the language model again"
        )

        parser.add_argument(
            "--all", action="store_true", help=f"show all scores, not only the first {SCORES}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            replay = turn_replay(_turn(options["turn"]), regenerate=options["regenerate"])
        except MedragError as error:
            raise CommandError(error.sentence) from error
        self.stdout.write(as_text(replay, scores=None if options["all"] else SCORES))
        if not replay.verdict.is_whole:
            raise CommandError("The replay differs from the stored answer.")


def as_text(replay: Replay, *, scores: int | None) -> str:
    lines = [f"Turn {replay.turn.pk}: {replay.verdict.sentence}"]
    for change in replay.changed:
        lines += ["", change.heading, *(f"  {sentence}" for sentence in change.sentences)]
        shown = change.differences[: scores if change.group is Group.SCORES else None]
        for difference in shown:
            lines += [f"  {difference.place}", f"    stored: {difference.stored_text}"]
            lines += [f"    now:    {difference.now_text}"]
        if left_out := len(change.differences) - len(shown):
            lines.append(f"  {left_out} more values differ: --all shows them.")
    return "\n".join(lines if replay.changed else [*lines, "Nothing differs in any step."])


def _turn(raw: str) -> Turn:
    try:
        turn = Turn.objects.filter(pk=uuid.UUID(raw)).first()
    except ValueError:
        turn = None
    if turn is None:
        raise CommandError(f"There is no turn {raw}. Nothing was run.")
    return turn
