"""Train a checker or a reader, or learn the weights of the choice or of the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bench.training.answerable import answerable_learn
from bench.training.choice import choice_learn
from bench.training.services import TASKS, Order, model_train
from core.errors import MedragError
from evaluation.folders import refuse_unwritable, refuse_used

WHAT = """\
checker, reader: a model for [checker] or [reader] of MEDRAG_MODELS, from FILE... that
`evaluate silver` wrote, each with its --licence;
choice: weights of the features of a statement, from `evaluate answers --material`;
gate: probability that the passages hold the answer, from the same data.
"""
LEARN = {"choice": choice_learn, "gate": answerable_learn}


class Command(BaseCommand):
    help = "Train a checker or a reader, or learn the weights of the choice or of the gate."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=[*TASKS, *LEARN], help=WHAT)
        parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="checker, reader: JSON lines, packed by gzip or not")  # noqa: E501  # fmt: skip
        parser.add_argument("--licence", action="append", default=[], metavar="TEXT", help="checker, reader: the licence of each FILE, in their order; the card tells it")  # noqa: E501  # fmt: skip
        parser.add_argument("--base", type=Path, metavar="DIR", help="checker, reader: another encoder than the bundled one to start from")  # noqa: E501  # fmt: skip
        parser.add_argument("--held", type=float, default=0.2, metavar="SHARE", help="checker, reader: share of the documents to stop and to judge by")  # noqa: E501  # fmt: skip
        parser.add_argument("--epochs", type=int, default=10, help="checker, reader: at most")
        parser.add_argument("--seed", type=int, default=0, help="checker, reader: of order and split")  # noqa: E501  # fmt: skip
        parser.add_argument("--data", type=Path, action="append", default=[], metavar="DIR", help="choice, gate: folder that `evaluate answers --material` wrote; repeatable")  # noqa: E501  # fmt: skip
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the result")  # noqa: E501  # fmt: skip
        parser.add_argument("--name", default="own", help="choice, gate: version of the result")

    def handle(self, *args: Any, **options: Any) -> None:
        what, out = options["what"], options["out"]
        try:
            refuse_unwritable(out)
            if what in TASKS:
                refuse_used(out)
                card = model_train(_order(options), say=self.stdout.write)
                self.stdout.write("\n".join(card))
                return
            if not options["data"] or options["files"]:
                raise CommandError(f"{what} takes --data DIR, and no FILE.")
            files = [folder / "choice.jsonl" for folder in options["data"]]
            LEARN[what](files, out, name=options["name"], say=self.stdout.write)
        except MedragError as error:
            raise CommandError(error.sentence) from error


def _order(options: dict[str, Any]) -> Order:
    files, licences = options["files"], options["licence"]
    if not files or len(files) != len(licences) or options["data"]:
        raise CommandError("Give FILE..., and a --licence for each. Nothing was trained.")
    if missing := [path for path in files if not path.is_file()]:
        raise CommandError(f"There is no file {missing[0]}. Nothing was trained.")
    if not (0 < options["held"] < 1 and options["epochs"] > 0):
        raise CommandError("--held is between 0 and 1, --epochs above 0. Nothing was trained.")
    chosen = {name: options[name] for name in ("out", "base", "held", "epochs", "seed")}
    return Order(options["what"], dict(zip(files, licences, strict=True)), **chosen)
