"""Which chunks are worth scoring: the cheapest condition that still holds the best ones. Pure.

A question's frequent words stand in most of the index, so not every chunk that holds one of them
can be scored. What is scored are the chunks that hold a rare word, or several of the frequent ones
together, or one of them often: conditions in the order of the score that they promise (as MaxScore
does: Turtle and Flood, Query Evaluation: Strategies and Optimizations, IP&M 1995), as long as the
chunks that they are expected to give fit a budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

Clause = tuple[str, ...]  # lexemes that a chunk holds all of

# Words of one question stand together this many times as often as chance would have it, once for
# each further word: measured on 500 thousand passages, where it lost the least of the exact top 10.
TOGETHER = 3.0
WIDTH = (
    4  # frequent words that are combined: 11 combinations; more cost the index more than they find
)
# A combination may be this much more frequent than expected, were its words never apart.
MOST_TOGETHER = 64
# One clause that is this many times over the budget is read in part.
MOST_OVER = 32


@dataclass(frozen=True)
class Term:
    """A lexeme that is searched, with how rare it is.

    `strong` are the lexemes that stand for many occurrences of it in one chunk, with their own
    document frequencies, the rarest first.
    """

    name: str
    document_frequency: int  # > 0
    idf: float
    strong: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Seeds:
    """Conditions of which a chunk has to fulfil one."""

    clauses: tuple[Clause, ...]
    is_whole: bool  # no chunk that holds any of the lexemes is left out
    is_bounded: bool = True  # whether so few are expected that all of them can be scored


@dataclass(frozen=True)
class _Conjunction:
    names: frozenset[str]
    clause: Clause
    expected: float


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
    together = _together(rest, chunks, room, most=budget * MOST_TOGETHER)
    room -= int(sum(conjunction.expected for conjunction in together))
    often = _often(rest, room)
    clauses = [(t.name,) for t in alone] + [c.clause for c in together] + often
    if clauses:
        return Seeds(tuple(clauses), is_whole=False)
    name, frequency = rest[0].strong[0] if rest[0].strong else _least(rest[0])
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
    """Combinations of frequent terms by the score that they promise, while they fit the room."""
    kept: list[_Conjunction] = []
    for candidate in _combinations(rest, chunks, most):
        narrower = [other for other in kept if candidate.names <= other.names]
        cost = candidate.expected - sum(other.expected for other in narrower)
        if cost <= room:
            kept = [other for other in kept if other not in narrower] + [candidate]
            room -= max(cost, 0.0)
    return kept


def _combinations(rest: Sequence[Term], chunks: int, most: int) -> Iterator[_Conjunction]:
    """Two and more of the terms, highest sum of idf first."""
    found = [
        (-sum(term.idf for term in terms), tuple(term.name for term in terms), terms)
        for size in range(2, len(rest) + 1)
        for terms in combinations(rest, size)
    ]
    for _, names, terms in sorted(found, key=lambda entry: entry[:2]):
        rarest = terms[0].document_frequency
        if rarest > most:
            continue
        expected = float(rarest)
        for term in terms[1:]:
            expected *= min(1.0, TOGETHER * term.document_frequency / max(chunks, 1))
        yield _Conjunction(frozenset(names), names, expected)


def _often(rest: Sequence[Term], room: float) -> list[Clause]:
    """For each term the widest of its strong forms that fits what is left of the room."""
    clauses: list[Clause] = []
    for term in rest:
        for name, frequency in reversed(term.strong):
            if frequency <= room:
                clauses.append((name,))
                room -= frequency
                break
    return clauses


def _least(term: Term) -> tuple[str, int]:
    return term.name, term.document_frequency
