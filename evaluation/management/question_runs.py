"""Run `manage.py evaluate run`, `list`, `show`, `compare`, `export` and `gate`: question runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.errors import MedragError
from core.progress import Progress
from corpus.management.arguments import asker_named, person_named
from evaluation.folders import refuse_unwritable, refuse_used
from evaluation.measures.measure import MEASURES
from evaluation.models import QuestionRun, QuestionSet, RunState
from evaluation.question_runs.comparing import (
    comparison_lines,
    runs_of_questions_compared,
    started_otherwise,
)
from evaluation.question_runs.export import run_export
from evaluation.question_runs.freezing import Budget, RunOrder
from evaluation.question_runs.gating import read_rules, release_judged
from evaluation.question_runs.selectors import (
    ENDED,
    question_runs_listed,
    run_lines,
    run_progress,
)
from evaluation.question_runs.services import (
    question_run_cancel,
    question_run_create,
    question_run_execute,
    question_run_measure_again,
    question_run_resume,
)

Say = Callable[[str], None]


def question_run_arguments(parser: CommandParser) -> None:
    """Add the arguments that only `run` and `gate` have.

    `run` also uses --name, --limit, --user and --out, which are added elsewhere.
    """
    group = parser.add_argument_group("run")
    group.add_argument("--here", action="store_true", help="ask in this process, not in the worker; after Ctrl-C, --resume continues the run")  # noqa: E501  # fmt: skip
    group.add_argument("--resume", type=int, metavar="NUMBER", help="continue this run")
    group.add_argument("--measure-again", type=int, metavar="NUMBER", help="have a judge fill in missing measures of this run; no question is asked again")  # noqa: E501  # fmt: skip
    group.add_argument("--judge-again", type=int, metavar="NUMBER", help="have the present judge replace all values of judges in this run; no question is asked again")  # noqa: E501  # fmt: skip
    group.add_argument("--seed", type=int, default=0, help="seed of the sample of --limit")
    group.add_argument("--measures", action="append", default=[], metavar="NAME", help="only this measure, besides those that every run has; repeatable, by default all")  # noqa: E501  # fmt: skip
    group.add_argument("--model-alone", action="store_true", help="also ask the language model the labelled questions, without evidence")  # noqa: E501  # fmt: skip
    group.add_argument("--budget-s", type=float, default=0.0, metavar="SECONDS", help="end the run when the answers took this long in total")  # noqa: E501  # fmt: skip
    group.add_argument("--budget-questions", type=int, default=0, metavar="N", help="end the run after N questions")  # noqa: E501  # fmt: skip
    group.add_argument("--budget-tokens", type=int, default=0, metavar="N", help="end the run when language models used N tokens")  # noqa: E501  # fmt: skip
    group.add_argument("--asker", metavar="NAME", help="who asks, with their rights; by default only open collections are searched")  # noqa: E501  # fmt: skip
    gate = parser.add_argument_group("gate")
    gate.add_argument("--baseline", metavar="RUN", help="number of the run in use")
    gate.add_argument("--candidate", metavar="RUN", help="number of the run to be released")
    gate.add_argument("--rules", type=Path, metavar="FILE", help="TOML file of rules, such as docs/release-rules/release-rules.toml")  # noqa: E501  # fmt: skip


def question_run_start(options: dict[str, Any], say: Say) -> None:
    """Create a run, or take an old one up; execute it here, or leave it to the worker.

    Raises MedragError, CommandError. An interruption cancels the run, so that it can be resumed.
    """
    run = _taken_up(options) or _created(options)
    if not options["here"]:
        say(f"Run {run.pk} waits for the worker. Follow it with manage.py evaluate show {run.pk}.")
        return
    say(f"Run {run.pk}: {run.frozen['items']} questions.")
    try:
        with Progress("  Asking", run.frozen["items"], "questions") as progress:
            progress.at(run.results.filter(state__in=ENDED).count())
            question_run_execute(run, on_item=progress.step)
    except BaseException:
        if run.state in (RunState.PENDING, RunState.RUNNING):
            question_run_cancel(run)
            say(
                "Interrupted. The answers so far are kept. Continue with manage.py evaluate run "
                f"--resume {run.pk} --here."
            )
        raise
    _print(run, say)


def question_runs_list(options: dict[str, Any], say: Say) -> None:
    """Print a line for each run, the latest first."""
    if options["arguments"]:
        raise CommandError("list takes no arguments.")
    runs = list(question_runs_listed())
    for run in runs:
        progress = run_progress(run)
        say(
            f"{run.pk:6}  {run.get_state_display():9}  {progress.ended} of {progress.items}  "
            f"{run.created_at:%Y-%m-%d %H:%M}  {run.name}"
        )
    if not runs:
        say("There are no runs.")


def question_run_show(options: dict[str, Any], say: Say) -> None:
    """Print a run's result card as Markdown. Raises CommandError."""
    (run,) = _runs_named(options, 1)
    _print(run, say)


def question_run_export(options: dict[str, Any], say: Say) -> None:
    """Write a run's `run.json` and `report.md`. Raises CommandError, MedragError."""
    (run,) = _runs_named(options, 1)
    if not options["out"]:
        raise CommandError("--out DIR is needed.")
    refuse_unwritable(options["out"])
    refuse_used(options["out"])
    run_export(run, options["out"])
    say(f"Written to {options['out']}")


def question_runs_compare(options: dict[str, Any], say: Say) -> None:
    """Print the second run less the first, item by item. Raises CommandError, RunsDiffer."""
    first, second = _runs_named(options, 2)
    for line in comparison_lines(runs_of_questions_compared(first, second)):
        say(line)


def question_run_gate(options: dict[str, Any], say: Say) -> None:
    """Print a sentence for each release rule.

    Raises CommandError, with exit status 1 if a rule fails and 2 if nothing could be judged.
    """
    named = [options["baseline"] or "", options["candidate"] or ""]
    try:
        if not all(named) or not options["rules"] or options["arguments"]:
            raise CommandError(
                "gate takes --baseline, --candidate and --rules, and no other arguments."
            )
        rules = read_rules(options["rules"])
        baseline, candidate = _runs_named({"arguments": named}, 2)
        judged = release_judged(baseline, candidate, rules)
    except (CommandError, MedragError) as error:
        why = error.sentence if isinstance(error, MedragError) else str(error)
        raise CommandError(why, returncode=2) from error
    for each in judged:
        say(each.sentence)
    if otherwise := started_otherwise(baseline, candidate):
        say(f"They were started with different settings: {'; '.join(map(str, otherwise))}.")
    if failed := sum(not each.holds for each in judged):
        raise CommandError(f"Not to be released: {failed} of {len(judged)} rules fail.")
    say(f"Fit for release by all {len(judged)} rules.")


def _print(run: QuestionRun, say: Say) -> None:
    for line in run_lines(run):
        say(line)


def _created(options: dict[str, Any]) -> QuestionRun:
    question_set = question_set_named(options["arguments"])
    for name in ("limit", "budget_s", "budget_questions", "budget_tokens"):
        if not options[name] >= 0:
            raise CommandError(f"--{name.replace('_', '-')} must be at least 0.")
    budget = Budget(*(options[name] for name in ("budget_questions", "budget_s", "budget_tokens")))
    order = RunOrder(
        name=options["name"],
        limit=options["limit"],
        seed=options["seed"],
        measures=tuple(options["measures"]) or MEASURES,
        budget=budget,
        is_here=options["here"],
        model_alone=options["model_alone"],
    )
    by, asker = person_named(options["user"]), asker_named(options["asker"])
    return question_run_create(question_set, order, by=by, asker=asker)


def _taken_up(options: dict[str, Any]) -> QuestionRun | None:
    """Prepare the run of one of these options and return it; None without any."""
    services: dict[str, Callable[..., None]] = {
        "resume": question_run_resume,
        "measure_again": question_run_measure_again,
        "judge_again": partial(question_run_measure_again, is_all=True),
    }
    named = [name for name in services if options[name] is not None]
    if not named:
        return None
    if len(named) > 1 or options["arguments"]:
        raise CommandError(
            "Give one of --resume, --measure-again and --judge-again, with a run and without a "
            "question set."
        )
    (run,) = _runs_named({"arguments": [str(options[named[0]])]}, 1)
    services[named[0]](run, is_here=options["here"])
    run.refresh_from_db()
    return run


def question_set_named(arguments: list[str]) -> QuestionSet:
    """Return the set of this number, or the only set of this name. Raises CommandError."""
    if len(arguments) != 1:
        raise CommandError("Name one question set by its number or name.")
    (name,) = arguments
    if name.isdecimal() and len(name) < 19:
        sets = list(QuestionSet.objects.filter(pk=int(name)))
    else:
        sets = [each for each in QuestionSet.objects.all() if name in (each.name, str(each))]
    if len(sets) != 1:
        kept = ", ".join(f"{each.pk} ({each})" for each in QuestionSet.objects.all()) or "none"
        why = f"{len(sets)} question sets have the name" if sets else "There is no question set"
        raise CommandError(f"{why} {name}. Question sets: {kept}.")
    return sets[0]


def _runs_named(options: dict[str, Any], count: int) -> list[QuestionRun]:
    raw: list[str] = options["arguments"]
    if len(raw) != count or not all(each.isdecimal() and len(each) < 19 for each in raw):
        raise CommandError(f"Name {count} run{'s' if count > 1 else ''} by number.")
    run_of = {run.pk: run for run in question_runs_listed().filter(pk__in=map(int, raw))}
    for each in raw:
        if int(each) not in run_of:
            raise CommandError(f"There is no run {each}.")
    return [run_of[int(each)] for each in raw]
