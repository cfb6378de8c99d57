"""A number stays with what it is of, and who does something stays who does it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.places import Place, is_misplaced, places
from chat.verification.wording.roles import (
    Role,
    is_exchanged,
    is_kept,
    is_of_another,
    is_turned,
    roles,
)
from chat.verification.wording.statements import Statement, sources, statements
from chat.verification.wording.terms import Term
from chat.verification.wording.verbatim import word_for_word
from chat.verification.wording.vocabulary import GIVE

NAME = "pairings"
_EDGE = re.compile(
    r"[,;|]|\b(?:and|or|but|then|while|whereas|with|if|when|instead of|than)\b", re.I
)
# `15 to 30`, `5 mg or more`, `one or two`: a joint inside what is one.
_RANGE = re.compile(r"(?<=\d)\s*(?:to|and|or|-|–)\s*(?=\d)")
_WITH_NUMBER = re.compile(r"\s(?:\w|\d+|[ivx]+)$")  # hepatitis b, type 2
_UNIT = re.compile(r"\s*-?(%|[^\W\d_]+(?:/[^\W\d_]+)*)?")
# Whatever says what comes first.
_ORDER = re.compile(
    r"\b(?:before\w*|after\w*|first\w*|then|prior|until|till|later|follow\w*|once|when|next|since"
    r"|by|earlier|ahead|preced\w*|within|subsequent\w*|prefer\w*|start\w*|begin\w*|instead"
    r"|from|already|pre\w*|post\w*|wait\w*|end\w*|last\w*|new\w*|previous\w*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Figure:
    """A number, its unit, and what is spoken of beside it."""

    number: str
    unit: str
    beside: frozenset[str]


def check(claim: str, cited: Cited) -> Finding | None:
    """A number that the claim puts to what the quote puts another one to, or roles exchanged."""
    if word_for_word(claim, cited):
        return None
    own = sources(claim, cited)
    if any(_is_moved(each, own) for each in statements(claim)):
        return Finding(NAME, Label.CONTRADICTED, "a number of the quote stands with another thing")
    if is_misplaced(*(list(_numbered(each)) for each in (statements(claim), own))):
        return Finding(NAME, Label.CONTRADICTED, "the quote says it of another kind")
    if any(_is_exchanged(each, own) for each in statements(claim)):
        return Finding(NAME, Label.CONTRADICTED, "the quote says it the other way round")
    return None


def _numbered(listed: Sequence[Statement]) -> Iterator[Place]:
    """Where statements name things by a letter or number, such as type 1 and hepatitis B."""
    for statement in listed:
        inside = [term for clause in statement.clauses for term in clause.terms]
        found = []
        for before, term in itertools.pairwise([inside[0], *inside]):
            if _WITH_NUMBER.search(term.key):
                is_head = not term.key.startswith("=") and term is not before
                found.append((term.key, before.start if is_head else term.start, term.end))
        yield from places(statement, found)


def _is_moved(claimed: Statement, own: Sequence[Statement]) -> bool:
    quoted = [figure for each in own for figure in figures(each)]
    for said in figures(claimed):
        same = [each for each in quoted if each.number == said.number and each.unit == said.unit]
        others = [each for each in quoted if each.number != said.number and each.unit == said.unit]
        if not same or not others:
            continue
        ours = frozenset[str]().union(*(each.beside for each in same))
        theirs = frozenset[str]().union(*(each.beside for each in others))
        replaced = all((each.beside - theirs) - said.beside for each in same)
        if said.beside & (theirs - ours) and replaced:
            return True
    return False


@lru_cache(maxsize=4096)
def figures(statement: Statement) -> tuple[Figure, ...]:
    """Each number with what stands between the joints left and right of it."""
    text = _RANGE.sub(lambda match: "~" * len(match.group()), statement.text)
    edges = [0, *(match.start() for match in _EDGE.finditer(text)), len(text)]
    listed = [term for clause in statement.clauses for term in clause.terms]
    found = []
    for term in listed:
        if not term.is_number:
            continue
        left = max(edge for edge in edges if edge <= term.start)
        right = min(edge for edge in edges if edge > term.start)
        beside = {each.key for each in listed if left <= each.start < right and _says(each)}
        if not beside:  # `gentamicin, 5 mg`
            beside = {each.key for each in listed if each.end <= term.start and _says(each)}
        found.append(Figure(term.key, _unit(text, term), frozenset(beside)))
    return tuple(found)


def _unit(text: str, term: Term) -> str:
    match = _UNIT.match(text, term.end)
    written = (match.group(1) or "").lower() if match else ""
    return written.removesuffix("s") if len(written) > 2 else written


def _says(term: Term) -> bool:
    return term.is_content and term.key != GIVE


def _is_exchanged(claimed: Statement, own: Sequence[Statement]) -> bool:
    quoted = [each for source in own for each in roles(source)]
    if any(is_turned(said, quoted) for said in roles(claimed)):
        return True
    if _loses_order(claimed, quoted) or any(_is_crossed(claimed, each) for each in own):
        return True
    verbs = [role for role in roles(claimed) if role.has_doer]
    if any(is_of_another(said, quoted) for said in verbs):
        return True
    return any(
        any(is_exchanged(said, each) for each in quoted)
        and not any(is_kept(said, each) for each in quoted)
        for said in roles(claimed)
    )


def _loses_order(claimed: Statement, quoted: Sequence[Role]) -> bool:
    """`Iron with transfusion` of `iron before transfusion`: both are said, and no order at all."""
    if _ORDER.search(claimed.text):
        return False
    return any(
        role.is_order
        and role.near_left
        and role.near_right
        and role.near_left[0] != role.near_right[0]
        and {role.near_left[0], role.near_right[0]} <= claimed.keys
        for role in quoted
    )


def _is_crossed(claimed: Statement, quoted: Statement) -> bool:
    """`Use A when B is absent` of `use B when A is absent`."""
    (limit, main), (own_limit, own_main) = _halves(claimed), _halves(quoted)
    to_main = (own_limit - own_main) & (main - limit)
    to_limit = (own_main - own_limit) & (limit - main)
    return bool(to_main and to_limit)


def _halves(statement: Statement) -> tuple[frozenset[str], frozenset[str]]:
    """What its conditions speak of, and what its other clauses do."""
    spoken_of = [
        (each.is_limit, {term.key for term in each.terms if _says(term)})
        for each in statement.clauses
    ]
    limits = (keys for is_limit, keys in spoken_of if is_limit)
    others = (keys for is_limit, keys in spoken_of if not is_limit)
    return frozenset[str]().union(*limits), frozenset[str]().union(*others)
