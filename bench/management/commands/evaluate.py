"""Measure how well passages are found, on published data sets, in databases of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from bench.ablations.run import (
    ablation_lines,
    ablation_planned,
    ablation_run,
    ablation_write,
)
from bench.answers.asked import CHECKS, STAGES, read_answers_task
from bench.answers.asking import run_answers
from bench.answers.knowing_model import Saying
from bench.answers.model_asking import ModelOrder
from bench.answers.model_telling import model_lines
from bench.answers.questions import QuestionSet, read_questions
from bench.answers.services import (
    AnswersOrder,
    answers_folder_write,
    answers_material_write,
    answers_measure,
    answers_rows_write,
    model_folder_write,
    model_measure,
)
from bench.answers.telling import report_lines as report_lines_of_answers
from bench.child_work import run_child_task
from bench.datasets import FORMATS
from bench.datasets.types import Dataset
from bench.management.checker import checker_arguments, checker_run, claims_checked
from bench.management.real_model import real_model_arguments, real_model_ask
from bench.management.silver import silver_arguments, silver_run
from bench.real_model.asked import read_real_task
from bench.real_model.asking import real_model_run
from bench.reports import Order, folder_write, report_lines, runs_measure
from bench.runs import databases
from bench.runs.child_tasks import Failed, Source, read_task
from bench.runs.configurations import NAMED, Recipe, configuration
from bench.runs.errors import refuse_faulty
from evaluation.folders import refuse_unwritable, refuse_used
from evaluation.management.commands import evaluate

WHAT = """\
retrieval: measure one search configuration on a data set; writes run, judgements and metrics;
ablation: measure each switch against the default, in one table;
answers: ask the questions of --testset on the documents of --documents; judged by patterns;
checks: ask them with each check of facts and without it; or count which claims of --pairs FILE
only they stop;
model: ask them with a language model that knows the answers or lies;
real: serve a GGUF model from --model DIR and ask sample questions with it as writer and as judge;
checker: measure verifiers on labelled pairs of claim and evidence (--pairs FILE, or scifact);
silver: have the model of [teacher] write claims and label them, of `documents` in force, of stored
`answers`, or of the gold answers of a question set, to train on; goes on where it ended;
databases: list the databases of data sets that are kept; drop NAME... drops some, drop all drops
those of this site;
work: internal; the other commands start it as a child process.
"""


class Command(evaluate.Command):
    help = (
        "Evaluate answers on question sets, and measure search, answers and verifiers on "
        "published data."
    )
    what = evaluate.Command.what + WHAT

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--dataset", type=Path, metavar="DIR", help="folder of the data set")
        parser.add_argument("--format", choices=FORMATS, help="format of the data set")
        parser.add_argument(
            "--queries",
            default="",
            help="medquad-liveqa: summary, original or paraphrase",
        )
        parser.add_argument(
            "--config",
            default="default",
            metavar="NAME",
            help=f"one of {', '.join(NAMED)}, or switches such as 'fusion=sum k=5'",
        )
        parser.add_argument("--testset", type=Path, metavar="FILE", help="answers, model: JSON list of questions with patterns of a right answer")  # noqa: E501  # fmt: skip
        parser.add_argument("--documents", type=Path, metavar="DIR", help="answers, model: folder of the files that the questions are about")  # noqa: E501  # fmt: skip
        parser.add_argument(
            "--material",
            action="store_true",
            help="answers: ask nothing; write the training data of `train choice` and `train gate`",
        )
        parser.add_argument(
            "--stages",
            action="store_true",
            help="answers: ask nothing; count at which stage the text that answers is lost",
        )
        parser.add_argument("--mode", choices=list(Saying), default=Saying.QUOTE, help="model: how the model answers; free and lie need --claims")  # noqa: E501  # fmt: skip
        parser.add_argument("--claims", type=Path, metavar="FILE", help="model: JSON object of claims by question id")  # noqa: E501  # fmt: skip
        parser.add_argument("--gate", choices=("shipped", "open"), default="shipped", help="model: open lets every question pass the gate")  # noqa: E501  # fmt: skip
        parser.add_argument("--judged", action="store_true", help="model: use a judge that is always right in place of the checker")  # noqa: E501  # fmt: skip
        parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="ablation: measure only the default and rows with TEXT in their name or in that of their index; 'as set' selects all that need no index of their own; repeatable")  # noqa: E501  # fmt: skip
        parser.add_argument("--rebuild", action="store_true", help="index the documents again")
        checker_arguments(parser)
        real_model_arguments(parser)
        silver_arguments(parser)

    def _works(self) -> dict[str, Any]:
        return {
            **super()._works(),
            "retrieval": self._retrieval,
            "ablation": self._ablation,
            "answers": self._answers,
            "checks": self._checks,
            "model": self._model,
            "real": self._real,
            "checker": self._checker,
            "silver": partial(silver_run, say=self._say),
            "databases": self._databases,
            "drop": self._drop,
            "work": self._work,
        }

    def _retrieval(self, options: dict[str, Any]) -> None:
        order, out = _ordered(options)
        wanted = configuration(options["config"])
        refuse_faulty([wanted])
        dataset = self._read(order.source)
        (result,) = runs_measure(order, dataset, [wanted], recipe=Recipe(), say=self._say)
        if isinstance(result, Failed):
            raise CommandError(f"{result.name} failed: {result.why}")
        folder_write(out, dataset, result)
        self._print(report_lines(dataset, result))
        self._say(f"Written to {out}")

    def _ablation(self, options: dict[str, Any]) -> None:
        order, out = _ordered(options)
        ablation = ablation_planned(options["only"])
        dataset = self._read(order.source)

        def keep() -> None:
            ablation_write(out, dataset, ablation)

        try:
            ablation_run(order, dataset, ablation, say=self._say, keep=keep)
        finally:  # also after an interruption
            if ablation.found:
                keep()
                self._print(ablation_lines(dataset, ablation))
                self._say(f"Written to {out}")
        if ablation.failed:
            raise CommandError(
                f"{len(ablation.failed)} of {len(ablation.wanted)} rows failed: "
                f"{', '.join(ablation.failed)}. The others are measured and written."
            )

    def _answers(self, options: dict[str, Any]) -> None:
        found, order, out = _questions_read(options)
        if options["material"]:
            answers_material_write(found, order, out, say=self._say)
            self._say(f"Written to {out}")
            return
        if options["stages"]:
            self._print(answers_rows_write(found, order, out, STAGES, say=self._say))
            self._say(f"Written to {out}")
            return
        result = answers_measure(found, order, say=self._say)
        answers_folder_write(out, result)
        self._print(report_lines_of_answers(found, result.asked, result.intervals))
        self._say(f"Written to {out}")

    def _checks(self, options: dict[str, Any]) -> None:
        """Measure checks on questions (--testset), and on claims (--pairs, or scifact)."""
        if options["testset"]:
            found, order, out = _questions_read(options)
            self._print(answers_rows_write(found, order, out, CHECKS, say=self._say))
        else:
            out = Path(options["out"] or ".")
            self._print(claims_checked(options, self._say))
        self._say(f"Written to {out}")

    def _model(self, options: dict[str, Any]) -> None:
        if options["mode"] in (Saying.FREE, Saying.LIE) and not options["claims"]:
            raise CommandError(f"--mode {options['mode']} needs --claims FILE.")
        found, order, out = _questions_read(options)
        claims = str(options["claims"].resolve()) if options["claims"] else ""
        model = ModelOrder(options["mode"], claims, options["gate"] == "open", options["judged"])
        asked = model_measure(found, order, model, say=self._say)
        model_folder_write(out, asked, model)
        self._print(model_lines(asked, model))
        self._say(f"Written to {out}")

    def _real(self, options: dict[str, Any]) -> None:
        self._print(real_model_ask(options, self._say))
        self._say(f"Written to {options['out']}")

    def _checker(self, options: dict[str, Any]) -> None:
        self._print(checker_run(options, self._say))
        self._say(f"Written to {options['out']}")

    def _read(self, source: Source) -> Dataset:
        """Read the data set. Raises DatasetError."""
        self._say(f"Reading {source.folder}")
        return source.read()

    def _databases(self, options: dict[str, Any]) -> None:
        kept = databases.databases_kept()
        for each in kept:
            held = (
                f"{each.note['name']}, {each.note['passages']} passages"
                if "passages" in each.note
                else "not filled completely"
            )
            whose = "" if each.is_ours else ", may belong to another site"
            self._say(f"{each.name}  {each.size_bytes / 1e6:9.1f} MB  {held}{whose}")
        if not kept:
            self._say("No databases are kept.")

    def _drop(self, options: dict[str, Any]) -> None:
        names: list[str] = options["arguments"]
        if names == ["all"]:
            names = self._names_of_ours()
        elif not names:
            raise CommandError("Name databases as evaluate databases lists them, or all.")
        kept: list[str] = []
        for name in dict.fromkeys(names):
            try:
                databases.database_drop(name)
            except databases.NoSuchDatabase as error:
                kept.append(error.sentence)
            else:
                self._say(f"{name} was dropped")
        if kept:
            raise CommandError("\n".join(kept))

    def _names_of_ours(self) -> list[str]:
        kept = databases.databases_kept()
        for each in kept:
            if not each.is_ours:
                self._say(f"{each.name} is kept: it may belong to another site. Drop it by name.")
        return [each.name for each in kept if each.is_ours]

    def _work(self, options: dict[str, Any]) -> None:
        if len(options["arguments"]) != 1:
            raise CommandError("This is internal: other evaluate commands start it.")
        path = Path(options["arguments"][0])
        try:
            if answers := read_answers_task(path):
                run_answers(answers, self._say)
            elif real := read_real_task(path):
                real_model_run(real, self._say)
            else:
                run_child_task(read_task(path), self._say)
        except BrokenPipeError as error:  # the parent has ended
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise CommandError("The process that started this has ended.") from error

    def _print(self, lines: Iterable[str]) -> None:
        self.stdout.write("\n" + "\n".join(lines) + "\n")


def _ordered(options: dict[str, Any]) -> tuple[Order, Path]:
    """Check the options and the output folder; return the order and the folder. Reads no data."""
    missing = [name for name in ("dataset", "format", "out") if not options[name]]
    if missing or options["arguments"]:
        raise CommandError(
            "--dataset DIR, --format and --out DIR are needed, and no other arguments."
        )
    if options["limit"] < 0:
        raise CommandError("--limit must be a number of queries, at least 1.")
    out = Path(options["out"])
    refuse_unwritable(out)
    refuse_used(out)
    source = Source(
        folder=str(options["dataset"].resolve()),
        form=options["format"],
        split=options["split"],
        queries=options["queries"],
        limit=options["limit"],
    )
    return Order(source, rebuild=options["rebuild"]), out


def _questions_read(options: dict[str, Any]) -> tuple[QuestionSet, AnswersOrder, Path]:
    """Return the questions, the order and the output folder. Raises DatasetError."""
    missing = [name for name in ("testset", "documents", "out") if not options[name]]
    if missing or options["arguments"]:
        raise CommandError("--testset FILE, --documents DIR and --out DIR are needed.")
    out = Path(options["out"])
    refuse_unwritable(out)
    refuse_used(out)
    testset, documents, limit = options["testset"], options["documents"], options["limit"]
    found = read_questions(testset, documents, limit=limit)
    return found, AnswersOrder(testset, documents, limit, options["rebuild"]), out
