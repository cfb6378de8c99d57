"""Tell which dates and times of a sheet are meant as such. Pure.

A spreadsheet makes 1 February of `1-2`, and two minutes past one of `1:02`: a weight or a ratio.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from corpus.parsing.office.sheet_heads import Filled
from corpus.parsing.published.xml_text import DATED

DATE = "\ue00c"  # after a date with its year, or a time; cleaning removes it

_DAY_SAID = re.compile(
    r"\b(?:date[ds]?|review(?:ed)?|issued?|valid|effective|expir\w+|updated|revised|published"
    r"|approved|ratified|amended|adopted|superseded|withdrawn|deadline|\w*datum|\w*daten|stand"
    r"|gültig\w*|überprüf\w*|überarbeitet|freigegeben|erstellt)\b"
    r"|^\W*(?:from|until|since|to|ab|bis|seit)\b[\s:.]*(?=$|\d)",
    re.IGNORECASE,
)
_TIME_SAID = re.compile(r"\b(?:times?|at|o.clock|\w*zeit|\w*uhr|um)\b", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d")
_MEASURED = re.compile(
    r"\b(?:doses?|weights?|ages?|kg|g|m[lg]|days?|weeks?|months?|years?|hours?|minutes?|rates?"
    r"|dosis|gewicht|alter|tage?|wochen?|monate?|jahre?|stunden?|minuten)\b",
    re.IGNORECASE,
)


Cells = Mapping[tuple[int, int], Filled]  # by row and column


def doubt_dates(block: Cells) -> dict[tuple[int, int], Filled]:
    """Return a block of cells with a mark on each date that no word beside it calls one.

    That is the cell on its left, or a head of its column below which all with figures is a date.
    """
    said = _said_on_the_left(block) | _said_above(block)
    return {
        place: replace(cell, raw=cell.raw + DATED)
        if DATE in cell.raw and place not in said
        else cell
        for place, cell in block.items()
    }


def _said_on_the_left(block: Cells) -> set[tuple[int, int]]:
    """Return the dates that are called so by the cell before them, or by words of their own."""
    order = sorted(block)
    near = {place: [place] for place in order[:1]}
    near |= {at: [at, *([b] if b[0] == at[0] else [])] for b, at in pairwise(order)}
    return {
        at
        for at, cells in near.items()
        if DATE in block[at].raw and any(_names(_kind(block[at]), block[c].text) for c in cells)
    }


def _said_above(block: Cells) -> set[tuple[int, int]]:
    """Return the dates below the heads of columns that call them so."""
    columns: dict[int, list[tuple[int, int]]] = {}
    for place in sorted(block):
        columns.setdefault(place[1], []).append(place)
    said = set()
    for places in columns.values():
        others = [n for n, at in enumerate(places) if _is_other_figure(block[at])]
        named: set[re.Pattern[str]] = set()
        for place in places[max(others, default=0) :]:
            cell = block[place]
            if DATE in cell.raw:
                said |= {place} if _kind(cell) in named else set()
            else:
                named |= {kind for kind in (_DAY_SAID, _TIME_SAID) if _names(kind, cell.text)}
    return said


def _is_other_figure(cell: Filled) -> bool:
    return DATE not in cell.raw and bool(re.search(r"\d", cell.text))


def _kind(date: Filled) -> re.Pattern[str]:
    return _DAY_SAID if _DAY.search(date.text) else _TIME_SAID


def _names(kind: re.Pattern[str], text: str) -> bool:
    return bool(kind.search(text)) and not _MEASURED.search(text)
