"""Compare what a question measures with the ranges that a statement is conditional on. Pure.

`If ketones are 1.5 to 2.9, ...` is not for ketones of 0.8, and `offer it to patients with an
ejection fraction of 40% or more` not for one of 30%. Rows, kidney function, ages and weights are
compared elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from core.language.en.quantities.measures import Interval, Measure, levelled, measures
from core.language.en.statements.topics import topic_words

Valued = tuple[frozenset[str], Interval]  # stems of the name, and the value or range

_ENDS = re.compile(r"[.;:?!|](?!\d)|,\s")
_CLAUSE = re.compile(r"[.;:?!|](?!\d)")
_CONDITION = re.compile(
    r"\b(?:if|when|where|whose|in (?:patients|people|those|adults|children|women)"
    r"|(?:patients|people|those|adults|children|women|and|or|but) with)\b",
    re.IGNORECASE,
)
_LABEL_END = re.compile(r"\s*(?:[a-z/%0-9.^⁰-⁹×]+\s*){0,3}:\s")
_DIGIT = re.compile(r"(?<![a-z])\d[\d.,]*", re.IGNORECASE)
_WORD = re.compile(r"[a-z][a-z0-9]*")
_SHORT = {
    "ef": "fraction", "lvef": "fraction", "hb": "haemoglobin", "hemoglobin": "haemoglobin",
    "k": "potassium", "na": "sodium", "sbp": "systolic", "plt": "platelet", "plts": "platelet",
    "bm": "glucos", "cbg": "glucos", "bp": "pressur", "hr": "heart rate",
}  # fmt: skip
_NAME_WORDS = 4  # words right before a number that name what it is of
_SAYS_NOTHING = frozenset(
    "level count valu score result still than less more greater lower higher abov below under over "
    "between about least most rise fall target aim new last first".split()
)
# Of amounts and times: a dose of 10 mg or a course of 7 days is no state of the patient.
_AMOUNTS = frozenset(
    "mg g ml l kg mmol unit dose tablet mg/kg ml/kg unit/kg minute day duration".split()
)


def values_in(question: str) -> tuple[Valued, ...]:
    """Return the exact values of a question that have a name: `ketones 0.8`."""
    text = levelled(question)
    found = (
        (_name(text[: each.start]), each.interval)
        for each in measures(text)
        if each.interval.low == each.interval.high
    )
    return tuple(value for value in found if value[0] and value[1].unit not in _AMOUNTS)


def holds(asked: Valued, text: str, *, is_label: bool = False) -> bool | None:
    """Tell whether a text is on condition of a range that holds an asked value.

    None where it is on no condition of what was measured. Of a row's label each range is one.
    """
    name, value = asked
    same = [
        bound
        for stems, bound in _conditions(levelled(text), is_label=is_label)
        if name & stems and (value.unit == bound.unit or not (value.unit and bound.unit))
    ]
    return any(value.meets(replace(bound, unit=value.unit)) for bound in same) if same else None


def _conditions(text: str, *, is_label: bool) -> Iterable[Valued]:
    for each in measures(text):
        if each.interval.low == each.interval.high or each.interval.unit in _AMOUNTS:
            continue
        clause = _CLAUSE.split(text[: each.start])[-1]
        name = _name(text[: each.start])
        if name and (is_label or _CONDITION.search(clause) or _is_label(clause, each, text)):
            yield name, each.interval


def _is_label(clause: str, each: Measure, text: str) -> bool:
    """Tell whether a range stands in a label: `SBP 100 to 180: give one tablet`."""
    is_short = len(clause.split()) <= _NAME_WORDS
    return is_short and _LABEL_END.match(text, each.end) is not None


def _name(before: str) -> frozenset[str]:
    """Return the stems of what a number is of, by the words right before it."""
    part = _ENDS.split(before)[-1]
    last = _WORD.findall(_DIGIT.split(part)[-1].lower())[-_NAME_WORDS:]
    short = {_SHORT[word] for word in last if word in _SHORT}
    return (topic_words(" ".join(last)) - _SAYS_NOTHING - _SHORT.keys()) | short
