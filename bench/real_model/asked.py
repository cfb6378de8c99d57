"""The task of asking a real model, and the result of each question. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

KEY = "real_model"  # in the file of a child process's task


@dataclass(frozen=True)
class RealTask:
    """A child process's task: ask the first questions, then judge the first answers by RAGAS."""

    questions: int
    judged: int
    out: str  # a file, one line of JSON a question, written anew after each

    def write(self, path: Path) -> None:
        path.write_text(json.dumps({KEY: asdict(self)}), encoding="utf-8")


def read_real_task(path: Path) -> RealTask | None:
    """Read a task from a file; None if the file holds a task of another kind."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return RealTask(**content[KEY]) if KEY in content else None


@dataclass(frozen=True)
class RealAsked:
    """The result of one question."""

    number: int
    question: str
    expected: str
    reason: str  # why it was refused; empty for an answer
    why: tuple[str, ...]  # notes on it, such as an endpoint's failure
    shown: tuple[str, ...]  # the model's statements that passed
    found: int  # of these, shown with another citation than the model's
    withheld: tuple[tuple[str, str, str], ...]  # check, detail and statement
    passages: int  # that the model was given
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    measures: Mapping[str, float | str] = field(default_factory=dict)  # RAGAS; a text: why none
    judged_seconds: float = 0.0

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> RealAsked:
        lists = {name: tuple(row[name]) for name in ("why", "shown")}
        return cls(**{**row, **lists, "withheld": tuple(map(tuple, row["withheld"]))})
