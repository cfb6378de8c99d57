"""Whether words of one kind stand at each other's places. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from chat.verification.wording.statements import Statement, clause_at
from chat.verification.wording.vocabulary import GIVE


@dataclass(frozen=True)
class Place:
    """A word of a kind, such as a route, and what is spoken of just before and behind it."""

    name: str
    before: str
    after: str


def places(statement: Statement, found: Iterable[tuple[str, int, int]]) -> Iterator[Place]:
    """The places of words that were found in the text of a statement, with start and end.

    Neighbours are of the same clause; at its edge there is none.
    """
    for name, start, end in found:
        listed = [
            term
            for term in clause_at(statement, start).terms
            if (term.is_content or term.is_number) and term.key != GIVE
        ]
        before = [term.key for term in listed if term.end <= start]
        after = [term.key for term in listed if term.start >= end]
        yield Place(name, before[-1] if before else "", after[0] if after else "")


def is_misplaced(said: Sequence[Place], quoted: Sequence[Place]) -> bool:
    """Whether a word of the claim stands where the quote has another one of its kind.

    So it is where both neighbours are those of another word, and not both of one of its own; and
    where one word stands more often than quoted and another one less often.
    """
    claimed, counted = Counter(p.name for p in said), Counter(p.name for p in quoted)
    if claimed - counted and counted - claimed and claimed.total() >= counted.total():
        return True
    return any(_is_anothers(place, quoted) for place in said)


def _is_anothers(place: Place, quoted: Sequence[Place]) -> bool:
    around = (place.before, place.after)
    same = [each.name for each in quoted if (each.before, each.after) == around]
    return any(around) and bool(same) and place.name not in same
