"""Types of reading. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chat.types import Unit
from corpus.encoders.types import Vectors
from retrieval.types import Hit

NOT_READ = -20.0  # log-odds of a passage without a statement that was read


@dataclass(frozen=True)
class Read:
    """A scored statement."""

    unit: Unit
    score: float  # orders the statements of one question
    odds: float  # log-odds that it is right, comparable between questions
    vector: Vectors  # `(d,)`, of unit norm


@dataclass(frozen=True)
class ScoredStatements:
    """The scored statements of a question."""

    statements: tuple[Read, ...] = ()  # best first
    answerable: float = NOT_READ  # log-odds that the passages hold the answer at all

    def without(self, is_dropped: Callable[[Unit], bool]) -> ScoredStatements:
        """Return these statements without some: what they say is not what is asked."""
        kept = tuple(each for each in self.statements if not is_dropped(each.unit))
        return replace(self, statements=kept)

    def with_odds(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return the passages, each with the log-odds of its best statement."""
        best: dict[str, float] = {}
        for statement in self.statements:
            best.setdefault(statement.unit.hit.key, statement.odds)
        return tuple(replace(hit, odds=best.get(hit.key, NOT_READ)) for hit in hits)
