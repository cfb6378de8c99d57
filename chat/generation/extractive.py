"""The default generator: quotes whole sentences, list items and table rows verbatim.

It needs no model server and no key, and the same evidence gives the same claims.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from chat.generation.choosing import choose
from chat.generation.types import Generation, Task
from chat.reader.lists import with_whole_lists
from chat.reader.types import Read
from chat.reader.weights import weights
from chat.types import DraftClaim, Unit
from core.language.en.negation import negations
from core.language.en.quantities.matching import counted
from core.language.en.statements.lists import asks_for_all
from core.language.gloss import question_in_english

_STEP = re.compile(r"\d{1,2}[.)]\s")


@dataclass(frozen=True)
class ExtractiveGenerator:
    """Chooses the best statements, up to `max_claims`; a list may add further items."""

    max_claims: int = 3
    behind: float = 0.5  # log-odds that a further statement may be below the first
    same_above: float = 0.95  # cosine of two statements that say the same
    near_above: float = 0.85  # cosine of two statements on the same matter

    @property
    def fingerprint(self) -> str:
        settings = ":".join(str(value) for value in vars(self).values())
        return f"extractive-6:{settings}:{weights().digest}"

    def generate(self, task: Task) -> Generation:
        if task.options:
            return choose(task)
        units = [statement.unit for statement in self._choose(task.statements)]
        chosen = _together(
            with_whole_lists(units, all_items=asks_for_all(question_in_english(task.question)))
        )
        return Generation(
            tuple(
                DraftClaim(
                    unit.text,
                    unit.quotes,
                    caption=unit.caption,
                    holds_asked_number=unit.holds_asked_number,
                )
                for unit in chosen
            )
        )

    def again(self, task: Task, stored: Generation) -> Generation:
        return self.generate(task)

    def _choose(self, statements: Sequence[Read]) -> list[Read]:
        """Return the best statements that say different things.

        Similar sentences with different numbers, or of which one is negated, are never the same:
        two guidelines that disagree are both shown.
        """
        chosen: list[Read] = []
        for statement in statements:
            if len(chosen) == self.max_claims:
                break
            behind = statement.score < statements[0].score - self.behind
            if behind and not any(self._disagrees(statement, other) for other in chosen):
                continue
            if not any(self._says_the_same(statement, other) for other in chosen):
                chosen.append(statement)
        return chosen

    def _disagrees(self, statement: Read, other: Read) -> bool:
        """Tell whether two documents say nearly the same, but with other numbers or a negation."""
        return (
            statement.unit.hit.document_id != other.unit.hit.document_id
            and float(statement.vector @ other.vector) >= self.near_above
            and not self._is_said_alike(statement, other)
        )

    def _says_the_same(self, statement: Read, other: Read) -> bool:
        return float(statement.vector @ other.vector) >= self.same_above and self._is_said_alike(
            statement, other
        )

    @staticmethod
    def _is_said_alike(statement: Read, other: Read) -> bool:
        ours, theirs = statement.unit.in_english.text, other.unit.in_english.text
        return counted(ours) == counted(theirs) and negations(ours) == negations(theirs)


def _together(units: Sequence[Unit]) -> list[Unit]:
    """Order statements best first, keeping rows of a table, items of a list and steps together."""
    first: dict[Hashable, int] = {}
    for place, unit in enumerate(units):
        first.setdefault(_frame(unit), place)
    return sorted(
        units, key=lambda unit: (first[_frame(unit)], unit.quotes[0].page, unit.quotes[0].start)
    )


def _frame(unit: Unit) -> Hashable:
    """Return what groups statements: header or lead-in of a row or item, section of a step."""
    own, *around = unit.quotes
    if _STEP.match(own.text):
        return unit.hit.document_id, unit.hit.section_path
    places = tuple((quote.page, quote.start, quote.end) for quote in around or [own])
    return unit.hit.document_id, places
