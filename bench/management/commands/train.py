"""Train a small model on public rows, and write it in the form that the site runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bench.answers.answerable import answerable_learn
from bench.answers.choice import choice_learn
from bench.training.types import Settings
from core.errors import MedragError
from evaluation.folders import refuse_unwritable

WHAT = """\
reader: selects the statement of a passage that answers a question, or none;
checker: decides whether evidence supports a claim, contradicts it or says nothing about it;
choice: weights of the features of a statement, from `evaluate answers --material`;
gate: probability that the passages hold the answer, from the same data.
"""
_NUMBERS = {
    "seed": "seed of the order of the examples and of the head's first weights",
    "epochs": "passes over the examples; the weights of the best are kept",
    "batch": "examples per step",
}


class Command(BaseCommand):
    help = "Train a small model from the bundled encoder."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["reader", "checker", "choice", "gate"], help=WHAT)
        parser.add_argument("--data", type=Path, action="append", required=True, metavar="DIR", help="folder of .jsonl or .jsonl.gz files, or one such file; repeatable")  # noqa: E501  # fmt: skip
        parser.add_argument("--licence", choices=["open", "any"], default="open", help="open skips data whose licence is not stated or not verified")  # noqa: E501  # fmt: skip
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the model")  # noqa: E501  # fmt: skip
        parser.add_argument("--body", type=Path, metavar="DIR", help="encoder of BERT's family to start from; by default the bundled one")  # noqa: E501  # fmt: skip
        parser.add_argument("--name", default="own", help="choice, gate: version of the result")
        parser.add_argument("--threads", type=int, default=2, help="processor threads")
        for name, meaning in _NUMBERS.items():
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(option, type=int, default=getattr(Settings, name), help=meaning)

    def handle(self, *args: Any, **options: Any) -> None:
        for name in ("epochs", "batch", "threads"):
            if options[name] < 1:
                raise CommandError(f"--{name.replace('_', '-')} must be 1 or more.")
        if options["what"] in ("choice", "gate"):
            self._learn(options)
            return
        from bench.training import runs

        order = runs.Order(
            task=options["what"],
            folders=tuple(options["data"]),
            out=options["out"],
            is_open=options["licence"] == "open",
            settings=Settings(**{name: options[name] for name in _NUMBERS}),
            body=options["body"],
            threads=options["threads"],
        )
        try:
            refuse_unwritable(order.out)
            runs.model_train(order, say=self._say)
        except MedragError as error:
            raise CommandError(error.sentence) from error

    def _learn(self, options: dict[str, Any]) -> None:
        try:
            refuse_unwritable(options["out"])
            files = [folder / "choice.jsonl" for folder in options["data"]]
            learn = choice_learn if options["what"] == "choice" else answerable_learn
            learn(files, options["out"], name=options["name"], say=self._say)
        except MedragError as error:
            raise CommandError(error.sentence) from error

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
