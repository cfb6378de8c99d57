"""What tells whether a statement answers a question, as named numbers.

All are exact: likeness and words by the encoder and the index, the place by the search, and what
is asked for (a dose, a time, a bound) and about whom by patterns that the statement is held
against. What each is worth is learned (`chat.reading.weights`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from chat.people import People, apart, people_of
from chat.types import Unit
from retrieval.analysis.drugs import drugs

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
    "bound": re.compile(
        r"[≥≤<>]|\bor (?:more|less)\b|\b(?:below|above|between)\b|\b(?:less|greater|more) than\b"
        r"|at least",
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
    "bound": re.compile(
        r"threshold|cut.?off|above|below|level|target|what .*(?:bp|hb|egfr|gfr|count)"
        r"|how (?:high|low)|when",
        re.IGNORECASE,
    ),
}
_SHORT = 40  # characters


def cheap_features(
    question: str, units: Sequence[Unit], covered: Column, around: Column
) -> Features:
    """All that cost no encoding, by name.

    `covered` and `around` are the idf-weighted shares of the question's words that each statement
    holds, alone and with its context, in [0, 1].
    """
    asked, asked_drugs = people_of(question), frozenset(drugs(question))
    ranks = np.array([float(unit.hit.rank) for unit in units])
    score = np.array([unit.hit.score for unit in units])
    found: Features = {
        "passage score behind": score - score.max(),
        "passage rank": np.log(ranks),
        "passage words": np.array([unit.hit.coverage for unit in units]),
        "best passage words": np.full(len(units), max(unit.hit.coverage for unit in units)),
        "best passage cosine": np.full(len(units), max(unit.hit.cosine for unit in units)),
        "words": covered,
        "words with context": around,
        "row in range": _each(units, lambda unit: unit.holds_asked_number),
        "a question": _each(units, lambda unit: unit.text.rstrip().endswith("?")),
        "short": _each(units, lambda unit: len(unit.text) < _SHORT),
    }
    found |= {name: _each(units, test) for name, test in _of_people(asked).items()}
    if asked_drugs:
        found["without the medicine"] = _each(
            units, lambda unit: not asked_drugs & _drugs(f"{unit.context} {unit.text}")
        )
    for kind, pattern in _ASKED.items():
        if pattern.search(question):
            found[f"holds a {kind}"] = _each(units, _holds(kind))
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


def _of_people(asked: People) -> dict[str, Callable[[Unit], bool]]:
    if asked.groups or asked.ages:
        return {
            "same people": lambda unit: _names(_about(unit)) and apart(asked, _about(unit)) is None,
            "other people": lambda unit: apart(asked, _about(unit)) is not None,
        }
    return {"special people": lambda unit: bool(_about(unit).special)}


def _holds(kind: str) -> Callable[[Unit], bool]:
    return lambda unit: bool(_HELD[kind].search(unit.text))


def _names(people: People) -> bool:
    return bool(people.groups or people.ages)


def _about(unit: Unit) -> People:
    """Whom a statement names, else its context."""
    own = _people(unit.text)
    return own if _names(own) else _people(unit.context)


@lru_cache(maxsize=4096)
def _people(text: str) -> People:
    return people_of(text)


@lru_cache(maxsize=4096)
def _drugs(text: str) -> frozenset[str]:
    return frozenset(drugs(text))


def _each(units: Sequence[Unit], test: Callable[[Unit], bool]) -> Column:
    return np.array([float(test(unit)) for unit in units])
