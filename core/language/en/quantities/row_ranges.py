"""Select the rows of a table that a number in the question falls into. Pure.

A dosing table is read by its ranges: 75 mL/min belongs to `More than 60`, not to the row with the
most similar words. A number is matched to a column of ranges by its unit, or by the words of the
header that occur next to it; rows whose range excludes the number can't answer. A number that fits
a column's kind but has another unit, or names its quantity only in part (`creatinine 300` for a
column of creatinine clearance), matches no row: refusing costs less than the wrong row.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.language.en.quantities.measures import (
    DAYS,
    Interval,
    Measure,
    in_base,
    is_unit,
    levelled,
    measures,
    unit_of,
)

DURATION = "duration"  # days that are nobody's age
_FOOTNOTE_MARKS = re.compile(r"[*†‡§¶#ᵃᵇᶜᵈᵉᶠᵍʰⁱ]|\^\w\^|(?<=\d)\s?[a-f]$")
_NEGATIVE = re.compile(r"^\W*-\s?\d")
_WORD = re.compile(r"[a-z]+")
_SAYS_NOTHING = frozenset(
    "a an and at by for from group in level of on or per the time to with dose serum plasma blood "
    "body patient patients total current measured concentration value result".split()
)
_SYNONYMS = {
    "crcl": ("creatinine", "clearance"), "weighs": ("weight",), "weighing": ("weight",),
    "weigh": ("weight",), "wt": ("weight",), "k": ("potassium",), "aged": ("age",),
}  # fmt: skip
_BESIDE = (6, 3)  # words before and after a number that may name what it measures
_LOOK_CHARS = 100
# The name of a measure right before its value: `high bleeding risk, CrCl 65` is of no risk.
_MEASURE_NAMED = re.compile(
    r"\b(e?gfr|crcl|creatinine clearance|creatinine|inr|platelets?|potassium|sodium|calcium"
    r"|magnesium|glucose|bm|hb|weight|wt|weighs|weighing)"
    r"(?:\s+(?:is|was|of|at|now|only|about)|\s*[:=<>≤≥])*\s*$"
)
_AGE_WORD = re.compile(r"\bage(?:d)?(?: of| is)?(?: about)?\s*$")
_AGE_AFTER = re.compile(r"[\s-]*(?:old|of age|boy|girl|child|infant|baby|male|female|man|woman)\b")
_DURATION_BEFORE = re.compile(
    r"\b(?:for|after|within|every|during|last|past|next|until|lasting|since)(?: the)?\s*$"
)
_DURATION_AFTER = re.compile(
    r"[\s-]*(?:ago|later|after|before|apart|course|into|pregnant|gestation|of (?:treatment|pregn))"
)
_GESTATION_AFTER = re.compile(r"[\s-]*(?:pregnan|gravid|gestation|of (?:pregn|gestation|gravid))")
_OF_GESTATION = frozenset("gestation gestational pregnancy pregnant trimester weeks week".split())
# A later column in these says what is given, unless the question names it.
_OF_TREATMENT = frozenset("mg ml l mmol minute unit dose tablet mg/kg ml/kg duration".split())
_NO_COLUMN = -1
_STEM, _LEAST_OF_A_WORD = 5, 4  # letters
_BAND_ENDS = re.compile(r"\s*(?::|,\s|;|=|\s[-–—]\s|—|\bgive\b|\btake\b|$)\s*", re.IGNORECASE)
_BANDED = ("kg", "ml/min")
_DURATION_HEADER = frozenset("duration time interval course trial day days since onset".split())


@dataclass(frozen=True)
class _Column:
    intervals: tuple[Interval | None, ...]
    words: frozenset[str]  # of the header, without those that say nothing of the kind
    unit: str  # in which its numbers are written, if in one; else empty
    labels: tuple[frozenset[str], ...]  # stems of the cells that are no range: `Major bleed`

    @property
    def units(self) -> set[str]:
        return {interval.unit for interval in self.intervals if interval} - {""}

    def rows_of(self, asked: Interval) -> set[int]:
        return {
            index
            for index, interval in enumerate(self.intervals)
            if interval is not None and interval.meets(asked)
        }


def rows_in_range(
    question: str, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> set[int] | None:
    """Return the indices of rows that hold the question's numbers; None where no range decides.

    Empty where a number fits a column's kind but no row holds it: then no row answers. A row that
    has words in the place of a range (`Major bleed`) is one of them where the question names it.
    """
    text = levelled(question)
    columns = _range_columns(header, rows)
    asked_words = _stems(question)
    choices: dict[int, dict[str, set[int]]] = {}  # by column, then by unit
    anywhere = _with_synonyms(_WORD.findall(text))
    named = {found.interval for label in header for found in measures(levelled(label))}
    for measure in measures(text):
        asked = _Asked.of(measure, text, anywhere)
        if _GESTATION_AFTER.match(text, measure.end) and not any(
            column.words & _OF_GESTATION for column in columns
        ):
            continue  # weeks of a pregnancy are no duration of treatment
        if measure.interval in named:
            continue  # `in 24 hours` is what a column is called, not what decides the row
        choice = _choice_of(asked, columns)
        if choice is not None:
            by_unit = choices.setdefault(choice.column, {})
            found = choice.rows | _rows_named(asked_words, columns, choice.column)
            by_unit[asked.interval.unit] = found & by_unit.get(asked.interval.unit, found)
    if 0 in choices:  # the words beside a number that fits no row were those of another number
        choices.pop(_NO_COLUMN, None)
    chosen = [_of_one_column(by_unit) for by_unit in choices.values()]
    return set.intersection(*chosen) if chosen else None


def _rows_named(stems: frozenset[str], columns: Sequence[_Column], place: int) -> set[int]:
    """Return the rows without a range that the question names, beside those of its number."""
    labels = columns[place].labels if place != _NO_COLUMN else ()
    return {index for index, label in enumerate(labels) if label & stems}


def _stems(text: str) -> frozenset[str]:
    found = set(_WORD.findall(text.lower())) - _SAYS_NOTHING
    return frozenset(word[:_STEM] for word in found if len(word) >= _LEAST_OF_A_WORD)


def band_of(item: str, lead: str) -> list[str] | None:
    """Return the range that a list's item begins with and the rest: `1 to 2 kg`, `5 mg`.

    Only of weights and kidney function; the list's lead-in may name the unit. None without one.
    """
    unit = _label_unit(levelled(lead))
    for sign in _BAND_ENDS.finditer(item):
        interval = interval_of(item[: sign.start()], unit)
        if interval is not None and interval.unit in _BANDED:
            return [item[: sign.start()], item[sign.end() :]]
    return None


def _of_one_column(by_unit: dict[str, set[int]]) -> set[int]:
    """Prefer the row of the age where a column mixes ages and weights and both match."""
    return by_unit.get(DAYS) or set().union(*by_unit.values())


def interval_of(cell: str, default_unit: str = "") -> Interval | None:
    """Return the range in a cell, in base units; None for no range or several."""
    text = levelled(_FOOTNOTE_MARKS.sub("", cell.strip()).strip())
    found = measures(text)
    if len(found) != 1 or _NEGATIVE.match(text):
        return None
    measure = found[0]
    whole = (measure.start, measure.end) == (0, len(text))
    if not measure.bounded and not whole:
        return None
    interval, written = measure.interval, measure.written_unit
    if not written and default_unit:
        interval, written = in_base(replace(interval, unit=default_unit)), default_unit
    return _whole_age(interval, written)


@dataclass(frozen=True)
class _Asked:
    """A number in the question with the words around it."""

    interval: Interval
    beside: frozenset[str]
    anywhere: frozenset[str]
    measured: frozenset[str]  # words for what is named right before it

    @classmethod
    def of(cls, measure: Measure, text: str, anywhere: frozenset[str]) -> _Asked:
        before = text[max(0, measure.start - _LOOK_CHARS) : measure.start]
        after = text[measure.end : measure.end + _LOOK_CHARS]
        interval = measure.interval
        if not interval.unit and _AGE_WORD.search(before):
            interval = in_base(replace(interval, unit="year"))
        elif interval.unit == DAYS and _is_duration(before, after):
            interval = replace(interval, unit=DURATION)
        near = [*_WORD.findall(before)[-_BESIDE[0] :], *_WORD.findall(after)[: _BESIDE[1]]]
        named = _MEASURE_NAMED.search(before)
        measured = _with_synonyms(_WORD.findall(named[1])) if named else frozenset[str]()
        return cls(interval, _with_synonyms(near), anywhere, measured)


def _is_duration(before: str, after: str) -> bool:
    """Tell whether a number of days is how long something lasts rather than an age."""
    if _AGE_AFTER.match(after):
        return False
    return bool(_DURATION_BEFORE.search(before) or _DURATION_AFTER.match(after))


@dataclass(frozen=True)
class _Choice:
    column: int  # or _NO_COLUMN, and so no row
    rows: set[int]


def _choice_of(asked: _Asked, columns: Sequence[_Column]) -> _Choice | None:
    """Return the column that fits the number's kind and its matching rows; None for no column."""
    unit, places = asked.interval.unit, range(len(columns))
    if unit:
        fitting = [place for place in places if unit in columns[place].units]
        named = [place for place in fitting if columns[place].words & asked.anywhere]
        if not named:
            named = [place for place in fitting if place == 0 or unit not in _OF_TREATMENT]
        interval = asked.interval
        if columns and not fitting and not columns[0].units and not columns[0].words:
            # A table without labels, as a continued one: what it measures is not known better.
            named, interval = [0], replace(interval, unit="")
    else:
        fitting = named = [
            p
            for p in places
            if columns[p].words
            and columns[p].words <= asked.beside
            and not (asked.measured and columns[p].words.isdisjoint(asked.measured))
        ]
        interval = _as_written_in(columns[named[0]], asked.interval) if named else asked.interval
    if len(named) == 1:
        return _Choice(named[0], columns[named[0]].rows_of(interval))
    return None if fitting else _refused(asked, columns)


def _as_written_in(column: _Column, interval: Interval) -> Interval:
    interval = in_base(replace(interval, unit=column.unit))
    lasting = interval.unit == DAYS and DURATION in column.units
    return replace(interval, unit=DURATION) if lasting else interval


def _refused(asked: _Asked, columns: Sequence[_Column]) -> _Choice | None:
    """Match no row where words near the number name the quantity of the first range column."""
    if not columns or asked.interval.unit == DURATION or columns[0].units & _OF_TREATMENT:
        return None
    return _Choice(_NO_COLUMN, set()) if columns[0].words & asked.beside else None


def _range_columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[_Column]:
    """Return the columns whose cells are mostly ranges or plain numbers, left to right."""
    columns = []
    for index in range(min((len(row) for row in rows), default=0)):
        label = levelled(_FOOTNOTE_MARKS.sub("", header[index])) if index < len(header) else ""
        cells = [row[index] for row in rows]
        unit = _label_unit(label)
        intervals = [interval_of(cell, unit) for cell in cells]
        if sum(interval is not None for interval in intervals) * 2 > len(rows):
            columns.append(_column(label, unit, intervals, cells))
    return columns


def _column(
    label: str, unit: str, intervals: Sequence[Interval | None], cells: Sequence[str]
) -> _Column:
    if _DURATION_HEADER & set(_WORD.findall(label)):
        intervals = [
            replace(interval, unit=DURATION) if interval and interval.unit == DAYS else interval
            for interval in intervals
        ]
    written = {m.written_unit for cell in cells for m in measures(levelled(cell))} - {""}
    words = set(_WORD.findall(re.sub(r"\(.*?\)", " ", label))) - _SAYS_NOTHING
    words -= {word for word in words if is_unit(word) and word != "day"}
    only = unit or (written.pop() if len(written) == 1 else "")
    labels = tuple(
        frozenset() if interval else _stems(cell)
        for interval, cell in zip(intervals, cells, strict=True)
    )
    return _Column(tuple(intervals), frozenset(words), only, labels)


def _label_unit(label: str) -> str:
    """Return the unit in a header such as `Weight, kg` or `eGFR (mL/min)`; empty if none."""
    if re.search(r"\d", label):
        return ""
    inside = re.search(r"\(\s*([^\s)]+)", label)
    name = inside.group(1) if inside else (label.split() or [""])[-1]
    return unit_of(name) if is_unit(name) or "/" in name else ""


def _whole_age(interval: Interval, written: str) -> Interval:
    """Extend ages to whole years: `6 to 11 years` holds 11 and a half, `under 12` excludes 12."""
    if interval.unit != DAYS or interval.high_open or math.inf in (interval.high, -interval.low):
        return interval
    one = in_base(Interval(1.0, 1.0, written)).high
    return replace(interval, high=round(interval.high + one, 9), high_open=True)


def _with_synonyms(words: Iterable[str]) -> frozenset[str]:
    found = set(words)
    for word in list(found):
        found.update(_SYNONYMS.get(word, ()))
    return frozenset(found)
