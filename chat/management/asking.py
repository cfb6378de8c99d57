"""Arguments shared by `manage.py ask` and `manage.py chat`: user, scope and mode."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from chat.models import Channel, Mode
from corpus.management.arguments import asker_named
from retrieval.filters import add_filters, filters_from


def add_asking(parser: CommandParser) -> None:
    """Add the arguments of both commands."""
    add_filters(parser)
    parser.add_argument(
        "--mode",
        choices=Mode.values,
        default="",
        help="how strictly the answer is checked; by default MEDRAG_MODE",
    )
    parser.add_argument(
        "--as-typed",
        action="store_true",
        help="correct no spelling and read no short form",
    )
    parser.add_argument(
        "--user",
        help="who asks: that person's rights apply, and the question is recorded as theirs",
    )


def asking_from(options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `turn_ask` for a command's options. Raises CommandError."""
    return {
        "user": asker_named(options["user"]),
        "channel": Channel.COMMAND,
        "collections": tuple(options["collection"]),
        "filters": filters_from(options),
        "mode": options["mode"],
        "as_typed": options["as_typed"],
    }
