"""A child process's task of asking questions, and the result of each question. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation.measures.patterns import Outcome, Verdict

ASK, MATERIAL, STAGES, CHECKS = "ask", "material", "stages", "checks"  # kinds of tasks


@dataclass(frozen=True)
class AnswersTask:
    """A child process's task: ask a test set over its documents, or count or write what is read."""

    testset: str
    documents: str
    out: str  # a file, one line of JSON a question
    limit: int = 0
    kind: str = ASK
    model: dict[str, Any] | None = None  # a `ModelOrder`, to ask a model that knows the answers


def read_answers_task(path: Path) -> AnswersTask | None:
    """Read a task from a file; None if the file holds a task of another kind."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return AnswersTask(**content["answers"]) if "answers" in content else None


@dataclass(frozen=True)
class Asked:
    """The result of one question."""

    id: str
    verdict: Verdict
    rank: int | None  # of the first passage that answers, 1-based
    reason: str  # why it was refused
    confidence: float
    duration_ms: int
    statements: tuple[str, ...]
    beside: tuple[str, ...]  # statements of limits and of other guidelines, shown with it
    excerpts: tuple[str, ...]  # shown with a refusal
    fingerprint: str
    timings_ms: dict[str, float]
    gate: str = ""  # its version and threshold, such as `cascade-3, 0.44`; empty: none was asked

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, row: dict[str, Any]) -> Asked:
        lists = {name: tuple(row[name]) for name in ("statements", "beside", "excerpts")}
        verdict = Verdict(**{**row["verdict"], "outcome": Outcome(row["verdict"]["outcome"])})
        return cls(**{**row, **lists, "verdict": verdict})
