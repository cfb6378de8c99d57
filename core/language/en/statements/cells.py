"""Cut a row, as it is shown, into its cells. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.language.en.patients.allergies import excludes

_BETWEEN = re.compile(r";\s+")  # between cells, and between the items of one
_ITEM = re.compile(r"[,;.]\s|\b(?:or|and)\b|/")


def cell_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each cell, or of each part of a sentence.

    A cell whose label excludes (`Avoid in: epilepsy; age under 20 years`) holds what stands behind
    a semicolon and has no label of its own.
    """
    begin = 0
    for gap in _BETWEEN.finditer(text):
        label, colon, _ = text[begin : gap.start()].partition(":")
        next_part = _BETWEEN.split(text[gap.end() :], maxsplit=1)[0]
        if colon and excludes(label) and next_part and ":" not in next_part:
            continue
        yield begin, gap.start()
        begin = gap.end()
    yield begin, len(text)


def cells(text: str) -> list[str]:
    """Return the cells of a row, or the parts of a sentence."""
    return [text[start:end] for start, end in cell_spans(text)]


def excluded_items(cell: str) -> list[str]:
    """Return what a cell excludes whose label says so: `Do not give if: asthma, heart block`."""
    label, colon, listed = cell.partition(":")
    if not colon or not excludes(label):
        return []
    return [item.strip() for item in _ITEM.split(listed) if item.strip()]
