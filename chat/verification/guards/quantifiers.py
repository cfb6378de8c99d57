"""Of how many, how often and how surely: `most` is not `all`, `rarely` not `usually`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.statements import Statement, statements
from chat.verification.wording.terms import Term
from chat.verification.wording.verbatim import word_for_word
from chat.verification.wording.vocabulary import GIVE, meaning

NAME = "quantifiers"
ALL, MOST, MANY, SOME, FEW, NONE, NOT_ALL = "all", "most", "many", "some", "few", "none", "not all"
EACH = "each"  # of things: as much as `all`, and of no weight where it is added
SHOULD, MUST, MAY, CERTAIN = "should", "must", "may", "certain"
_TIME = (
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|times?|nights?|mornings?|evenings?"
    r"|doses?|steps?|drops?|m[lg]|other|more|further|\d+)\b"
)
_PEOPLE = (
    r"(?:adults?|patients?|people|persons?|children|women|men|babies|infants?|neonates?|cases?"
    r"|individuals?|those|users?|residents?|inpatients?|outpatients?|adolescents?|survivors?)\b"
)
_OF = r"(?:\s+(?:of\s+)?(?:the|these|those|all|such|our)\b)?(?:\s+of\b)?"
# `A third of adults`, `a third have`, and not `a third dose`.
_COUNTED = (
    rf"(?=\s+(?:of|have|has|had|need|needs|are|is|were|will|may|do|die|recover|develop|require"
    rf"|relapse|\w+ed|{_PEOPLE})\b)"
)
_PARTS = {"third": "three", "quarter": "four", "fifth": "five", "tenth": "ten"}
# Looked for from left to right; of two at one place the first. Without a name: says nothing here.
_KINDS: tuple[tuple[str, str], ...] = (
    ("", rf"at most|the most|at (?:the )?least|above all|at all|after all|all day|all (?:of )?the "
     rf"following|all (?:night|right|clear|over)|in all\b|(?:any|some|few|many|several)"
     rf"\s+(?:\w+\s+)?{_TIME}|as (?:many|few|often|usual|much)|how (?:many|often|few)|no more than"
     r"|most (?:\w+(?:ive|ant|able|ible|ful|ous|ly|ent(?<!patient)(?<!inpatient))|common|severe"
     r"|recent|important|likely|often|frequent\w*|serious|urgent|accurate)\b(?! cases)"
     r"|(?:more|less|most|least|too|so|very often as) (?:many|few|often|common\w*|rare\w*"
     r"|frequent\w*)|common (?:cold|bile|carotid|sense|femoral|iliac)|in common|for some\b"
     r"|some other|if (?:any|some|all)|any (?:of|other)|not only"),
    (NOT_ALL, r"not (?:all|every|always|each|necessarily|invariably)\b"),
    (FEW, r"(?:only )?(?:a )?(?:very )?few\b(?!er)|rare(?:ly)?\b|uncommon(?:ly)?\b|seldom\b"
     r"|infrequent(?:ly)?\b|hardly (?:ever|any)\b|almost never\b"
     r"|(?:a |the )?(?:small )?minority\b|in (?:a )?rare cases"),
    (MOST, r"(?:almost|nearly) (?:all|every|always)\b|most(?:ly)?\b|majority\b|usually\b"
     r"|generally\b|typically\b|mainly\b|largely\b|predominantly\b|as a rule\b|in general\b"),
    (NONE, rf"never\b|none\b|nobody\b|no one\b|no (?:\w+ )?{_PEOPLE}"),
    (ALL, rf"all\b|every(?:one|body)\b|(?:every|each) (?:of\b|(?:single )?one\b"
     rf"|(?:\w+ )?{_PEOPLE})|always\b|invariably\b|entire\b|without exception\b|in every case"
     rf"|any {_PEOPLE}"),
    (EACH, r"(?:every|each)\b"),
    (MANY, r"many\b|numerous\b|often\b|frequently\b|commonly\b|a (?:lot|large number) of\b"
     r"|(?:is|are) (?:common|frequent)\b"),
    (SOME, r"some\b(?!what)|sometimes\b|occasional(?:ly)?\b|a proportion of\b|in certain\b"
     rf"|certain {_PEOPLE}|now and then\b|at times\b"),
    ("three quarters", rf"three[- ]quarters{_OF}\s+\w+"),
    ("two thirds", rf"two[- ]thirds{_OF}\s+\w+"),
    ("half", rf"half{_OF}\s+(?:\w+ )?{_PEOPLE}|(?:one|1) in (?:two|2)\b"),
    *((f"a {part}", rf"(?:an?|one)[- ]{part}{_COUNTED}|one in {number}\b")
      for part, number in _PARTS.items()),
)  # fmt: skip
# How surely or how strictly; instructions in the imperative are as strict as either of the two.
_MODALS: tuple[tuple[str, str], ...] = (
    ("", r"(?:should|must|shall) (?:be|not)\b(?= (?:noted|exceed))|should (?:the|this|it|there|an?"
     r"|symptoms|they|you)\b|if required|as required|when required|is required to\b|in may\b"),
    (MUST, r"must\b|shall\b|(?:has|have) to\b(?! be (?:able|noted))|(?:is|are) (?:mandatory"
     r"|obligatory|compulsory)\b"),
    (SHOULD, r"should\b|ought to\b|(?:is|are) (?:recommended|advised|advisable)\b|recommends?\b"),
    (MAY, r"may\b|might\b|could\b|can\b|consider(?:ed|ing)?\b|possibl[ey]\b|optional\w*|perhaps\b"),
    (CERTAIN, r"(?:definitely|certainly|undoubtedly|surely)\b"),
)  # fmt: skip


def _pattern(kinds: Sequence[tuple[str, str]]) -> re.Pattern[str]:
    forms = "|".join(f"(?P<k{place}>{form})" for place, (_, form) in enumerate(kinds))
    return re.compile(rf"(?<![\w-])(?:{forms})", re.IGNORECASE)


_QUANTIFIER, _MODAL = _pattern(_KINDS), _pattern(_MODALS)
_WORDS = "|".join(form for name, form in _KINDS if name)
_SECOND = meaning("second")
# Where something else is said, of others or under another condition.
_SPLIT = re.compile(
    rf",?\s*\b(?:but|whereas|while|whilst|although|though|if|when|unless|because|until)\b"
    rf"|,\s*(?:which|who|that)\b|[:()]|(?:,|\band|\bor|,\s*and)\s+(?=(?:(?:a|an|the|in|for|only|very"
    rf"|is|are|has|also)\s+)*(?:{_WORDS})(?!\w))",
    re.IGNORECASE,
)
# Dropped, these leave a claim that says more than the quote.
_SHARES = frozenset({"three quarters", "two thirds", "half"} | {f"a {n}" for n in _PARTS})
_WEAKENING = frozenset({MOST, MANY, SOME, FEW, NOT_ALL}) | _SHARES
# Added, these say something else; of shares such as `half` the guard of figures looks after that.
_ADDING = frozenset({ALL, MOST, MANY, SOME, FEW, NOT_ALL})


@dataclass(frozen=True)
class Quantifier:
    """A word of this kind; `subject` is the thing counted, where the word stands before one."""

    kind: str
    subject: str
    beside: frozenset[str]  # what is spoken of just behind it; before it, where nothing is


@dataclass(frozen=True)
class Segment:
    """A stretch of a statement in which such a word holds."""

    keys: frozenset[str]
    quantifiers: tuple[Quantifier, ...]
    modals: frozenset[str]

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(each.kind for each in self.quantifiers)


def check(claim: str, cited: Cited) -> Finding | None:
    """A claim of more, of fewer, or more surely than what the quote says of the same.

    `Usually`, `in most cases` and `the majority` are one. Dropping `all` says nothing else, nor
    does the imperative for `should` or `must`; all other words have to be kept and not be added.
    """
    if word_for_word(claim, cited):
        return None
    own = [segment for quote in cited.quotes for segment in _all(quote)]
    if any(_differs(said, own) for said in _all(claim)):
        return Finding(NAME, Label.CONTRADICTED, "the quote says it of more, of fewer or otherwise")
    return None


def _all(text: str) -> Iterator[Segment]:
    for statement in statements(text):
        yield from segments(statement)


def _differs(said: Segment, own: Sequence[Segment]) -> bool:
    near = _nearest(said, own)
    if not near:
        return False
    kinds = frozenset[str]().union(*(each.kinds for each in near))
    known = kinds - {EACH}
    for each in said.quantifiers:
        if each.kind in kinds | {EACH} or (each.kind == ALL and EACH in kinds):
            continue
        if any(_is_same(each, other) for segment in own for other in segment.quantifiers):
            continue
        if known or each.kind in _ADDING:
            return True
    lost = [_has_lost(said, each) for each in near]
    return _is_stricter(said, near) or (all(lost) if said.quantifiers else any(lost))


def _is_same(said: Quantifier, quoted: Quantifier) -> bool:
    """Of one kind, and beside something that is not only what is counted."""
    beside = (said.beside & quoted.beside) - {said.subject, quoted.subject}
    return said.kind == quoted.kind and bool(beside)


def _has_lost(said: Segment, own: Segment) -> bool:
    return any(
        each.kind in _WEAKENING - said.kinds and each.beside and each.beside <= said.keys
        for each in own.quantifiers
    )


def _is_stricter(said: Segment, near: Sequence[Segment]) -> bool:
    """Where the quote says how strictly or surely in another word, and in none of the claim's."""
    modals = frozenset[str]().union(*(each.modals for each in near))
    if not said.modals or not modals:
        return CERTAIN in said.modals - modals
    return not said.modals & modals


def _nearest(said: Segment, own: Sequence[Segment]) -> list[Segment]:
    """The segments that say most of what the claim says of its subject; of those, of the same."""
    subjects = frozenset(each.subject for each in said.quantifiers if each.subject)
    predicate = (said.keys - subjects) or said.keys
    scores = [(len(each.keys & predicate), len(each.keys & said.keys)) for each in own]
    best = max(scores, default=(0, 0))
    if not best[0]:
        return []
    return [each for each, score in zip(own, scores, strict=True) if score == best]


@lru_cache(maxsize=4096)
def segments(statement: Statement) -> tuple[Segment, ...]:
    """In order, none without a word that says something."""
    text = statement.text
    listed = [term for clause in statement.clauses for term in clause.terms]
    cuts = [0, *(match.end() for match in _SPLIT.finditer(text)), len(text)]
    found = []
    for start, end in itertools.pairwise(cuts):
        inside = [each for each in listed if start <= each.start < end]
        words = tuple(_quantifiers(text, start, end, inside))
        spans = [match.span() for match in _QUANTIFIER.finditer(text, start, end) if _name(match)]
        keys = frozenset(
            each.key
            for each in inside
            if _says(each) and not any(a <= each.start < b for a, b in spans)
        )
        keys |= {each.subject for each in words if each.subject}
        modals = frozenset(
            name
            for match in _MODAL.finditer(text, start, end)
            if (name := _MODALS[int(str(match.lastgroup)[1:])][0])
        )
        if keys:
            found.append(Segment(keys, words, modals))
    return tuple(found)


def _quantifiers(text: str, start: int, end: int, inside: Sequence[Term]) -> Iterator[Quantifier]:
    for match in _QUANTIFIER.finditer(text, start, end):
        if not (kind := _name(match)):
            continue
        word_end = match.start() + len(match.group().split()[0])
        after = [each for each in inside if each.start >= word_end and _says(each)]
        after = [each for each in after if each.start >= match.end() or _is_noun(each)]
        before = [each for each in inside if each.end <= match.start() and _says(each)]
        beside = after[:2] or before[-1:]
        counts = bool(after) and not match.group().lower().endswith(("ly", "ways", "times", "ten"))
        subject = after[0].key if counts else ""
        yield Quantifier(kind, subject, frozenset(each.key for each in beside))


def _is_noun(term: Term) -> bool:
    return re.fullmatch(_PEOPLE, term.text, re.IGNORECASE) is not None


def _name(match: re.Match[str]) -> str:
    return _KINDS[int(str(match.lastgroup)[1:])][0]


def _says(term: Term) -> bool:
    """A second dose is another one, though `second` is a time as well."""
    return (term.is_content or term.is_number or term.key == _SECOND) and term.key != GIVE
