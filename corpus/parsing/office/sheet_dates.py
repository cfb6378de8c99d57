"""Tell which dates and times of a sheet are meant as such. Pure.

A spreadsheet makes 1 February of `1-2`, and two minutes past one of `1:02`: a weight or a ratio.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from corpus.parsing.office.sheet_heads import Filled
from corpus.parsing.published.xml_text import DATED

DATE = "\ue00c"  # after a date with its year, or a time; cleaning removes it

_SAID = re.compile(
    r"\b(?:date[ds]?|review(?:ed)?|issued?|valid|effective|expir\w+|updated|revised|published"
    r"|approved|ratified|amended|adopted|superseded|withdrawn|deadline|times?|o.clock|uhr(?:zeit)?"
    r"|\w*datum|\w*daten|stand|gültig\w*|überprüf\w*|überarbeitet|freigegeben|erstellt)\b"
    r"|^\W*(?:from|until|since|to|by|on|at|ab|bis|seit|am|um)\b[\s:.]*(?=$|\d)",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\b(?:doses?|weights?|ages?|kg|g|m[lg]|days?|weeks?|months?|years?|hours?|minutes?|rates?"
    r"|dosis|gewicht|alter|tage?|wochen?|monate?|jahre?|stunden?|minuten)\b",
    re.IGNORECASE,
)


def doubt_dates(block: Mapping[tuple[int, int], Filled]) -> dict[tuple[int, int], Filled]:
    """Return a block of cells with a mark on each date that no word beside it calls one.

    That is the cell on its left, or a head of its column in which all that has figures is a date.
    """
    return {
        place: replace(cell, raw=cell.raw + DATED)
        if DATE in cell.raw and not _is_said(block, place)
        else cell
        for place, cell in block.items()
    }


def _is_said(block: Mapping[tuple[int, int], Filled], place: tuple[int, int]) -> bool:
    row, column = place
    left = max((at for on, at in block if on == row and at < column), default=None)
    beside = block[place].text + ("" if left is None else f"\n{block[row, left].text}")
    if any(map(_says_date, beside.split("\n"))):
        return True
    cells = [block[at] for at in sorted(block) if at[1] == column]
    figures = [cell for cell in cells if re.search(r"\d", cell.text)]
    heads = (cell.text for cell in cells if cell not in figures)
    return all(DATE in cell.raw for cell in figures) and any(map(_says_date, heads))


def _says_date(text: str) -> bool:
    return bool(_SAID.search(text)) and not _MEASURED.search(text)
