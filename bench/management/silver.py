"""Arguments and work of `manage.py evaluate silver`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from bench.silver.asked import found_passages, read_passages
from bench.silver.teacher import Asked
from bench.silver.writing import silver_write
from core.progress import Progress
from corpus.management.arguments import asker_named
from evaluation.management.question_runs import question_set_named
from evaluation.question_runs.freezing import Budget

_BUDGET = ("budget_questions", "budget_s", "budget_tokens")


def silver_arguments(parser: CommandParser) -> None:
    """Add the argument that only `silver` has; it shares --out, --asker and --budget-*."""
    parser.add_argument("--passages", type=Path, metavar="FILE", help='silver: JSON lines {"question", "passage"}, instead of a question set')  # noqa: E501  # fmt: skip


def silver_run(options: dict[str, Any], say: Callable[[str], None]) -> None:
    """Write a silver set, or continue one. Raises CommandError, MedragError."""
    named, file = options["arguments"], options["passages"]
    if not options["out"] or bool(named) == bool(file) or len(named) > 1:
        raise CommandError("silver takes a question set or --passages FILE, and --out DIR.")
    if options["limit"]:
        raise CommandError("silver has no --limit. Use --budget-questions.")
    if not all(options[name] >= 0 for name in _BUDGET):
        raise CommandError("A budget must be at least 0.")
    budget = Budget(*(options[name] for name in _BUDGET))
    total, asked = _asked(file, named, options["asker"])
    with Progress("  Asking", total, "passages") as progress:
        told = silver_write(asked, options["out"], budget=budget, on_passage=progress.step)
    for line in told.lines():
        say(line)
    say(f"Written to {options['out']}")


def _asked(file: Path | None, named: list[str], asker: str | None) -> tuple[int, Iterable[Asked]]:
    """Return the number of passages, 0 if unknown before the search, and the passages."""
    if file:
        read = read_passages(file)
        return len(read), read
    return 0, found_passages(question_set_named(named), asker=asker_named(asker))
