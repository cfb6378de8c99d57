"""Tell which words of an Excel file are struck out, or can't be seen, by their formats."""

from __future__ import annotations

import re
import zipfile
from typing import Any

from corpus.parsing.office.package import part_of
from corpus.parsing.office.word_lists import is_on
from corpus.parsing.published.xml_text import STRUCK

_TEXTS = re.compile(r"xl/(?:sharedStrings|worksheets/[^/]+)\.xml", re.I)
_WHITE_THEME = 0  # ECMA-376, part 1, 18.8.3: the first colour of a theme is that of paper


def struck_texts(archive: zipfile.ZipFile) -> dict[str, str]:
    """Map the texts of which only a part is struck out to what stays of them, with a mark."""
    found = {}
    for name in filter(_TEXTS.fullmatch, archive.namelist()):
        raw = archive.read(name)
        if b"strike" not in raw:
            continue
        for text in part_of(raw).iter():
            runs = text.findall("r") if text.tag in ("si", "is") else []
            words = ["".join(t.text or "" for t in run.iter("t")) for run in runs]
            gone = [is_on(run.find("rPr/strike")) for run in runs]
            if any(gone):
                kept = (STRUCK if out else word for word, out in zip(words, gone, strict=True))
                found["".join(words)] = "".join(kept)
    return found


def strikes_by_rule(sheet: Any) -> bool:
    """Tell whether a condition may strike out cells of a sheet."""
    rules = (rule for each in sheet.conditional_formatting for rule in each.rules)
    return any(rule.dxf and rule.dxf.font and rule.dxf.font.strike for rule in rules)


def is_unseen(cell: Any) -> bool:
    """Tell whether a cell is white on white, or its format shows nothing of a text."""
    colour = cell.font.color
    is_white = colour is not None and (
        (colour.type == "rgb" and str(colour.rgb).upper().endswith("FFFFFF"))
        or (colour.type == "theme" and colour.theme == _WHITE_THEME and not colour.tint)
    )
    is_bare = cell.fill.fill_type is None
    return (is_white and is_bare) or (
        isinstance(cell.value, str) and (cell.number_format or "").endswith(";;;")
    )
