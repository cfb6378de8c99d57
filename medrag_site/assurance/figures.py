"""Give the figures of this site's own evaluations, with their dates, or say that there are none."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.metrics.statistics import Interval
from evaluation.models import QuestionRun, RunState
from evaluation.question_runs.freezing import configuration_now
from evaluation.question_runs.selectors import card_read, run_lines
from medrag_site.release import release


def figures() -> str:
    """Return the card of the last finished run of each question set, as Markdown."""
    return "\n".join(_page())


def measured_here(measure: str) -> tuple[QuestionRun, Interval] | None:
    """Return the last run that has the measure, of those with the configuration in force."""
    ended = QuestionRun.objects.filter(state=RunState.DONE).exclude(metrics={})
    for run in ended.filter(frozen__configuration=configuration_now()).order_by("-pk"):
        found = card_read(run).measures.get(measure)
        if found and found.n:
            return run, found
    return None


def _page() -> Iterator[str]:
    yield f"# Figures, release {release()}\n"
    yield "Of this installation's guidelines and question sets. Those of the release are in "
    yield "docs/evaluation.md. They don't know how people use the answers.\n"
    ended = QuestionRun.objects.filter(state=RunState.DONE).exclude(metrics={})
    latest = ended.order_by("question_set_id", "-pk").distinct("question_set_id")
    runs = list(latest.select_related("question_set", "asker"))
    if not runs:
        yield "No run of a question set has ended here: add a set and start one under "
        yield "*Evaluation of this site*, or by `manage.py evaluate run`.\n"
    for run in runs:
        yield f"Ended {run.finished_at:%Y-%m-%d}.\n" if run.finished_at else ""
        yield from run_lines(run)
