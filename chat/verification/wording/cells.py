"""Rows of quoted tables, and what a claim says under each of their labels. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chat.verification.texts import normalised
from chat.verification.types import Cited
from chat.verification.wording.stems import stem
from chat.verification.wording.vocabulary import FUNCTION

Row = tuple[str, ...]

_MARKS = r"[*†‡§¶#ᵃᵇᶜᵈ¹²³\s]*"
_UNIT = re.compile(r"\s*\([^()]*\)\s*$")  # `(mg)` behind a label, which a claim may leave out
_WORDS = re.compile(r"[^\W_]+|%")
# What ends a value: a further label, also one that the header does not write so.
_END = re.compile(r"[;\n]\s*(?:[^;:\n]{1,60}:\s|$)")
_NOTE = re.compile(r"\s\([^()]*(?:\([^()]*\)[^()]*)*\)")  # a footnote stands so behind its row
_TELLING = frozenset("no not without below above under over".split())
MAX_ROWS = 60


@dataclass(frozen=True)
class Value:
    """What a claim says under a label."""

    column: int
    text: str


@dataclass(frozen=True)
class Table:
    """A header and the rows below it, each as wide; empty where a row has fewer cells."""

    header: Row
    rows: tuple[Row, ...]


def quoted_rows(quotes: Sequence[str]) -> list[Row]:
    """Each once, in order; a quote without `|` is none."""
    lines = [normalised(quote) for quote in quotes if "|" in quote]
    rows = (tuple(cell.strip() for cell in line.split("|")) for line in lines)
    return list(dict.fromkeys(rows))[:MAX_ROWS]


def labelled(claim: str, quotes: Sequence[str]) -> Iterator[tuple[Table, list[list[Value]]]]:
    """Each table of whose labels the claim writes two, with what it says of each row it tells.

    A row of the claim ends where a label comes that is not to the right of the one before.
    """
    rows = quoted_rows(quotes)
    plain = normalised(claim)
    if any("|" not in quote for quote in quotes):
        plain = _NOTE.sub(_unless_label, plain)
    for header in rows:
        values = _values(plain, header)
        below = [row for row in rows if row != header and len(row) <= len(header)]
        if len({value.column for value in values}) >= 2 and below:
            filled = tuple(row + ("",) * (len(header) - len(row)) for row in below)
            yield Table(header, filled), _told_rows(values)


def tables(cited: Cited) -> list[Table]:
    """What the quotes hold: the first row is quoted in front of its header.

    None where several rows of one table are quoted, of which any may be the header.
    """
    rows = quoted_rows(cited.quotes)
    if len(rows) != 2 or len(rows[0]) > len(rows[1]):
        return []
    row, header = rows
    return [Table(header, (row + ("",) * (len(header) - len(row)),))]


def label_words(text: str) -> frozenset[str]:
    """The words and numbers that tell one label from another, by their stems."""
    words = _WORDS.findall(normalised(text).casefold())
    return frozenset(stem(word) for word in words if word not in FUNCTION - _TELLING)


def distinct_labels(header: Row) -> list[frozenset[str]]:
    """Of each label what no other has; of one that another holds whole, nothing."""
    words = [label_words(_UNIT.sub("", label)) for label in header]
    return [
        own - frozenset[str]().union(*(other for other in words if other is not own))
        for own in words
    ]


def _unless_label(match: re.Match[str]) -> str:
    """A unit in brackets is a part of its label."""
    return (
        match.group()
        if match.string[match.end() : match.end() + 3].strip(" *†‡§")[:1] == ":"
        else ""
    )


def _values(claim: str, header: Row) -> list[Value]:
    found = sorted(
        (match.start(), -match.end(), column)
        for column, label in enumerate(header)
        for match in _label(label).finditer(claim)
    )
    values = []
    place = 0
    for index, (start, end, column) in enumerate(found):
        if start < place:  # within another label
            continue
        place = -end
        following = next((at for at, _, _ in found[index + 1 :] if at >= place), len(claim))
        ending = _END.search(claim, place, following)
        text = claim[place : ending.start() if ending else following]
        values.append(Value(column, text.strip(" ;,.\n")))
    return values


def _label(label: str) -> re.Pattern[str]:
    words = [re.escape(word) for word in _WORDS.findall(_UNIT.sub("", label))]
    unit = r"(?:\([^()]*\))?" if _UNIT.search(label) else ""
    joint = r"[\W_]+"
    if not words:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<!\w){joint.join(words)}(?!\w){_MARKS}{unit}{_MARKS}:\s", re.IGNORECASE)


def _told_rows(values: Sequence[Value]) -> list[list[Value]]:
    told: list[list[Value]] = []
    for value in values:
        if not told or value.column <= told[-1][-1].column:
            told.append([])
        told[-1].append(value)
    return told
