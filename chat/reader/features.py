"""What tells whether a statement answers a question, as named numbers.

All are exact: likeness and words by the encoder and the index, the place by the search, and what
is asked for (a dose, a time, a bound) and about whom by patterns that the statement is held
against. What each is worth is learned (`chat.reader.weights`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from chat.types import Unit
from core.text.populations import People, apart, people_of

Column = npt.NDArray[np.float64]  # one number for each statement
Features = dict[str, Column]

_UNITS = r"mg|mcg|micrograms?|g|ml|units?|iu|mmol|mg/kg|ml/kg|%"
_HELD = {
    "dose": re.compile(rf"\d\s*(?:{_UNITS})(?![a-z])", re.IGNORECASE),
    "time": re.compile(
        r"\b\d+\s*(?:-|to)?\s*\d*\s*(?:days?|weeks?|months?|years?|hours?|hrs?|h|min(?:ute)?s?)\b",
        re.IGNORECASE,
    ),
    "frequency": re.compile(
        r"(?:times|once|twice)\s*(?:a|per)?\s*(?:day|daily|week)|every \d|\b[btq]ds?\b|hourly",
        re.IGNORECASE,
    ),
}
_ASKED = {
    "dose": re.compile(r"\bdos|\bmg\b|how much|strength|\bmcg|micrograms", re.IGNORECASE),
    "time": re.compile(
        r"how (?:long|soon|often)|duration|how many (?:days|weeks|hours|months)|\bwhen\b|days"
        r"|course|interval|gap",
        re.IGNORECASE,
    ),
    "frequency": re.compile(r"how often|frequency|times a day|regimen|dos", re.IGNORECASE),
}
_WORD = re.compile(r"[a-z][a-z-]+")
_NEGATED = re.compile(
    r"\b(?:no|non|without|absence of|free of)[\s-]+((?:[a-z-]+\s+){0,2}[a-z-]+)",
    re.IGNORECASE,
)
_GRAMMAR = frozenset(
    "a an the of in on for with and or to is are was be has have who what how when not no".split()
)


def cheap_features(
    question: str, units: Sequence[Unit], covered: Column, around: Column
) -> Features:
    """All that cost no encoding, by name.

    `covered` and `around` are the idf-weighted shares of the question's words that each statement
    holds, alone and with its context, in [0, 1].
    """
    asked = people_of(question)
    ranks = np.array([float(unit.hit.rank) for unit in units])
    score = np.array([unit.hit.score for unit in units])
    words = np.array([unit.hit.coverage for unit in units])
    found: Features = {
        "passage score behind": score - score.max(),
        "passage rank": np.log(ranks),
        "passage words": words,
        "passage words behind": words - words.max(),
        "words": covered,
        "words with context": around,
        "row in range": _each(units, lambda unit: unit.holds_asked_number),
    }
    found |= {name: _each(units, test) for name, test in _of_people(asked).items()}
    for kind, pattern in _ASKED.items():
        if pattern.search(question):
            found[f"holds a {kind}"] = _each(units, partial(_holds, kind))
    return found


def with_likeness(features: Features, likeness: Column) -> Features:
    """Add the cosines of statements to the question."""
    return features | {"likeness": likeness, "likeness behind": likeness - likeness.max()}


def with_reader(features: Features, odds: Column) -> Features:
    """Add the reader's odds."""
    return features | {"reader": odds, "reader behind": odds - odds.max()}


def weighted(features: Mapping[str, Column], weights: Mapping[str, float], count: int) -> Column:
    """The sum of weights times features; what a question has no say in counts nothing."""
    total = np.zeros(count)
    for name in sorted(weights):
        if name in features:
            total = total + weights[name] * features[name]
    return total


def lacks_dose(question: str, texts: Iterable[str]) -> bool:
    """Whether a dose is asked for and none of the texts has any."""
    asks = _ASKED["dose"].search(question)
    return bool(asks) and not any(_HELD["dose"].search(text) for text in texts)


def _of_people(asked: People) -> dict[str, Callable[[Unit], bool]]:
    if not _names(asked):
        return {}
    return {
        "same people": lambda unit: _names(_about(unit)) and apart(asked, _about(unit)) is None,
        "other people": lambda unit: apart(asked, _about(unit)) is not None,
    }


def without_denied(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Leave out what is for those without it: "no major bleeding" of a question on major bleeding.

    Of 704 questions on real guidelines it took no right statement away.
    """
    asked = _pairs(question) - _denied_pairs(question)
    return [unit for unit in units if not asked & _denied_pairs(f"{unit.context} | {unit.text}")]


def _denied_pairs(text: str) -> frozenset[tuple[str, str]]:
    return frozenset().union(*(_pairs(found.group(1)) for found in _NEGATED.finditer(text)))


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    """Each two words that stand beside each other, without those of grammar."""
    words = _WORD.findall(text.casefold())
    return frozenset(pair for pair in pairwise(words) if _GRAMMAR.isdisjoint(pair))


def _holds(kind: str, unit: Unit) -> bool:
    return bool(_HELD[kind].search(unit.text))


def _names(people: People) -> bool:
    return bool(people.groups or people.ages)


def _about(unit: Unit) -> People:
    """Whom a statement names, else its context."""
    own = _people(unit.text)
    return own if _names(own) else _people(unit.context)


@lru_cache(maxsize=4096)
def _people(text: str) -> People:
    return people_of(text)


def _each(units: Sequence[Unit], test: Callable[[Unit], bool]) -> Column:
    return np.array([float(test(unit)) for unit in units])
