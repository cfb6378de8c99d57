"""What turns a statement round, bounds or weakens it stands in quote and claim alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from chat.verification.texts import normalised
from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.amounts import amount_at
from chat.verification.wording.opposites import opposed
from chat.verification.wording.statements import Statement, sources, statements
from chat.verification.wording.turns import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BELOW,
    BOUNDS,
    CONTINUE,
    EXCEPT,
    MAY,
    NOT,
    ONLY,
    START,
    STOP,
    UNTIL,
    Turn,
    turns,
)
from chat.verification.wording.verbatim import is_introduction, word_for_word

NAME = "polarity"
_KEPT = frozenset({NOT, EXCEPT, ONLY, UNTIL, STOP, MAY, *BOUNDS})
_COVERED_SHARE = 0.5  # of what a clause speaks of, from which on a claim says it
# What keeps two units from being one thing: see `negations`.
_NEGATION = re.compile(
    r"\b(?:not|no|never|nor|neither|none|without|avoid\w*|unless|except\w*|contraindicat\w*|stop\w*"
    r"|withh\w+|cannot|\w+n['’]t|only|until|less|more|below|above|under|over)\b"
)


def check(claim: str, cited: Cited) -> Finding | None:
    """A turn of the claim that the statements it is from don't have, or one that it has lost.

    Turns are compared by kind, so that `do not use` and `is contraindicated` are one, and by what
    their clauses speak of. A turn is lost only where the claim says its clause.
    """
    if word_for_word(claim, cited):
        return None
    own = (*sources(claim, cited), *_introductions(claim, cited))
    if _differs(statements(claim), own) or opposed(claim, own):
        return Finding(NAME, Label.CONTRADICTED, "polarity differs from the quote")
    return None


def negations(text: str) -> Counter[str]:
    """The words that turn a statement round or bound it, each as often as it stands there."""
    return Counter(_NEGATION.findall(normalised(text).lower()))


def _introductions(claim: str, cited: Cited) -> Iterator[Statement]:
    """What stands above the quote and says what it is a list of, such as `Contraindications`."""
    known = sources(claim, cited)
    for quote in cited.quotes[1:]:
        if is_introduction(quote):
            yield from (each for each in statements(quote) if each not in known)


def _differs(claimed: Sequence[Statement], own: Sequence[Statement]) -> bool:
    said = [turn for statement in claimed for turn in turns(statement)]
    quoted = [turn for statement in own for turn in turns(statement)]
    left = list(quoted)
    for turn in said:
        match = next((each for each in left if _is_same(turn, each)), None)
        if match is None and not _is_free(turn, said, quoted):
            return True
        if match is not None:
            left.remove(match)
    keys = frozenset[str]().union(*(each.keys for each in claimed), frozenset(_amounts(claimed)))
    return any(_is_lost(turn, keys, claimed) for turn in left)


def _amounts(claimed: Sequence[Statement]) -> Iterator[str]:
    """The numbers of a claim with their units, as `Turn.amount` has them."""
    for statement in claimed:
        terms = [term for clause in statement.clauses for term in clause.terms if term.is_number]
        yield from (amount_at(statement.text, term.start) for term in terms)


def _is_same(said: Turn, quoted: Turn) -> bool:
    """Of one kind, about one number if about any, and with something in common besides."""
    if said.kind != quoted.kind:
        return False
    if said.kind in BOUNDS and said.following and quoted.following:
        is_converted = said.amount == quoted.amount != ""
        return said.following == quoted.following or is_converted
    return bool(said.keys & quoted.keys) or not said.keys or not quoted.keys


def _is_free(turn: Turn, said: Sequence[Turn], quoted: Sequence[Turn]) -> bool:
    """What a claim may add: a bound without a number, words that only repeat the verb, and a `can`
    that says `at most` once more.
    """
    if turn.kind == MAY:
        return all(any(each.kind == AT_MOST for each in side) for side in (said, quoted))
    if turn.kind in BOUNDS:
        others = _OPPOSITE[turn.kind]
        return not turn.following and not any(each.kind in others for each in quoted)
    if turn.kind in {START, CONTINUE}:
        return not any(each.kind in {NOT, STOP, START, CONTINUE} for each in quoted)
    return False


_OPPOSITE = {
    AT_MOST: {AT_LEAST, ABOVE},
    AT_LEAST: {AT_MOST, BELOW},
    ABOVE: {BELOW, AT_MOST},
    BELOW: {ABOVE, AT_LEAST},
}


def _is_lost(turn: Turn, said: frozenset[str], claimed: Sequence[Statement]) -> bool:
    """Whether the claim says the clause of a turn without the turn."""
    if turn.kind not in _KEPT:
        return False
    if turn.kind in BOUNDS:
        return bool({turn.following, turn.amount} & said - {""})
    if turn.kind in {EXCEPT, UNTIL}:
        # Its own clause is what was dropped: that from which it makes an exception counts.
        return len(turn.governed & said) >= _COVERED_SHARE * len(turn.governed)
    share = len(turn.keys & said)
    return share >= _COVERED_SHARE * len(turn.keys)
