"""Which chunks are worth scoring: the cheapest condition that still holds the best ones. Pure.

A question's frequent words stand in most of the index, so not every chunk that holds one of them
can be scored. What is scored are the chunks that hold a rare word, and those in which frequent
ones, several or one, weigh enough: the marks of `corpus.search_vectors` are an index by impact
(Anh and Moffat, Pruned Query Evaluation Using Pre-Computed Impacts, SIGIR 2006). Conditions come
in the order of the score that they promise (as in MaxScore: Turtle and Flood, Query Evaluation:
Strategies and Optimizations, IP&M 1995), each as wide as the budget for what it is expected to
give leaves it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

Clause = tuple[str, ...]  # lexemes that a chunk holds all of

# Words of one question stand together this many times as often as chance would have it, once for
# each further word. Too much narrows the conditions in vain, too little takes more than the budget.
TOGETHER = 1.5
# Frequent words that are combined, in 15 ways; more cost the index more than they find.
WIDTH = 4
# A combination may be this much more frequent than expected, were its words never apart.
MOST_TOGETHER = 64
# One clause that is this many times over the budget is read in part.
MOST_OVER = 32


@dataclass(frozen=True)
class Term:
    """A lexeme that is searched, with how rare it is.

    `strong` are the marks for the chunks in which it weighs much, each with its own document
    frequency: the weakest first, each a part of the one before, for all terms the same levels.
    """

    name: str
    document_frequency: int  # > 0
    idf: float
    strong: tuple[tuple[str, int], ...] = ()

    @property
    def forms(self) -> tuple[tuple[str, int], ...]:
        """All conditions on it that some chunk meets, the widest first."""
        found = [(name, frequency) for name, frequency in self.strong if frequency]
        return ((self.name, self.document_frequency), *found)


@dataclass(frozen=True)
class Seeds:
    """Conditions of which a chunk has to fulfil one."""

    clauses: tuple[Clause, ...]
    is_whole: bool  # no chunk that holds any of the lexemes is left out
    is_bounded: bool = True  # whether so few are expected that all of them can be scored


@dataclass(frozen=True)
class _Conjunction:
    """Terms that all weigh at least as much as the marks of a level say; at level 0 they stand."""

    names: frozenset[str]
    level: int
    clause: Clause
    expected: float

    def is_within(self, other: _Conjunction) -> bool:
        return other.names <= self.names and other.level <= self.level


def choose(terms: Sequence[Term], *, chunks: int, budget: int) -> Seeds:
    """The conditions for an index of `chunks`, within a budget of document frequencies.

    The same terms give the same conditions, in whatever order they come.
    """
    by_rarity = sorted(terms, key=lambda term: (term.document_frequency, term.name))
    alone = _alone(by_rarity, budget)
    rest = by_rarity[len(alone) : len(alone) + WIDTH]
    if not rest:
        return Seeds(tuple((term.name,) for term in alone), is_whole=True)
    room = budget - sum(term.document_frequency for term in alone)
    found = _together(rest, chunks, room, most=budget * MOST_TOGETHER)
    if alone or found:
        clauses = [*((term.name,) for term in alone), *(c.clause for c in found)]
        return Seeds(tuple(clauses), is_whole=False)
    name, frequency = rest[0].forms[-1]
    return Seeds(((name,),), is_whole=False, is_bounded=frequency <= budget * MOST_OVER)


def _alone(by_rarity: Sequence[Term], budget: int) -> list[Term]:
    """The rarest terms whose frequencies add up to the budget."""
    alone: list[Term] = []
    for term in by_rarity:
        budget -= term.document_frequency
        if budget < 0:
            break
        alone.append(term)
    return alone


def _together(rest: Sequence[Term], chunks: int, room: float, *, most: int) -> list[_Conjunction]:
    """Of each set of frequent terms, and each alone, the widest condition that fits the room.

    Highest sum of idf first, so that a set comes before its parts.
    """
    subsets = [terms for size in range(1, len(rest) + 1) for terms in combinations(rest, size)]
    subsets.sort(key=lambda terms: (-sum(term.idf for term in terms), [t.name for t in terms]))
    kept: list[_Conjunction] = []
    for terms in subsets:
        for candidate in _levels(terms, chunks, most):
            within = [other for other in kept if other.is_within(candidate)]
            cost = candidate.expected - sum(other.expected for other in within)
            if cost <= room:
                kept = [other for other in kept if other not in within] + [candidate]
                room -= max(cost, 0.0)
                break
    return kept


def _levels(terms: Sequence[Term], chunks: int, most: int) -> Iterator[_Conjunction]:
    """The terms at each level that all of them have, the widest first."""
    names = frozenset(term.name for term in terms)
    for level, forms in enumerate(zip(*(term.forms for term in terms), strict=False)):
        rarest, *others = sorted(frequency for _, frequency in forms)
        if rarest > most:
            continue
        expected = float(rarest)
        for frequency in others:
            expected *= min(1.0, TOGETHER * frequency / max(chunks, 1))
        yield _Conjunction(names, level, tuple(name for name, _ in forms), expected)
