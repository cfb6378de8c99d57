"""Arguments and work of `manage.py evaluate silver`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from bench.silver.material import Row, of_documents, of_questions, of_turns
from bench.silver.teaching import FILE, PROMPTS, report_lines, silver_write
from corpus.management.arguments import asker_named
from evaluation.folders import refuse_unwritable
from evaluation.management.question_runs import question_set_named


def silver_arguments(parser: CommandParser) -> None:
    """Add the arguments that only `silver` has; it shares --out, --limit, --seed and --asker."""
    parser.add_argument("--twice", action="store_true", help="silver: label twice, keep claims with equal labels, and say how many these are")  # noqa: E501  # fmt: skip
    parser.add_argument("--with-questions", action="store_true", help="silver: also send and keep the questions of answers, which may tell of patients")  # noqa: E501  # fmt: skip


def silver_run(options: dict[str, Any], say: Callable[[str], None]) -> None:
    """Write a silver set, or continue one. Raises CommandError, MedragError."""
    out, limit = options["out"], options["limit"]
    if not settings.MODELS.teacher.url:
        raise CommandError("silver needs [teacher] of MEDRAG_MODELS. Nothing was sent.")
    if fault := next(filter(None, (prompt.fault() for prompt in PROMPTS)), ""):
        raise CommandError(f"The prompt {fault} Nothing was sent.")
    if not out or limit < 1:
        raise CommandError(
            "silver needs --out DIR and --limit N: the statements or answers to send now, with two "
            "calls each, or three with --twice. Nothing was sent."
        )
    refuse_unwritable(out)
    chosen = {name: options[name] for name in ("twice", "with_questions")}
    rows = silver_write(_materials(options), out, limit=limit, **chosen)
    for line in (*report_lines(rows), f"Written to {out / FILE}"):
        say(line)


def _materials(options: dict[str, Any]) -> Iterator[Row]:
    asker, seed, teacher = asker_named(options["asker"]), options["seed"], settings.MODELS.teacher
    if options["arguments"] == ["documents"]:
        return of_documents(asker, seed=seed)
    if options["arguments"] != ["answers"]:
        return of_questions(question_set_named(options["arguments"]), asker, seed=seed)
    if teacher.model in {endpoint.model for endpoint in settings.MODELS.generate}:
        raise CommandError("[teacher] writes this site's answers: no model labels its own.")
    return of_turns(asker, seed=seed)
