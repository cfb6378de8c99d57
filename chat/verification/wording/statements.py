"""Texts as statements and their clauses, and which of a quote's statements a claim is made of.

Pure. No grammar is known here but signs, conjunctions and the verbs that open an instruction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chat.verification.types import Cited
from chat.verification.wording.short_forms import written_out
from chat.verification.wording.terms import Term, terms
from chat.verification.wording.vocabulary import GIVE
from core.text.sentences import line_sentence_spans

# What opens a clause that limits another one.
LIMITING = frozenset(
    "if when whenever unless until till provided while whilst where once who whose whom "
    "whether".split()
)
# The same in several words; `as soon as possible` limits nothing.
_PHRASES = (
    "as long as",
    "so long as",
    "as soon as(?! possible| practicable| feasible| you can)",
    "in case",
    "in whom",
    "in the event (?:of|that)",
    "in the presence of",
    "on condition that",
)
_LIMITING_PHRASE = re.compile("|".join(_PHRASES))
# What opens one that gives a reason, or goes on.
_ASIDE = frozenset("because since although though whereas so which that".split())
_VERBS = """
give use add do take call stop start ask check measure monitor record repeat avoid continue refer
send change reduce increase offer consider discuss report restart withhold begin prescribe
administer observe request treat keep apply infuse inject dilute flush review round halve omit
switch then is are was were has have had should must may can will cannot need needs not never no
"""
OPENING_VERBS = "|".join(_VERBS.split())
_OPENERS = "|".join(sorted((LIMITING | _ASIDE) - {"once"}, key=len, reverse=True))
# `Once the fever falls`, and not `once daily`.
_AS_SOON_AS = (
    r"once(?= (?!daily|an?\b|every|each|weekly|per\b|monthly|in\b|only|more|again|at\b|by\b|then"
    r"|or\b|and\b"
    r"|to\b|for\b|on\b|if\b|when\b|before|after)\w)"
)
_CUT = re.compile(
    rf"(?P<mark>[,()]\s*|\s[–—-]\s)?(?<!\w)(?:(?P<opener>{_OPENERS}|{_AS_SOON_AS}"
    rf"|{'|'.join(_PHRASES)})\b"
    rf"|(?:and|but|or)\s+(?P<limited>if|when|unless)\b"
    rf"|(?P<going_on>and|but|or|then)\s+(?=(?:{OPENING_VERBS})\b))"
    r"|(?P<sign>[,:()]\s|\s[–—]\s)",
    re.IGNORECASE,
)
_NO_CLAUSE = re.compile(r"(?:so|such) that\b|whether or not", re.IGNORECASE)
_WORD = re.compile(r"\w+|[<>≤≥]")
_PART = re.compile(r"[;|]\s*|(?<=[.!?])\s+")
# Before what may go on with the line before; nothing of a run of white space is read twice.
_BROKEN = re.compile(r"(?<!\s)\s++(?=[a-z(])")


@dataclass(frozen=True)
class Clause:
    """A stretch of a statement: `opener` is the word that ties it to the others, or nothing."""

    start: int
    end: int
    opener: str
    terms: tuple[Term, ...]

    @property
    def keys(self) -> frozenset[str]:
        """What it speaks of, numbers as well, without `give` and its like."""
        return frozenset(term.key for term in self.terms if (term.is_content or term.is_number)) - {
            GIVE
        }

    @property
    def is_limit(self) -> bool:
        return self.opener in LIMITING or bool(_LIMITING_PHRASE.match(self.opener))


@dataclass(frozen=True)
class Statement:
    """A sentence or a part of it up to a semicolon or the edge of a cell."""

    text: str
    clauses: tuple[Clause, ...]

    @property
    def keys(self) -> frozenset[str]:
        return frozenset[str]().union(*(clause.keys for clause in self.clauses))


@lru_cache(maxsize=4096)
def statements(text: str) -> tuple[Statement, ...]:
    """In order, none without a word."""
    found = []
    lines = _unwrapped(text.replace("\r", "\n"))
    for start, end in line_sentence_spans(lines):
        for part in _PART.split(lines[start:end]):
            if (plain := written_out(part)) and terms(plain):
                found.append(Statement(plain, _clauses(plain)))
    return tuple(found)


def _unwrapped(text: str) -> str:
    """A line that goes on in small letters is one with the line before."""
    return _BROKEN.sub(lambda run: " " if "\n" in run.group() else run.group(), text)


def _clauses(text: str) -> tuple[Clause, ...]:
    cuts = [(0, "")]
    for match in _CUT.finditer(text):
        opener = match["opener"] or match["limited"] or ""
        start = match.start() if match["sign"] is None else match.end()
        if start > cuts[-1][0]:
            cuts.append((start, opener.lower()))
        elif opener:
            cuts[-1] = (cuts[-1][0], opener.lower())
    known = terms(text)
    found = []
    for index, (start, opener) in enumerate(cuts):
        end = cuts[index + 1][0] if index + 1 < len(cuts) else len(text)
        inside = tuple(term for term in known if start <= term.start < end)
        if inside:
            found.append(Clause(start, end, opener, inside))
    return tuple(found)


@lru_cache(maxsize=4096)
def sources(claim: str, cited: Cited) -> tuple[Statement, ...]:
    """The statements of the quotes that the claim is made of, the nearest first.

    First the fewest that hold what the claim speaks of, greedily: each further one is the statement
    that holds most of what is left. Then those that are nearest to a statement of the claim by
    itself, and those that stand in it word for word, as often as they do: two cells of a row may
    say the same. Of two that hold as much, the one with less else, and then the one that is read
    first. None where none holds any.
    """
    said = statements(claim)
    listed = [each for quote in cited.quotes for each in statements(quote)]
    chosen = _fewest(frozenset[str]().union(*(each.keys for each in said)), listed)
    for each in said:
        chosen += _fewest(each.keys, listed, limit=1, but=chosen)
    chosen += [place for place in _in_full(claim, listed) if place not in chosen]
    return tuple(listed[place] for place in chosen)


def _fewest(
    wanted: frozenset[str],
    listed: Sequence[Statement],
    *,
    limit: int = 1000,
    but: Sequence[int] = (),
) -> list[int]:
    """Places of the statements that hold most of what is wanted, without those in `but`."""
    chosen: list[int] = []
    while wanted and len(chosen) < limit:
        best = max(
            (place for place in range(len(listed)) if place not in chosen),
            key=lambda place: (
                len(listed[place].keys & wanted),
                -len(listed[place].keys - wanted),
                -place,
            ),
            default=None,
        )
        if best is None or not (gained := listed[best].keys & wanted):
            break
        chosen.append(best)
        wanted -= gained
    return [place for place in chosen if place not in but]


def _in_full(claim: str, listed: Sequence[Statement]) -> Iterator[int]:
    """Places of the statements whose words stand in the claim, each text as often as there."""
    words = f" {' '.join(_WORD.findall(written_out(claim).casefold()))} "
    left: dict[str, int] = {}
    for place, each in enumerate(listed):
        own = f" {' '.join(_WORD.findall(each.text.casefold()))} "
        if left.setdefault(own, words.count(own)):
            left[own] -= 1
            yield place


def is_covered(keys: frozenset[str], said: frozenset[str], *, share: float = 0.6) -> bool:
    """Whether a claim says this much of some keys; of none never."""
    return bool(keys) and len(keys & said) >= share * len(keys)


def clause_at(statement: Statement, place: int) -> Clause:
    """The clause that a place in the text belongs to."""
    best = statement.clauses[0]
    for clause in statement.clauses:
        if clause.start <= place:
            best = clause
    return best
