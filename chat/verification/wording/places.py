"""Whether words of one kind stand at each other's places. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from chat.verification.wording.statements import Statement
from chat.verification.wording.vocabulary import GIVE


@dataclass(frozen=True)
class Place:
    """A word of a kind, such as a route, and what is spoken of just before and behind it."""

    name: str
    before: str
    after: str


def places(statement: Statement, found: Iterable[tuple[str, int, int]]) -> Iterator[Place]:
    """The places of words that were found in the text of a statement, with start and end."""
    listed = [
        term
        for clause in statement.clauses
        for term in clause.terms
        if (term.is_content or term.is_number) and term.key != GIVE
    ]
    for name, start, end in found:
        before = [term.key for term in listed if term.end <= start]
        after = [term.key for term in listed if term.start >= end]
        yield Place(name, before[-1] if before else "", after[0] if after else "")


def is_misplaced(said: Sequence[Place], quoted: Sequence[Place]) -> bool:
    """Whether a word of the claim stands where the quote has another one of its kind.

    So it is where both neighbours are those of another word and neither is one of its own, and
    where one word stands more often than quoted and another one less often.
    """
    claimed, counted = Counter(p.name for p in said), Counter(p.name for p in quoted)
    if claimed - counted and counted - claimed and claimed.total() >= counted.total():
        return True
    return any(_is_anothers(place, quoted) for place in said)


def _is_anothers(place: Place, quoted: Sequence[Place]) -> bool:
    own = [each for each in quoted if each.name == place.name]
    if any(_shared(place, each) for each in own):
        return False
    others = [each for each in quoted if each.name != place.name and _shared(place, each)]
    return any((place.before, place.after) == (each.before, each.after) for each in others)


def _shared(one: Place, other: Place) -> int:
    return int(bool(one.before) and one.before == other.before) + int(
        bool(one.after) and one.after == other.after
    )
