"""Who does what to whom, and what comes first: the two sides of a word. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chat.verification.wording.statements import Statement, clause_at
from chat.verification.wording.terms import Term
from chat.verification.wording.vocabulary import GIVE

# What stands left and right of such a word is not to be exchanged.
_TURNING = re.compile(
    r"\b(?P<verb>(?:reduc|increas|decreas|lower|rais|caus|prevent|replac|treat|inhibit|block|preced"
    r"|follow|affect|produc|trigger|induc|worsen|improv|exceed|releas|revers|suppress|activat"
    r"|stimulat|impair|lead|result|damag|attack|contain|requir|need|suggest|indicat|mask|precipitat"
    r"|promot|protect|antagoni[sz]|potentiat|enhanc|displac|carr|transmit|infect|spread|outweigh"
    r"|mimic|resembl|simulat|complicat|accompan|underl|aggravat|reliev|destroy|injur|compress"
    r"|obstruct|regulat|control|restrict|limit|convert|metaboli[sz]|interact|supersed|surpass"
    r"|predispos|provok|exacerbat|counteract|neutrali[sz]|oppos|prolong|shorten|delay|accelerat"
    r"|depend|deriv|aris|stem|originat|develop|attribut|elicit|secret|synthesi[sz]|bind|attach)"
    r"(?:e|es|ed|ing|s|ies|ied|y|d|ked|king)?)\b(?!\s+of\b)(?P<passive>\s+(?:\w+ly\s+)?by\b)?"
    r"|\b(?P<pivot>before|after|than|instead of|rather than|prior to|in place of|over|into|from"
    r"|ahead of|because of|due to|without)\b",
    re.IGNORECASE,
)
_BE = re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+\s+)?$", re.IGNORECASE)
# `Results from` is `is caused by`, and no `results in`.
_FROM = re.compile(r"\s+from\b", re.IGNORECASE)
_ARISING = frozenset({"result", "aris", "stem", "deriv", "originat", "develop"})
# Another verb of the same meaning, by its root.
_SAME = {
    **dict.fromkeys(("lead", "result", "produc", "trigger", "induc", "provok"), "caus"),
    **dict.fromkeys(("precipitat", "aris", "stem", "deriv", "originat"), "caus"),
    **dict.fromkeys(("lower", "decreas"), "reduc"),
    "rais": "increas",
    "supersed": "replac",
}
_TREATMENT = frozenset({"treatment", "treatments", "therapy", "therapies"})
# A pivot that says of left and right what another says of right and left.
_TURNED = {"before": "after", "prior to": "after", "ahead of": "after", "preced": "follow"}


@dataclass(frozen=True)
class Role:
    """What stands on both sides of a word; `left` does it to `right`, or comes first."""

    word: str
    left: frozenset[str]
    right: frozenset[str]
    near_left: tuple[str, ...] = ()  # of its own clause alone, the nearest first
    near_right: tuple[str, ...] = ()
    has_doer: bool = False  # a verb, and no passive without `by`

    @property
    def is_order(self) -> bool:
        """Whether it says what comes first."""
        return self.word in {"after", "follow"}


def is_exchanged(said: Role, quoted: Role) -> bool:
    """Whether each side has what the other one had, and one of them nothing of its own."""
    if said.word != quoted.word:
        return False
    left, right = _sides(said)
    own_left, own_right = _sides(quoted)
    kept = left & own_left and right & own_right
    return bool(left & own_right and right & own_left and not kept)


def is_turned(said: Role, quoted: Sequence[Role]) -> bool:
    """Whether within their clauses the sides are exchanged, and with none of these roles kept.

    `Iron before transfusion in iron deficiency` has iron on both sides: there the two words next
    to it decide.
    """
    same = [each for each in quoted if each.word == said.word]
    if any(_nearest(said) == _nearest(each) for each in same):
        return False
    if any(all(_nearest(said)) and _nearest(said) == _nearest(each)[::-1] for each in same):
        return True
    clauses = [_clause_of(each) for each in same]
    mine = _clause_of(said)
    return any(is_exchanged(mine, each) for each in clauses) and not any(
        is_kept(mine, each) for each in clauses
    )


def is_of_another(said: Role, quoted: Sequence[Role]) -> bool:
    """Whether the claim has, as what does it, what the quote names behind the verb only.

    `Arrest impairs transmission` of `gentamicin impairs transmission and causes arrest`.
    """
    same = [each for each in quoted if each.word == said.word]
    doer = frozenset(said.near_left)
    if any(doer & each.left for each in same):
        return False
    return any(doer & each.right and {*said.near_right} & {*each.near_right} for each in same)


def _nearest(role: Role) -> tuple[str, str]:
    return "".join(role.near_left[:1]), "".join(role.near_right[:1])


def _clause_of(role: Role) -> Role:
    return Role(role.word, frozenset(role.near_left), frozenset(role.near_right))


def is_kept(said: Role, quoted: Role) -> bool:
    """Whether each side has something of its own."""
    left, right = _sides(said)
    own_left, own_right = _sides(quoted)
    return said.word == quoted.word and bool(left & own_left and right & own_right)


def _sides(role: Role) -> tuple[frozenset[str], frozenset[str]]:
    return role.left - role.right, role.right - role.left


@lru_cache(maxsize=4096)
def roles(statement: Statement) -> tuple[Role, ...]:
    """Each such word with what its statement speaks of left and right of it."""
    return tuple(_roles(statement))


def _roles(statement: Statement) -> Iterator[Role]:
    listed = [term for clause in statement.clauses for term in clause.terms if _is_thing(term)]
    for match in _TURNING.finditer(statement.text):
        left = frozenset(each.key for each in listed if each.end <= match.start())
        right = frozenset(each.key for each in listed if each.start >= match.end())
        near = _near(statement, match.start(), match.end())
        word = _root(match["verb"] or match["pivot"])
        if not left and match["pivot"]:  # `Before A, B` is `B before A`
            right, left = _halves(statement, match.end(), listed)
            near = ((), ())
        is_after_be = bool(_BE.search(statement.text[: match.start()]))
        is_passive = bool(match["passive"]) and is_after_be
        has_doer = bool(match["verb"]) and is_after_be is is_passive
        is_from = word in _ARISING and bool(_FROM.match(statement.text, match.end()))
        if (is_passive or is_from) is not (word in _TURNED):
            left, right, near = right, left, near[::-1]
        word = _TURNED.get(word, word)
        yield Role(_SAME.get(word, word), left, right, *near, has_doer)


def _near(statement: Statement, start: int, end: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the clause speaks of left and right of the word, the nearest first.

    Where a sign stands right before the word, its left side is what stands before the sign.
    """
    every = [term for clause in statement.clauses for term in clause.terms if _is_thing(term)]
    inside = [term for term in clause_at(statement, start).terms if _is_thing(term)]
    left = [term.key for term in inside if term.end <= start] or [
        term.key for term in every if term.end <= start
    ]
    return tuple(reversed(left)), tuple(term.key for term in inside if term.start >= end)


def _is_thing(term: Term) -> bool:
    """Whatever is spoken of, and `treatment`, though not `treat` and the like."""
    return term.is_content and (term.key != GIVE or term.text.lower() in _TREATMENT)


def _halves(
    statement: Statement, start: int, listed: Sequence[Term]
) -> tuple[frozenset[str], frozenset[str]]:
    comma = statement.text.find(",", start)
    comma = len(statement.text) if comma < 0 else comma
    return (
        frozenset(each.key for each in listed if start <= each.start < comma),
        frozenset(each.key for each in listed if each.start > comma),
    )


def _root(word: str) -> str:
    word = word.lower()
    if " " in word or word in {"before", "after", "than", "over", "into", "from", "without"}:
        return word
    for ending in ("king", "ked", "ies", "ied", "ing", "ed", "es", "e", "s", "y", "d"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word
