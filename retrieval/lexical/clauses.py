"""Choose which chunks are worth scoring. Pure.

A question's frequent words occur in most of the index, so not every chunk that holds one can be
scored. Scored are chunks with a rare word, and chunks where frequent words, one or several, weigh
enough: the marks of `corpus.indexing.search_vectors` form an impact index (Anh and Moffat, Pruned
Query Evaluation Using Pre-Computed Impacts, SIGIR 2006). Conditions are added in the order of the
score that they promise (as in MaxScore: Turtle and Flood, Query Evaluation: Strategies and
Optimizations, IP&M 1995) until the chunks they are expected to match use up the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from corpus.indexing.search_text import STRONG

Clause = tuple[str, ...]  # lexemes that a chunk holds all of, the rarest first

# Words of one question stand together this many times as often as chance would have it, once for
# each further word. Too much narrows the conditions in vain, too little takes more than the budget.
TOGETHER = 1.5
# Frequent words that are combined, in 31 ways. Of 110 questions as people ask them (LiveQA,
# PubMedQA) 4, 5 and 6 found 95, 97 and 98 % of the ten best of 100 thousand passages, 88, 93 and
# 96 % of a million; there 6 took a third more time than 5, and up to half as much again.
WIDTH = 5
# The share of the most that BM25 gives a word where it stands once, in a passage that is not short,
# and where its marks are.
LEAST = (0.4, *(strong / 100 for strong in STRONG))
# A combination may be this much more frequent than expected, were its words never apart.
MOST_TOGETHER = 32
# One clause that is this many times over the budget is read in part.
MOST_OVER = 32


@dataclass(frozen=True)
class Term:
    """A searched lexeme and how rare it is.

    `strong` are the marks of chunks in which the lexeme weighs much, each with its document
    frequency: the weakest first, each a subset of the one before, at the same levels for all terms.
    """

    name: str
    document_frequency: int  # > 0
    idf: float
    strong: tuple[tuple[str, int], ...] = ()

    @cached_property
    def forms(self) -> tuple[tuple[str, int], ...]:
        """The lexeme and its marks that any chunk has, the most frequent first."""
        marked = [(name, frequency) for name, frequency in self.strong if frequency]
        return ((self.name, self.document_frequency), *marked)


@dataclass(frozen=True)
class CandidatePlan:
    """Clauses of which a candidate has to match at least one."""

    clauses: tuple[Clause, ...]
    is_whole: bool  # no chunk that holds any of the lexemes is left out
    is_bounded: bool = True  # whether so few are expected that all of them can be scored


class _Condition(NamedTuple):
    """Terms that must all weigh at least as much as a level's marks; at level 0 they only occur."""

    promise: float  # the least score of a chunk that meets it but for k1 + 1, negative
    members: int  # a bit for each term
    level: int
    clause: Clause
    expected: float  # chunks that meet it

    def is_within(self, other: _Condition) -> bool:
        return other.members & ~self.members == 0 and other.level <= self.level


def choose(terms: Sequence[Term], *, chunks: int, budget: int) -> CandidatePlan:
    """Choose conditions for an index of `chunks`, within a budget of document frequencies.

    The order of the terms makes no difference.
    """
    by_rarity = sorted(terms, key=lambda term: (term.document_frequency, term.name))
    alone = _alone(by_rarity, budget)
    rest = by_rarity[len(alone) : len(alone) + WIDTH]
    if not rest:
        return CandidatePlan(tuple((term.name,) for term in alone), is_whole=True)
    room = budget - sum(term.document_frequency for term in alone)
    together = _promising(rest, chunks, room, most=budget * MOST_TOGETHER)
    if alone or together:
        clauses = [*((term.name,) for term in alone), *(each.clause for each in together)]
        return CandidatePlan(tuple(clauses), is_whole=False)
    name, frequency = rest[0].forms[-1]
    return CandidatePlan(((name,),), is_whole=False, is_bounded=frequency <= budget * MOST_OVER)


def _alone(by_rarity: Sequence[Term], budget: int) -> list[Term]:
    """Return the rarest terms whose document frequencies fit into the budget together."""
    alone: list[Term] = []
    for term in by_rarity:
        budget -= term.document_frequency
        if budget < 0:
            break
        alone.append(term)
    return alone


def _promising(rest: Sequence[Term], chunks: int, room: float, *, most: int) -> list[_Condition]:
    """Return the conditions that promise the highest scores and fit into the room, best first."""
    kept: list[_Condition] = []
    for condition in _conditions(rest, chunks, most):
        if any(condition.is_within(other) for other in kept):
            continue
        within = [other for other in kept if other.is_within(condition)]
        cost = condition.expected - sum(other.expected for other in within)
        if cost <= room:
            kept = [*(other for other in kept if other not in within), condition]
            room -= max(cost, 0.0)
    return kept


def _conditions(rest: Sequence[Term], chunks: int, most: int) -> list[_Condition]:
    """Return every combination of terms at every level, the highest promise first.

    Leaves out those whose rarest word is too frequent for a reliable estimate.
    """
    conditions = []
    for members in range(1, 2 ** len(rest)):
        terms = [term for place, term in enumerate(rest) if members >> place & 1]
        idf = sum(term.idf for term in terms)
        for level, forms in enumerate(zip(*(term.forms for term in terms), strict=False)):
            rarest, *others = sorted(forms, key=_FREQUENCY)
            if rarest[1] <= most:
                expected = float(rarest[1])
                for _, frequency in others:
                    expected *= min(1.0, TOGETHER * frequency / max(chunks, 1))
                clause = (rarest[0], *(name for name, _ in others))
                conditions.append(_Condition(-idf * LEAST[level], members, level, clause, expected))
    return sorted(conditions)


_FREQUENCY = itemgetter(1, 0)
