"""Evaluate answers on question sets: store sets, start and compare runs, judge a release."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import MedragError
from corpus.management.arguments import person_named
from evaluation.management.question_runs import (
    question_run_arguments,
    question_run_export,
    question_run_gate,
    question_run_show,
    question_run_start,
    question_runs_compare,
    question_runs_list,
)
from evaluation.question_set_services import SetFacts, notes_of, question_set_store
from evaluation.question_sets import FORMS, read_question_set

Work = Callable[[dict[str, Any]], None]


class Command(BaseCommand):
    help = "Evaluate answers on question sets."
    what = """\
import FORM PATH: store a question set for evaluations on the site's own guidelines;
run SET: ask a question set, given by number or name;
list, show NUMBER, export NUMBER: list runs, show one, export one;
compare NUMBER NUMBER: compare two runs of a question set by a paired test, second minus first;
gate: judge whether --candidate RUN may be released, against --baseline RUN by --rules FILE;
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=list(self._works()), help=self.what)
        parser.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="as above")
        parser.add_argument("--split", default="", help="split of the data set, such as test; each format has a default")  # noqa: E501  # fmt: skip
        parser.add_argument("--limit", type=int, default=0, metavar="N", help="a quick look: only the first N questions")  # noqa: E501  # fmt: skip
        parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the results, which must be empty or new")  # noqa: E501  # fmt: skip
        parser.add_argument("--user", metavar="NAME", help="who is recorded")
        question_set_arguments(parser)
        question_run_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with _terminated_as_interrupted():
                self._works()[options["what"]](options)
        except MedragError as error:
            raise CommandError(error.sentence) from error

    def _works(self) -> dict[str, Work]:
        works = {
            "import": question_set_import,
            "run": question_run_start,
            "list": question_runs_list,
            "show": question_run_show,
            "export": question_run_export,
            "compare": question_runs_compare,
            "gate": question_run_gate,
        }
        return {name: partial(work, say=self._say) for name, work in works.items()}

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Let SIGTERM end this process like Ctrl-C inside the context.

    Otherwise a child process would go on alone, and results so far would not be written.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set signal handlers
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


SHOWN = 20  # records left out that are printed
_LONGEST = {"name": 200, "set_version": 50, "source": 500, "licence": 200, "split": 50}


def question_set_arguments(parser: CommandParser) -> None:
    """Add the arguments that only `import` has; it also uses --split and --user."""
    group = parser.add_argument_group("import")
    group.add_argument(
        "--name", default="", help="name of the set or run; by default that of the file or set"
    )
    group.add_argument(
        "--set-version", default="", metavar="TEXT", help="version of the set, such as 2024-05"
    )
    group.add_argument("--source", default="", help="where the set is from, such as an address")
    group.add_argument("--licence", default="", help="what the set may be used for")


def question_set_import(options: dict[str, Any], say: Callable[[str], None]) -> None:
    """Store the questions of a file. Raises DatasetError, DuplicateQuestionSet, CommandError."""
    form, path, by = _asked_for(options)
    read = read_question_set(path, form=form, split=options["split"])
    name = options["name"] or path.name.partition(".")[0]
    facts = SetFacts(name, options["set_version"], options["source"], options["licence"])
    question_set = question_set_store(read, facts, by=by)
    say(f"{question_set} is stored (number {question_set.pk}). Questions: {len(read.items)}")
    if read.problems:
        say(f"Left out: {len(read.problems)}")
    for note in notes_of(read.problems, most=SHOWN):
        say(f"  {note}")


def _asked_for(options: dict[str, Any]) -> tuple[str, Path, User | None]:
    arguments = options["arguments"]
    if len(arguments) != 2 or arguments[0] not in FORMS:
        raise CommandError(f"import takes a form and a path. Forms: {', '.join(FORMS)}.")
    for option, most in _LONGEST.items():
        if len(options[option]) > most:
            raise CommandError(f"--{option.replace('_', '-')} is longer than {most} characters.")
    return arguments[0], Path(arguments[1]), person_named(options["user"])
