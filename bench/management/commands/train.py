"""Train a small model on public rows, and write it in the form that the site runs."""

from __future__ import annotations

from dataclasses import replace
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
    "epochs": "most passes over the examples",
    "batch": "examples per step",
    "evaluate_every": "steps from one evaluation to the next",
    "patience": "stop after this many evaluations without an improvement",
}


class Command(BaseCommand):
    help = "Train a small model from the bundled encoder; the same command continues a killed run."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["reader", "checker", "choice", "gate"], help=WHAT)
        parser.add_argument("--data", type=Path, action="append", required=True, metavar="DIR", help="folder of .jsonl or .jsonl.gz files, or one such file, or the output of `evaluate silver`; repeatable")  # noqa: E501  # fmt: skip
        parser.add_argument("--licence", choices=["open", "any"], default="open", help="open skips data whose licence is not stated or not verified")  # noqa: E501  # fmt: skip
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of checkpoint and model; a killed run continues there")  # noqa: E501  # fmt: skip
        parser.add_argument("--export", action="store_true", help="don't train: write the best model of the checkpoint so far")  # noqa: E501  # fmt: skip
        parser.add_argument("--body", type=Path, metavar="DIR", help="encoder of BERT's family to start from; by default the bundled one")  # noqa: E501  # fmt: skip
        parser.add_argument("--start", type=Path, metavar="DIR", help="start from the best weights of that folder, with other data")  # noqa: E501  # fmt: skip
        parser.add_argument("--name", default="own", help="choice, gate: version of the result")
        parser.add_argument("--precision", choices=["auto", "float32", "bfloat16"], default="auto", help="auto: bfloat16 where the processor has AMX, or on a GPU")  # noqa: E501  # fmt: skip
        parser.add_argument("--threads", type=int, default=2, help="processor threads")
        parser.add_argument("--limit", type=int, default=0, metavar="N", help="a quick look: use only N rows")  # noqa: E501  # fmt: skip
        for name, meaning in _NUMBERS.items():
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(option, type=int, default=getattr(Settings, name), help=meaning)

    def handle(self, *args: Any, **options: Any) -> None:
        for name in ("epochs", "batch", "evaluate_every", "patience", "threads"):
            if options[name] < 1:
                raise CommandError(f"--{name.replace('_', '-')} must be 1 or more.")
        if options["limit"] < 0:
            raise CommandError("--limit must be a number of rows, at least 1.")
        if options["what"] in ("choice", "gate"):
            self._learn(options)
            return
        from bench.training import runs

        order = runs.Order(
            task=options["what"],
            folders=tuple(options["data"]),
            out=options["out"],
            is_open=options["licence"] == "open",
            settings=replace(
                Settings(),
                bfloat16=runs.is_bfloat16(options["precision"]),
                **{name: options[name] for name in _NUMBERS},
            ),
            body=options["body"],
            start=options["start"],
            threads=options["threads"],
            limit=options["limit"],
        )
        try:
            refuse_unwritable(order.out)
            run = runs.model_write if options["export"] else runs.model_train
            run(order, say=self._say)
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
