"""The default generator: it only chooses whole sentences, list items and table rows, verbatim.

It needs no model server and no key, and the same evidence gives the same claims.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chat import relevance
from chat.generation.choosing import choose
from chat.generation.types import Generation, Task
from chat.passages import Unit, quotable_units
from chat.relevance import Scores
from chat.types import DraftClaim
from chat.verification.guards.figures import figures
from chat.verification.guards.polarity import negations
from corpus.encoders.registry import get_embedder
from corpus.encoders.types import Vectors
from retrieval.analysis import spelled_out
from retrieval.lexical import asked_lexemes
from retrieval.types import Hit


@dataclass(frozen=True)
class ExtractiveGenerator:
    """Chooses up to `max_claims` units. docs/evaluation.md says what its weights were set on."""

    max_passages: int = 8
    max_units: int = 24  # of them that are encoded, which is what an answer's time goes to
    max_claims: int = 3
    coverage_weight: float = 0.4  # of the question's lexemes, against cosine similarity
    context_weight: float = 0.7  # of a lexeme that stands in title, section or population only
    passage_weight: float = 0.4  # of the passage's own similarity, added
    number_bonus: float = 0.2  # for the row of a table that holds a number of the question
    definition_bonus: float = 0.1  # for a sentence that says what the thing is, if that is asked
    fragment_penalty: float = 0.15  # for what begins or ends inside a sentence
    keep_ratio: float = 0.85  # of the best unit's score that a further one must reach
    same_above: float = 0.95  # cosine of two units that say the same

    @property
    def fingerprint(self) -> str:
        return "extractive-3:" + ":".join(str(value) for value in vars(self).values())

    def generate(self, task: Task) -> Generation:
        if task.options:
            return choose(task)
        return Generation(self._claims(task.question, task.passages))

    def again(self, task: Task, stored: Generation) -> Generation:
        return self.generate(task)

    def _claims(self, question: str, passages: Sequence[Hit]) -> tuple[DraftClaim, ...]:
        units = quotable_units(passages[: self.max_passages], question)
        if not units:
            return ()
        units, without_cosine = self._shortlist(question, units)
        embedder = get_embedder()
        vectors = embedder.encode([unit.embedded_text for unit in units])
        cosine = vectors @ embedder.encode_queries([spelled_out(question)])[0]
        # Rounded, so that the last bits of a float never decide between two units.
        scores = (without_cosine + (1 - self.coverage_weight) * cosine).round(5)
        chosen = self._choose(units, scores, vectors)
        ordered = _in_reading_order([units[i] for i in chosen])
        return tuple(DraftClaim(text=unit.text, quotes=unit.quotes) for unit in ordered)

    def _shortlist(self, question: str, units: Sequence[Unit]) -> tuple[list[Unit], Scores]:
        """The `max_units` best by all that costs no encoding, as they are read, with that score."""
        lexemes = asked_lexemes(question)
        score = (
            self.coverage_weight
            * relevance.coverage(units, lexemes, context_weight=self.context_weight)
            + self.passage_weight * relevance.passages(units)
            + self.number_bonus * relevance.numbers(units)
            + self.definition_bonus * relevance.definitions(question, units)
            - self.fragment_penalty * relevance.fragments(units)
        )
        order = sorted(range(len(units)), key=lambda i: (-round(float(score[i]), 5), i))
        kept = sorted(order[: self.max_units])
        return [units[i] for i in kept], np.asarray(score, dtype=np.float64)[kept]

    def _choose(self, units: Sequence[Unit], scores: Scores, vectors: Vectors) -> list[int]:
        """The best units that say different things; ties go to the one that is read first.

        Near sentences with other numbers, or one with a `not`, are never the same thing: two
        guidelines that disagree are both shown.
        """
        order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
        chosen: list[int] = []
        for i in order:
            if scores[i] < self.keep_ratio * scores[order[0]] or len(chosen) == self.max_claims:
                break
            if all(
                float(vectors[i] @ vectors[j]) < self.same_above
                or figures(units[i].text) != figures(units[j].text)
                or negations(units[i].text) != negations(units[j].text)
                for j in chosen
            ):
                chosen.append(i)
        return chosen


def _in_reading_order(units: Sequence[Unit]) -> list[Unit]:
    """Sections by their best unit, units of a section as they are read: steps stay in order."""
    sections: dict[tuple[int, tuple[str, ...]], int] = {}
    for unit in units:
        sections.setdefault(_section_of(unit), len(sections))
    return sorted(
        units,
        key=lambda unit: (
            sections[_section_of(unit)],
            unit.quotes[0].page,
            unit.quotes[0].start,
        ),
    )


def _section_of(unit: Unit) -> tuple[int, tuple[str, ...]]:
    return unit.hit.document_id, unit.hit.section_path
