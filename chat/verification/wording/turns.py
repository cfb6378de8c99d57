"""What turns a statement round, bounds it or weakens it, by kind and place. Pure.

`Do not use X`, `X is contraindicated` and `X should be avoided` are one kind; so are `at most`,
`no more than` and `must not exceed`. The kinds are closed lists, written for this project.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from chat.verification.wording.amounts import amount_at
from chat.verification.wording.statements import Clause, Statement, clause_at
from chat.verification.wording.terms import Term
from chat.verification.wording.vocabulary import GIVE

NOT, EXCEPT, ONLY, UNTIL, STOP, START, CONTINUE, MAY = (
    *("not", "except", "only", "until", "stop", "start"),
    *("continue", "may"),
)
AT_MOST, AT_LEAST, ABOVE, BELOW = "at most", "at least", "above", "below"
BOUNDS = frozenset({AT_MOST, AT_LEAST, ABOVE, BELOW})

_FEW = r"(?:[\w/-]+\s+){0,5}?"
_N = r"(?:not|never|\w*n['’]t|no|cannot)"
_BIG = r"(?:more|greater|higher|longer|larger|older|further|later|heavier)"
_SMALL = r"(?:less|fewer|lower|shorter|smaller|younger|sooner|earlier|lighter)"
# Looked for from left to right; of two at one place the first.
_KINDS: tuple[tuple[str, str], ...] = (
    ("", r"whether or not|not only|as well as not|no\.(?=\s*\d)|number needed"
     r"|no doubt|if not already|more or less|above all|under (?:the )?(?:care|supervision|advice)"
     r"|start of|stop date|only half|in may|may\s+(?:19|20)\d\d|over the counter|once only"),
    (AT_MOST, rf"\b(?:(?:do|does|should|must|may|can|to|will)\s*)?\b{_N}\s+(?:to\s+)?(?:{_FEW})"
     rf"(?:(?:{_BIG}\s+than|above|over)(?=\s+(?:\w+\s+)?[\d.])|exceed\w*)"
     rf"|\b{_N}\s+{_BIG}\s+than|\b{_N}\s?>(?!=)|up to(?=\s+(?:an?\s+)?(?:\w+\s+)?(?:\d|one))"
     r"|at (?:the )?most|(?:to )?a? ?\bmaxim(?:um|al)(?:ly)?(?: of)?|\bmax\b"
        r"|(?:largest|longest|greatest|highest)"
     r"(?= (?:\w+ ){0,3}(?:dose|rate|course|amount|volume)\b)"
     r"|limit(?:ed)? to(?=\s+[\d.])"
     r"|or (?:less|fewer|below|under|lower|younger)|≤|<="),
    (AT_LEAST, rf"at (?:the (?:very )?)?least|{_N}\s+{_SMALL}\s+than|{_N}\s?<(?!=)"
     r"|or (?:more|above|over|greater|older"
     r"|higher|longer|worse|heavier)\b|and (?:over|above|older)\b|\ba? ?minim(?:um|al)(?: of)?\b"
     r"|not below|≥|>="),
    (ABOVE, rf"{_BIG}\s+than|(?<!\bas )above|in excess of|exceed\w*|>"
     rf"|\bover(?=\s+(?:the age of\s+)?[\d.])"),
    (BELOW, rf"{_SMALL}\s+than|below|\bunder(?=\s+(?:the age of\s+)?[\d.])|<"),
    (EXCEPT, r"unless|except\w*(?: (?:if|when|where|in|for)\b)?|apart from|other than|excluding"
     r"|with the exception of"
     r""),
    (ONLY, r"only\b|solely|exclusively|reserved? (?:for|to)|restrict\w* to|limited to|confined to"),
    (UNTIL, r"until|till\b"),
    (STOP, r"stop(?:s|ped|ping)?\b|discontinu\w+|ceas(?:e|ed|ing)\b|withdraw(?:n|ing)?\b|halt\w*"
     rf"|\b(?:do\s+)?{_N}\s+(?:be\s+)?continu\w+|no longer"),
    (NOT, r"\bnot\b|\b\w+n['’]t\b|\bnever\b|\bno\b|\bnone\b|\bneither\b|(?<!neither )\bnor\b"
     r"|without|cannot|avoid\w*|contra-?\s?indicat\w*|withh\w+|omit\w*"
     r"|leav(?:e|es|ing) out|left out"
     r"|refrain\w*|prohibit\w*"
     r"|forbidden|banned|fail(?:s|ed|ing)? to|failure to|lack(?:s|ed|ing)?\b|free (?:of|from)"
     r"|absen(?:t|ce)\b|instead of|rather than|unsafe|unsuitable|unavailable|inappropriate"
     r"|ineffective|unnecessary"
     r"|inadvisable|unable|unlikely|unacceptable|impossible|insensitive|unresponsive|unhelpful"
     r"|negative for|nothing|nobody|no one|exclude[sd]?\b|skip\w*|decline\w* to|refus\w+"),
    (START, r"\b(?:re)?start(?:s|ed|ing)?\b|begin(?:s|ning)?\b|began|begun|initiat\w+|commenc\w+"
     r"|resum\w+"),
    (CONTINUE, r"continu(?:e|es|ed|ing)\b(?! (?:monitoring|cardiac))"),
    (MAY, r"\bmay\b|\bmight\b|\bcould\b|\bcan\b|\bconsider(?:ed|ing)?\b|\bpossib\w+|\bsometimes\b"
     r"|\boptional\w*|\bperhaps\b"),
)  # fmt: skip
_NAMES = tuple(name for name, _ in _KINDS)
_PATTERN = re.compile(
    r"(?:(?<!\w)|(?=[<>≤≥]))(?:{})".format(
        "|".join(f"(?P<k{place}>{form})" for place, (_, form) in enumerate(_KINDS))
    ),
    re.IGNORECASE,
)
_WORDS_OF_TURNS = frozenset(
    "avoid ~avoid ~stop ~start ~continue ~exce ~less ~least ~most exclud withhold ~begin only omit "
    "~decreas ~increas".split()
)


@dataclass(frozen=True)
class Turn:
    """One such word or phrase. `keys`: what its clause speaks of besides."""

    kind: str
    start: int
    end: int
    keys: frozenset[str]
    numbers: frozenset[str]  # of the clause, such as `#5`
    following: str  # the next number, of a bound; or the next thing that is spoken of
    governed: frozenset[str] = frozenset()  # what an exception is made from
    amount: str = ""  # of a bound: its number with its unit, in base units


@lru_cache(maxsize=4096)
def turns(statement: Statement) -> tuple[Turn, ...]:
    """In order of the statement; `neither ... nor` and a doubled negation of one phrase are one."""
    found: list[Turn] = []
    for match in _PATTERN.finditer(statement.text):
        kind = _NAMES[int(str(match.lastgroup)[1:])]
        if not kind:
            continue
        if kind == NOT and match.group().lower() == "nor" and _has(found, NOT):
            continue
        found.append(_turn(statement, kind, match.start(), match.end()))
    return tuple(found)


def _has(found: list[Turn], kind: str) -> bool:
    return any(turn.kind == kind for turn in found)


def _turn(statement: Statement, kind: str, start: int, end: int) -> Turn:
    clause = clause_at(statement, start)
    after = [term for each in statement.clauses for term in each.terms if term.start >= end]
    numbers = frozenset(term.key for term in clause.terms if term.is_number)
    governed = frozenset[str]()
    # `Contraindications` speaks of nothing else; `unsafe` speaks of what is safe.
    is_bare = statement.text[start:end].lower().startswith("contra")
    own = frozenset(term.key for term in clause.terms if is_bare and start <= term.start < end)
    keys = clause.keys - numbers - own - _WORDS_OF_TURNS - {GIVE}
    if kind in {EXCEPT, UNTIL}:
        keys |= frozenset(term.key for term in after if term.is_content) - {GIVE}
        governed = _governed(statement, clause)
    amount = ""
    if kind in BOUNDS:
        number = _bounded(statement, start, end, after)
        near = [number.key] if number else []
        amount = amount_at(statement.text, number.start) if number else ""
    else:
        near = [term.key for term in after if term.is_content and term.key != GIVE]
    following = near[0] if near else ""
    return Turn(kind, start, end, keys, numbers, following, governed, amount)


def _bounded(statement: Statement, start: int, end: int, after: Sequence[Term]) -> Term | None:
    """The number that a bound is of: the next one, or with `5 mg or more` the last one."""
    if statement.text[start:end].lower().startswith(("or", "and")):
        inside = [term for each in statement.clauses for term in each.terms]
        return next((each for each in inside[::-1] if each.end <= start and each.is_number), None)
    return next((each for each in after[:4] if each.is_number), None)


def _governed(statement: Statement, clause: Clause) -> frozenset[str]:
    """What the clause speaks of that an exception is made from: before it, else behind it."""
    place = statement.clauses.index(clause)
    if not clause.opener:
        return frozenset(term.key for term in clause.terms if term.is_content) - {GIVE}
    others = [*reversed(statement.clauses[:place]), *statement.clauses[place + 1 :]]
    return next((each.keys for each in others if not each.is_limit), frozenset())
