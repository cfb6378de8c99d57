"""Measure what each check of facts is worth: ask with it and without it.

A question is asked once with all checks, then again without each of those that changed something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from chat.checks.types import noting, switched_off
from chat.pipeline.check_table import TABLE
from evaluation.measures.patterns import Outcome, Verdict
from evaluation.question_sets.patterned import Question

_WRONG = "wrong"  # of an unanswerable question too
_DANGEROUS = "dangerous"
_COUNTED = (str(Outcome.FULL), "first", "helped", _WRONG, _DANGEROUS)


def worth_of(question: Question, asked: Callable[[Question], Verdict]) -> dict[str, Any]:
    """Return a question's row: what is counted of its answer, and of that without each check."""
    with noting() as acted:
        shown = _counted(asked(question))
    without = {}
    for check in TABLE:
        if check.name in acted:
            with switched_off(check.name):
                without[check.name] = _counted(asked(question))
    return {
        "id": question.id,
        "half": str(question.half),
        "answerable": question.is_answerable,
        "with": shown,
        "without": without,
    }


def _counted(verdict: Verdict) -> list[str]:
    found = {
        str(verdict.outcome): True,
        "first": verdict.first,
        "helped": verdict.helped,
        _DANGEROUS: verdict.dangerous,
    }
    return [name for name in _COUNTED if found.get(name)]


def worth_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a table in Markdown: how each count changes by a check's being there."""
    base = Counter(name for row in rows for name in row["with"])
    lines = [
        f"{len(rows)} questions with all checks: "
        + ", ".join(f"{name} {base[name]}" for name in _COUNTED)
        + ".",
        "",
        "| check | acts on | changed questions | " + " | ".join(_COUNTED) + " | why |",
        "|---" * (len(_COUNTED) + 4) + "|",
    ]
    for check in TABLE:
        acted = [row for row in rows if check.name in row["without"]]
        changed = [row for row in acted if row["without"][check.name] != row["with"]]
        gained = [_gained(name, check.name, changed) for name in _COUNTED]
        cells = [check.name, str(check.acts), f"{len(changed)} of {len(acted)}", *gained]
        lines.append(f"| {' | '.join(cells)} | {check.says} |")
    return lines


def _gained(counted: str, check: str, rows: Iterable[Mapping[str, Any]]) -> str:
    difference = sum((counted in r["with"]) - (counted in r["without"][check]) for r in rows)
    return f"{difference:+d}" if difference else "0"
