"""Write a silver set: show each passage to the teacher once, within a budget."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from bench.silver.ledger import Ledger, opened
from bench.silver.teacher import LABELS, PROMPT, Asked, Taught, ask_teacher, same_as
from chat.question.guard import question_guarded
from chat.verification.entailment.judge import EVIDENCE_CHARS
from core.errors import MedragError
from core.llm.client import Endpoint
from evaluation.measures.configured import teacher_fault
from evaluation.question_runs.freezing import NO_BUDGET, Budget

FAILURES = 3  # in a row, after which the teacher counts as away
TICK_S = 0.05  # by which a call may end early: two libraries' clocks differ
Entry = dict[str, Any]


class TeacherError(MedragError):
    """No teacher is configured, or it has stopped answering."""


@dataclass
class Told:
    """Counts over the whole folder, and how this run ended."""

    counts: Counter[str]
    failed: int = 0  # calls of this run without an answer, which the next run repeats
    ended_by: str = ""  # the budget that ended it

    def lines(self) -> Iterator[str]:
        """Yield a report in lines, without text of a question or passage."""
        counts = self.counts
        labels = ", ".join(f"{counts[label]} {label}" for label in LABELS)
        yield f"{counts['claims']} claims ({labels}) of {counts['questions']} questions"
        yield f"{counts['asked']} passages shown, {counts['tokens']} tokens"
        for name in ("malformed", "duplicates", "conflicting", "too_long", "identifying"):
            yield f"left out, {name.replace('_', ' ')}: {counts[name]}"
        if self.failed:
            yield f"{self.failed} calls failed: the same command asks them again."
        if self.ended_by:
            yield f"Ended by --budget-{self.ended_by}: the same command with a larger one goes on."


def silver_write(
    asked: Iterable[Asked],
    out: Path,
    *,
    budget: Budget = NO_BUDGET,
    on_passage: Callable[[], object] = lambda: None,
) -> Told:
    """Show the teacher each new question and passage, one after another, and store its claims.

    Questions and tokens are limited over the whole folder, seconds for this run. The call that
    reaches a limit is the last. Raises TeacherError without a teacher, and after FAILURES failed
    calls in a row; FolderError.
    """
    endpoint = settings.MODELS.teacher
    if fault := teacher_fault() or PROMPT.fault():
        raise TeacherError(fault, hint="Nobody was asked.")
    ends = time.monotonic() + budget.seconds - TICK_S if budget.seconds else float("inf")
    failed, in_a_row = 0, list[Taught]()
    with opened(out, teacher=endpoint.model, prompt=PROMPT.identity) as ledger:
        for each in asked:
            guarded = question_guarded(each.question, settings.IDENTIFIERS)
            shown = Asked(guarded.text, each.passage)
            on_passage()
            if shown.key in ledger.entries:
                continue
            if ended_by := _used_up(ledger, shown, budget, ends):
                return Told(_counts(ledger), failed, ended_by)
            if left_out := _left_out(shown, is_blocked=guarded.is_blocked):
                _keep(ledger, shown, endpoint, Taught(), left_out)
                continue
            timeout_s = min(settings.ANSWER_TIMEOUT_S, ends + TICK_S - time.monotonic())
            taught = ask_teacher(endpoint, shown, timeout_s=timeout_s)
            if not taught.away:
                in_a_row.clear()
                _keep(ledger, shown, endpoint, taught, "malformed" if taught.malformed else "")
            elif time.monotonic() < ends:
                failed += 1
                in_a_row.append(taught)
                if len(in_a_row) == FAILURES:
                    raise _away(in_a_row[0])  # later ones may only say "skipped"
        return Told(_counts(ledger), failed, "s" if time.monotonic() >= ends else "")


def _used_up(ledger: Ledger, asked: Asked, budget: Budget, ends: float) -> str:
    """Return the option's name of the limit that is reached; empty where none is."""
    counts = _counts(ledger)
    is_new = all(each["question"] != _question(asked) for each in ledger.entries.values())
    if budget.questions and is_new and counts["questions"] >= budget.questions:
        return "questions"
    if budget.tokens and counts["tokens"] >= budget.tokens:
        return "tokens"
    return "s" if time.monotonic() >= ends else ""


def _left_out(asked: Asked, *, is_blocked: bool) -> str:
    """Return why a passage is not shown; empty if it is.

    A passage that is too long is not shortened: half of it may say the opposite of the whole.
    """
    if is_blocked:
        return "identifying"
    return "too_long" if len(asked.passage) > EVIDENCE_CHARS else ""


def _keep(ledger: Ledger, asked: Asked, endpoint: Endpoint, taught: Taught, left_out: str) -> None:
    """Store each claim once for a passage; of claims with conflicting labels, the first."""
    lines: dict[str, Mapping[str, Any]] = {}
    entry: Entry = {"duplicates": 0, "conflicting": 0}
    for number, claim in enumerate(taught.claims, start=1):
        name = same_as(claim.text)
        known = ledger.labels.get((asked.passage, name)) or lines.get(name, {}).get("label")
        if known:
            entry["duplicates" if known == claim.label else "conflicting"] += 1
            continue
        lines[name] = {
            "id": f"{asked.key}-{number}",
            "question": asked.question,
            "passage": asked.passage,
            "claim": claim.text,
            "label": claim.label,
            "quote": claim.quote,
            "teacher": endpoint.model,
            "prompt": PROMPT.identity,
        }
    entry |= {
        "question": _question(asked),
        "left_out": left_out,
        "tokens": taught.tokens,
        "teacher": endpoint.model,
        "prompt": PROMPT.identity,
    }
    ledger.add(asked.key, entry, list(lines.values()))


def _counts(ledger: Ledger) -> Counter[str]:
    entries = ledger.entries.values()
    counts = Counter(ledger.labels.values())
    counts["claims"] = counts.total()
    counts["asked"] = sum(each["left_out"] in ("", "malformed") for each in entries)
    counts["questions"] = len({each["question"] for each in entries})
    for name in ("tokens", "duplicates", "conflicting"):
        counts[name] = sum(each[name] for each in entries)
    for name in ("malformed", "too_long", "identifying"):
        counts[name] = sum(each["left_out"] == name for each in entries)
    return counts


def _question(asked: Asked) -> str:
    """Return a hash that names the question: the log holds no text."""
    return Asked(asked.question, "").key


def _away(taught: Taught) -> TeacherError:
    return TeacherError(
        f"The teacher {taught.away}, {FAILURES} times in a row. What was written is kept.",
        hint=taught.hint or "The same command goes on with what is left.",
    )
