"""Generators that return what a test sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chat.generation.types import Generation, Task
from chat.types import DraftClaim
from retrieval.types import Hit

Said = Callable[[Sequence[Hit]], tuple[DraftClaim, ...]]


@dataclass
class FakeGenerator:
    """Return `result`, or raise it. Callable in place of `site_generator`."""

    result: Said | Exception
    fingerprint: str = "fake"
    asked: int = 0

    def __call__(self) -> FakeGenerator:
        return self

    def generate(self, task: Task) -> Generation:
        self.asked += 1
        if isinstance(self.result, Exception):
            raise self.result
        return Generation(self.result(task.passages))

    def again(self, task: Task, stored: Generation) -> Generation:
        return self.generate(task)
