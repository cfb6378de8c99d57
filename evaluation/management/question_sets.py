"""Run `manage.py evaluate import`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from corpus.management.arguments import person_named
from evaluation.question_set_services import SetFacts, notes_of, question_set_store
from evaluation.question_sets import FORMS, read_question_set

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
