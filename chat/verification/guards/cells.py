"""A value of a table's row stands with the label of its own column and of its own row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chat.verification.texts import normalised
from chat.verification.types import Cited, Finding, Label

NAME = "cells"
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[<>≤≥%]")
_AMOUNT = re.compile(r"\d+(?:[.,]\d+)*\s*(?:%|[^\W\d_]+(?:/[^\W\d_]+)*)?")
_PARTS = re.compile(r";|\n")
# Labels that say what kind of value a column holds, and not whose: `the dose is every 8 hours`.
_KINDS = frozenset(
    "dose dosing interval frequency route duration medicine drug name note notes comment comments"
    " treatment value unit units time times".split()
)

Words = tuple[str, ...]
Place = tuple[int, int]  # row and column


@dataclass(frozen=True)
class _Found:
    """A label or a value in a claim, and its columns."""

    start: int
    columns: frozenset[int]
    is_label: bool


def check(claim: str, cited: Cited) -> Finding | None:
    """A value of one column under the label of another, or of one row beside another row's.

    Looks at a row that is cited: one line of cells first, then its header. A claim that writes
    labels with colons is held to each of them; in a sentence, a label and a value of two columns
    are none where each stands without its own.
    """
    rows = _rows(cited.quotes)
    if not rows:
        return None
    if _is_mislabelled(claim, rows) or (len(rows) > 1 and _is_moved(claim, rows)):
        return Finding(NAME, Label.CONTRADICTED, "a value of the table stands at another label")
    return None


def _rows(quotes: Sequence[str]) -> list[tuple[str, ...]]:
    """The cited row and the lines as wide as it; none where the first quote is no single row."""
    if not quotes or "|" not in quotes[0] or "\n" in quotes[0].strip():
        return []
    lines = [line for quote in quotes for line in quote.split("\n") if "|" in line]
    rows = [tuple(cell.strip() for cell in line.split("|")) for line in lines]
    return [row for row in dict.fromkeys(rows) if len(row) == len(rows[0])]


def _is_mislabelled(claim: str, rows: Sequence[Sequence[str]]) -> bool:
    """Whether in `label: label: value` a label shares neither row nor column with the value.

    A value with no label of its own row is of the row that was spoken of last.
    """
    by_words: dict[Words, set[Place]] = {}
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            by_words.setdefault(_words(cell), set()).add((row, column))
    current: set[int] = set()
    for part in _PARTS.split(normalised(claim) if "\n" not in claim else claim):
        places = [by_words.get(_words(piece), set()) for piece in part.split(":")]
        values, labels = places[-1], [found for found in places[:-1] if found]
        if not values or (len(places) > 1 and not labels):
            continue
        if any(not _shared(label, values) for label in labels):
            return True
        held = {row for row, _ in values}
        own = {row for label in labels for row, _ in label} & held
        if current and not own and not current & held:
            return True
        current = own or (current & held) or held
    return False


def _shared(label: Iterable[Place], values: set[Place]) -> bool:
    return any(one[0] == other[0] or one[1] == other[1] for one in label for other in values)


def _is_moved(claim: str, rows: Sequence[Sequence[str]]) -> bool:
    """Whether a sentence puts a value of the first row to the label of another column."""
    found = _found(claim, rows[0], [cell for row in rows[-1:] for cell in row])
    labels = [each for each in found if each.is_label]
    values = [each for each in found if not each.is_label]
    said = frozenset[int]().union(*(each.columns for each in values))
    named = frozenset[int]().union(*(each.columns for each in labels))
    alone = [each for each in labels if not each.columns & said]
    if alone and any(not each.columns & named for each in values):
        return True
    if len(labels) != len(values) or len(labels) < 2:
        return False
    pairs = zip(labels, values, strict=True)
    return not alone and any(not label.columns & value.columns for label, value in pairs)


def _found(claim: str, row: Sequence[str], header: Sequence[str]) -> list[_Found]:
    """Labels of the header and values of the row in a claim, in order; the longest words first.

    The first column names the row, and is neither.
    """
    wanted: dict[tuple[Words, bool], set[int]] = {}
    for column, (label, cell) in enumerate(zip(header, row, strict=True)):
        if column and not set(_words(label)) <= _KINDS:
            wanted.setdefault((_words(label), True), set()).add(column)
        if column:
            amounts = _AMOUNT.findall(cell) if re.search(r"\d", cell) else []
            for text in (cell, *(amount for amount in amounts if not amount.isdecimal())):
                wanted.setdefault((_words(text), False), set()).add(column)
    words, found = list(_words(claim)), []
    for (part, is_label), columns in sorted(wanted.items(), key=lambda item: -len(item[0][0])):
        for start in range(len(words) - len(part) + 1) if part else ():
            if tuple(words[start : start + len(part)]) == part:
                words[start : start + len(part)] = [""] * len(part)
                found.append(_Found(start, frozenset(columns), is_label))
    return sorted(found, key=lambda each: each.start)


def _words(text: str) -> Words:
    return tuple(_singular(word) for word in _TOKEN.findall(normalised(text).casefold()))


def _singular(word: str) -> str:
    if word == "children":
        return "child"
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
