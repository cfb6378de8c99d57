"""Learn the weights by which statements are chosen, or those of the gate for language models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bench.answers.answerable import answerable_learn
from bench.answers.choice import choice_learn
from core.errors import MedragError
from evaluation.folders import refuse_unwritable

WHAT = """\
choice: weights of the features of a statement, from `evaluate answers --material`;
gate: probability that the passages hold the answer, from the same data.
"""
LEARN = {"choice": choice_learn, "gate": answerable_learn}


class Command(BaseCommand):
    help = "Learn the weights of the choice of statements, or of the gate of language models."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=list(LEARN), help=WHAT)
        parser.add_argument("--data", type=Path, action="append", required=True, metavar="DIR", help="folder that `evaluate answers --material` wrote; repeatable")  # noqa: E501  # fmt: skip
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the result")  # noqa: E501  # fmt: skip
        parser.add_argument("--name", default="own", help="version of the result")

    def handle(self, *args: Any, **options: Any) -> None:
        files = [folder / "choice.jsonl" for folder in options["data"]]
        try:
            refuse_unwritable(options["out"])
            LEARN[options["what"]](
                files, options["out"], name=options["name"], say=self.stdout.write
            )
        except MedragError as error:
            raise CommandError(error.sentence) from error
