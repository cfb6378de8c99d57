"""Words of which one says the opposite of the other. Pure; closed lists, written for this project."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from chat.verification.wording.roles import is_kept, roles
from chat.verification.wording.statements import Statement, statements
from chat.verification.wording.terms import Term
from chat.verification.wording.vocabulary import GIVE

# A line: the words of one side, a bar, those of the other.
_PAIRS = """
increas\\w*|rais(?:e|es|ed|ing)|ris(?:e|es|ing)|rose|elevat\\w+|escalat\\w+ / decreas\\w*|reduc\\w+|lower(?:s|ed|ing)|fall(?:s|ing|en)?|fell|drop(?:s|ped|ping)?|declin\\w+|diminish\\w*|halv\\w+
high(?:er|est|ly)?|raised|elevated / low(?:er|est)?|reduced|decreased
pre-?operative\\w* / post-?operative\\w*
first|1st|initial\\w* / second(?:-line)?|2nd|final\\w*|last|third
early|earlier / late|later|delayed
acute(?:ly)? / chronic(?:ally)?
mild(?:ly)?|minor|slight(?:ly)? / severe(?:ly)?|major|serious(?:ly)?|life-threatening
left / right
positive(?:ly)? / negative(?:ly)?
present|presence / absent|absence
upper / lower
more|greater|larger|better|longer|faster / less|fewer|smaller|worse|shorter|slower
improv\\w+|better / worsen\\w*|worse|deteriorat\\w+|aggravat\\w+
common(?:ly)?|frequent(?:ly)?|often|usually|mostly / rare(?:ly)?|uncommon(?:ly)?|infrequent\\w*|seldom|hardly
always|invariably / never|sometimes|occasionally|rarely
all of|both / any of|any one of|one of|either
most|majority|many / few|minority|some
maxim\\w+|most / minim\\w+|least
benign / malignant|cancerous
systolic / diastolic
long(?:-term|er)?|prolonged / short(?:-term|er|ened)?|brief(?:ly)?
large / small
rapid(?:ly)?|quick(?:ly)?|fast / slow(?:ly)?|gradual(?:ly)?
routine(?:ly)? / never|rarely
dominant / recessive
add(?:s|ed|ing)?|include[sd]? / remov(?:e|es|ed|ing)|exclude[sd]?
open(?:s|ed|ing)? / clos(?:e|es|ed|ing)
male|men|man|boys? / female|women|woman|girls?
conscious / unconscious
stable / unstable
normal(?:ly)? / abnormal(?:ly)?
known / unknown
central(?:ly)? / peripheral(?:ly)?
hot|warm / cold|cool
inhibit\\w*|suppress\\w*|block(?:s|ed|ing)? / stimulat\\w+|activat\\w+|induc\\w+
prevent(?:s|ed|ing|ion)?|protect(?:s|ed|ing)? / caus(?:e|es|ed|ing)|promot\\w+|provok\\w+
regular(?:ly)? / irregular(?:ly)?
complete(?:ly)? / incomplete(?:ly)?|partial(?:ly)?
empty / full
with food|after food / without food|before food
"""


def _side(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{words})(?!\w)", re.IGNORECASE)


_SIDES = [
    (_side(left.strip()), _side(right.strip()))
    for left, right in (line.split(" / ") for line in _PAIRS.strip().splitlines())
]
_BOTH_WAYS = [*_SIDES, *((right, left) for left, right in _SIDES)]
_CONJOINED = re.compile(r"([\w-]+),? (and|or) (?:an? |the |of |to )?([\w-]+)", re.IGNORECASE)


# Opposite as well, but `A before B` is `B after A`.
_BEFORE = _side(r"before|prior to|ahead of")
_AFTER = _side(r"after(?:wards)?|following(?= the| an?\b| each)")


def opposed(claim: str, own: Sequence[Statement]) -> bool:
    """Whether the claim has one side of a pair where the statements that it is from have the other.

    Where these have both, the words beside them decide: what the claim puts beside the one, and
    the statements beside the other alone. `A and B` opposes `A or B` where nothing is negated.
    """
    for statement in statements(claim):
        for one, other in _BOTH_WAYS:
            if one.search(statement.text) and _is_opposed(statement, own, one, other):
                return True
        if _joins_otherwise(statement, own) or _is_late(statement, own):
            return True
    return False


def _is_late(said: Statement, own: Sequence[Statement]) -> bool:
    """Before for after or the other way, where nothing shows that the order is kept."""
    if any(is_kept(mine, each) for mine in roles(said) for source in own for each in roles(source)):
        return False
    sides = ((_BEFORE, _AFTER), (_AFTER, _BEFORE))
    return any(one.search(said.text) and _is_opposed(said, own, one, other) for one, other in sides)


def _is_opposed(
    said: Statement, own: Sequence[Statement], one: re.Pattern[str], other: re.Pattern[str]
) -> bool:
    ours = [_beside(each, one) for each in own if one.search(each.text)]
    theirs = [_beside(each, other) for each in own if other.search(each.text)]
    if not ours:
        return bool(theirs)
    if not theirs:
        return False
    near = _beside(said, one)
    same, opposite = frozenset[str]().union(*ours), frozenset[str]().union(*theirs)
    return bool(near & opposite) and not near & same


@lru_cache(maxsize=8192)
def _beside(statement: Statement, words: re.Pattern[str]) -> frozenset[str]:
    """What stands next to the words, left and right."""
    listed = [term for clause in statement.clauses for term in clause.terms]
    found: set[str] = set()
    for match in words.finditer(statement.text):
        before = [each.key for each in listed if each.end <= match.start() and _counts(each)]
        after = [each.key for each in listed if each.start >= match.end() and _counts(each)]
        found.update((*before[-1:], *after[:1]))
    return frozenset(found)


def _counts(term: Term) -> bool:
    return (term.is_content or term.is_number) and term.key != GIVE


def _joins_otherwise(said: Statement, own: Sequence[Statement]) -> bool:
    quoted = {joined for each in own for joined in _joined(each)}
    for left, joint, right in _joined(said):
        other = "or" if joint == "and" else "and"
        if {(left, joint, right), (right, joint, left)} & quoted:
            continue
        if {(left, other, right), (right, other, left)} & quoted:
            return True
    return False


def _joined(statement: Statement) -> Iterator[tuple[str, str, str]]:
    """Pairs of words beside an `and` or `or`; none where a negation makes the two one."""
    if re.search(
        r"\b(?:not|no|never|without|avoid\w*|nor|contraindicated)\b", statement.text, re.I
    ):
        return
    for match in _CONJOINED.finditer(statement.text):
        yield match[1].lower(), match[2].lower(), match[3].lower()
