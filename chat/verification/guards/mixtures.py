"""An amount stays with its own substance where one is mixed into another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from chat.verification.guards.routes import route_spans
from chat.verification.quantities.units import unit_of
from chat.verification.types import Cited, Finding, Label
from chat.verification.wording.statements import Statement, statements
from chat.verification.wording.terms import Term, terms
from chat.verification.wording.verbatim import word_for_word
from chat.verification.wording.vocabulary import GIVE, meaning

NAME = "mixtures"
_AMOUNT = re.compile(
    r"(?<![\w.])(?P<number>\d+(?:[.,]\d+)*)\s*(?P<unit>%|percent\b|per cent\b"
    r"|(?:mmol|micromol|µmol|mol|mcg|micrograms?|µg|mg|milligrams?|grams?|g|kg|ng|ml|millilit\w+"
    r"|lit(?:re|er)s?|l|units?|iu|meq)\b)(?:/\w+)*",
    re.IGNORECASE,
)
# Between an amount and its substance: `500 mg of the drug`, `the drug is given at 500 mg`.
_OF = re.compile(r"\s*(?:of|as)\s+(?:the\s+|an?\s+)?", re.IGNORECASE)
_LINK = re.compile(
    r"[\s(:]*(?:(?:is|are|be|should|must|given|administered|at|a|dose|of)\s+)*\(?", re.IGNORECASE
)
_NO_NAME = frozenset(
    (GIVE, *map(meaning, "alongside dilute mix add plus dissolve infuse inject start then".split()))
)
_GAP = re.compile(r"[\s\-]*")


@dataclass(frozen=True)
class Amount:
    """A number with its unit, and the words of the name that it belongs to."""

    value: tuple[Fraction, str]  # in the base unit
    substance: frozenset[str]


def check(claim: str, cited: Cited) -> Finding | None:
    """An amount that the claim gives to what has another amount in the quote, of whatever unit.

    `40 mmol of A in 1 L of B` is not `40 mmol of B in 1 L of A`. A name of several words is one:
    what two names share, such as `chloride`, tells nothing.
    """
    if word_for_word(claim, cited):
        return None
    quoted = [amount for quote in cited.quotes for amount in _all(quote)]
    if any(_is_anothers(said, quoted) for said in _all(claim)):
        return Finding(NAME, Label.CONTRADICTED, "the quote gives the amount to another substance")
    return None


def _all(text: str) -> Iterator[Amount]:
    for statement in statements(text):
        yield from amounts(statement)


def _is_anothers(said: Amount, quoted: Sequence[Amount]) -> bool:
    same = [each.substance for each in quoted if each.value == said.value]
    own = frozenset[str]().union(*same)
    others = [each.substance for each in quoted if each.value != said.value]
    if not said.substance or not own or said.substance & _apart(own, others):
        return False
    return any(said.substance & (other - own) for other in others)


def _apart(own: frozenset[str], others: Sequence[frozenset[str]]) -> frozenset[str]:
    """The words of a name that no other name has; all of them where one name is in another."""
    return own - frozenset[str]().union(*(other for other in others if other - own)) or own


@lru_cache(maxsize=4096)
def amounts(statement: Statement) -> tuple[Amount, ...]:
    """In order. A name behind `of` comes first, then the one before, then the one behind."""
    routes = route_spans(statement.text)
    known = [
        term
        for term in terms(statement.text)
        if not any(start <= term.start < end for start, end in routes)
    ]
    found, taken = [], -1
    spans = [(match.start(), match.end()) for match in _AMOUNT.finditer(statement.text)]
    for match in _AMOUNT.finditer(statement.text):
        behind = _behind(statement.text, match.end(), known, spans)
        before = _before(statement.text, match.start(), known, spans)
        is_taken = before and before[0].start < taken and not _is_tied(match, before[-1])
        if _OF.match(statement.text, match.end()) or not before or is_taken:
            chosen = behind
            taken = max([taken, *(term.end for term in behind)])
        else:
            chosen = before
        found.append(Amount(_value(match), frozenset(term.key for term in chosen)))
    return tuple(found)


def _behind(
    text: str, place: int, known: Sequence[Term], spans: Sequence[tuple[int, int]]
) -> list[Term]:
    """The name that begins here; of `1 L of 5% glucose` it is the glucose."""
    of = _OF.match(text, place)
    place = _gap(text, of.end() if of else place)
    for start, end in spans:
        if start == place:
            place = _gap(text, end)
    found: list[Term] = []
    for term in known:
        if term.start < place:
            continue
        if term.start != place or not _names(term):
            break
        found.append(term)
        place = _gap(text, term.end)
    return found


def _before(
    text: str, place: int, known: Sequence[Term], spans: Sequence[tuple[int, int]]
) -> list[Term]:
    """The name that ends here, other amounts of it and words such as `is given at` skipped."""
    for start, end in reversed(spans):  # `calcium gluconate 10% 30 mL`
        if end <= place and _GAP.fullmatch(text, end, place):
            place = start
    found: list[Term] = []
    for term in reversed(known):
        if term.end > place:
            continue
        between = text[term.end : place]
        joined = _GAP.fullmatch(between) if found else _LINK.fullmatch(between)
        if not found and (term.key == GIVE or not term.is_content) and joined:
            continue
        if not joined or not _names(term):
            break
        found.insert(0, term)
        place = term.start
    return found


def _gap(text: str, place: int) -> int:
    match = _GAP.match(text, place)
    return match.end() if match else place


def _is_tied(amount: re.Match[str], name: Term) -> bool:
    """Whether an amount is of the name before it, whatever else is: `glucose 10%`, `given at`."""
    between = amount.string[name.end : amount.start()]
    return amount["unit"] == "%" or re.search(r"[^\W\d_]", between) is not None


def _names(term: Term) -> bool:
    return term.is_content and term.key not in _NO_NAME and not term.text.endswith("ly")


def _value(match: re.Match[str]) -> tuple[Fraction, str]:
    number = re.sub(r",(?=\d{3}(?:\D|$))", "", match["number"]).replace(",", ".")
    unit = re.sub(r"per ?cent", "%", match["unit"].lower())
    base, worth = unit_of(unit)
    return Fraction(number.split(".", 1)[0] if number.count(".") > 1 else number) * worth, base
