"""Tell whether a dose is for another condition than the one that it is asked for. Pure.

`indications.tsv` has one row for each condition that a medicine is given for: its names (a regular
expression), the wider conditions that it is a part of, and those that go with it: its
complications, and what is treated along with it. Two conditions differ only where both are in the
table and neither is a part of the other, nor of what goes with the other. Of a condition that isn't
in it, and of a symptom such as pain, which belongs to many, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

_TABLE = Path(__file__).with_name("indications.tsv")
_FORS = (
    r"for|treat|treats|treating|treatment of|manag(?:e|ing|ement of)|against|therapy of"
    r"|prevent|prevents|preventing|prevention of|prophylaxis of"
)
_WORDS = r"\W+(?:[\w'’/-]+\W+){0,4}?"
_ENDS_CLAUSE = re.compile(r"[.;:?!|,)](?:\s|$)|[(\n|?]")
_ENDS_SENTENCE = re.compile(r"[.;?!](?:\s|$)|[\n|]")
_IS_FOR = re.compile(rf"\b(?:{_FORS}){_WORDS}$|\bin(?: (?:the|an?))?(?: \w+)?\W+$", re.IGNORECASE)
_IS_ONLY_FOR = re.compile(rf"\b(?:{_FORS}){_WORDS}$", re.IGNORECASE)
# What is said of the patient, not of what is treated.
_OF_THE_PATIENT = re.compile(
    r"\b(?:with|without|has|have|had|having|got|on|known|history|h/o|pmhx?|hx|previous(?:ly)?|prev|past"
    r"|also|no|non|not|never|nor|after|following|post|despite|if|unless|except|who|whose|when|where|risk"
    r"|background|bg|avoid\w*|contra-?indicat\w*|caution\w*|cause[ds]?|causing|exclud\w+|due to"
    r"|because of|suspect\w*|worsen\w*|allerg\w*|underlying|concurrent|concomitant|comorbid\w*"
    r"|is|are|was|were|may|can|develops?)\b",
    re.IGNORECASE,
)
_BARS = re.compile(
    r"\b(?:no|not|never|nor|avoid\w*|contra-?indicat\w*|unsuitable|without|unless|except)\b",
    re.IGNORECASE,
)
# `Monitor for hyperkalaemia`.
_SEEKS = re.compile(
    r"\b(?:monitor\w*|screen\w*|check\w*|watch\w*|look\w*|assess\w*|observ\w*|test\w*|evaluat\w*|risk"
    r"|tested|account|allow\w*|wait\w*|cultur\w*|exclud\w*|alert)(?: \w+)? $",
    re.IGNORECASE,
)
# A cell of a row that tells something else than what it is for: `Notes: asthma`.
_ASIDE = re.compile(
    r"\b(?:notes?|remarks?|comments?|effects?|adverse|interactions?|warnings?|monitor\w*|complications?)\b",
    re.IGNORECASE,
)
_THE_PATIENT_AFTER = re.compile(r"[-\s]*(?:pts?|patients?|medic\w+|history|risk)\b", re.IGNORECASE)
_TYPED_SMALL = re.compile(r"\b(?:af|pe|dka|acs|tb|svt|pph|sle|mi)\b")
_ANY_INFECTION = "infection"
_LEAST_LABEL = 4  # words before a condition, where it isn't what a cell or a sentence is about


class _Table:
    """The conditions, what each is a part of, itself included, and what goes with it."""

    def __init__(self, lines: Iterable[str]) -> None:
        rows = [line.split("\t") for line in lines]
        wider = {row[0]: tuple(_listed(row[2])) for row in rows}
        self.whole = {name: frozenset(_all_wider(name, wider)) for name in wider}
        self.beside = {row[0]: frozenset(_listed(row[3])) for row in rows}
        # Of these `in` says who the patient is: `labetalol dose in asthma`.
        self.lasting = frozenset(row[0] for row in rows if row[4])
        self.patterns = [(row[0], re.compile(rf"(?i:\b(?:{row[1]})(?!\w))")) for row in rows]

    def belong_together(self, one: str, other: str) -> bool:
        """Tell whether one condition is a part of the other, or goes with it."""
        if one in self.whole[other] or other in self.whole[one]:
            return True
        return any(
            not self.whole[second].isdisjoint(self.beside[each])
            for first, second in ((one, other), (other, one))
            for each in self.whole[first]
        )


def _listed(cell: str) -> Iterator[str]:
    return filter(None, (name.strip() for name in cell.split(",")))


def _all_wider(name: str, wider: dict[str, tuple[str, ...]]) -> Iterator[str]:
    yield name
    for each in wider[name]:
        yield from _all_wider(each, wider)


@lru_cache(maxsize=1)
def _table() -> _Table:
    return _Table(_TABLE.read_text(encoding="utf-8").splitlines()[1:])


@lru_cache(maxsize=8192)
def _named(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return where a text names conditions: of names within each other the longest.

    Of conditions with one name the narrowest.
    """
    table = _table()
    found = sorted(
        (match.start(), -match.end(), -len(table.whole[name]), name)
        for name, pattern in table.patterns
        for match in pattern.finditer(text)
    )
    kept: list[tuple[int, int, str]] = []
    for start, minus_end, _, name in found:
        if not kept or -minus_end > kept[-1][1]:
            kept.append((start, -minus_end, name))
    return tuple(kept)


def named_indications(text: str) -> frozenset[str]:
    """Return the conditions that a text names, whatever it says of them."""
    return _narrow(name for _, _, name in _named(text))


def _narrow(names: Iterable[str]) -> frozenset[str]:
    """Leave out the word for all infections beside the name of one: `C. difficile infection`."""
    found = frozenset(names)
    is_told = any(map(_is_infection, found - {_ANY_INFECTION}))
    return found - {_ANY_INFECTION} if is_told else found


def asked_indications(question: str) -> frozenset[str]:
    """Return the conditions that something is asked for: `for AF`, `in pneumonia`, `PE: dose`.

    None where all that is named is what the patient has, or may have.
    """
    question = _TYPED_SMALL.sub(lambda match: match.group().upper(), question)
    lasting = _table().lasting
    told: set[str] = set()
    bare: set[str] = set()
    for start, end, name in _named(question):
        before = _before(question, start, _ENDS_CLAUSE)
        is_for = (_IS_ONLY_FOR if name in lasting else _IS_FOR).search(before)
        if is_for and not _OF_THE_PATIENT.search(is_for.group()):
            told.add(name)
        elif _OF_THE_PATIENT.search(before) or _THE_PATIENT_AFTER.match(question, end):
            continue
        elif name not in lasting or question[end:].lstrip().startswith(":"):
            bare.add(name)
    return _narrow(told or bare)


def is_for_another(asked: frozenset[str], text: str, above: Iterable[str], around: str) -> bool:
    """Tell whether the nearest text that says what a dose is for names none of the asked.

    In the statement a condition counts where something is given for it, above where it is named. No
    dose is for another where its own text, or what stands `around` it, names what is asked; that it
    speaks of an infection says nothing of which one.
    """
    if not asked:
        return False
    own = named_indications(text) | named_indications(around)
    unclear = frozenset((_ANY_INFECTION,)) - asked
    if _go_together(asked, own - unclear):
        return False
    if given := _given_for(text) - unclear:
        return not _go_together(asked, given)
    for each in above:
        if named := named_indications(each):
            if own & unclear and not any(map(_is_infection, named)):
                return False  # `infections`, in a guideline on diabetes
            return not _go_together(asked, named) and _has_topic(each)
    return False


def _is_infection(name: str) -> bool:
    return _ANY_INFECTION in _table().whole[name]


def _go_together(asked: frozenset[str], named: frozenset[str]) -> bool:
    return any(_table().belong_together(one, other) for one in asked for other in named)


def _given_for(text: str) -> frozenset[str]:
    """Return the conditions of which a statement says that something is given for them."""
    return frozenset(name for name, *place in _places(text) if _is_given_for(*place))


def _is_given_for(before: str, after: str) -> bool:
    if is_for := _IS_ONLY_FOR.search(before):
        sought = _BARS.search(before) or _SEEKS.search(before, 0, is_for.start())
        return not sought and not _OF_THE_PATIENT.search(is_for.group())
    is_label = len(before.rpartition(":")[2].split()) < _LEAST_LABEL
    return is_label and _is_topic(before, after)


def _has_topic(text: str) -> bool:
    """Tell whether a heading or a caption names a condition that isn't only the patient's."""
    return any(_is_topic(before, after) for _, before, after in _places(text))


def _is_topic(before: str, after: str) -> bool:
    said = _OF_THE_PATIENT.search(before) or _BARS.search(before) or _ASIDE.search(before)
    return not said and not _THE_PATIENT_AFTER.match(after)


def _places(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each condition, what stands before it in its sentence or cell, and what after it."""
    for start, end, name in _named(text):
        yield name, _before(text, start, _ENDS_SENTENCE), text[end:]


def _before(text: str, start: int, ends: re.Pattern[str]) -> str:
    last = max((match.end() for match in ends.finditer(text, 0, start)), default=0)
    return text[last:start]
