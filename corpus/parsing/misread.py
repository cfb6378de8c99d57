"""Doubt lines where a comparison sign before a number or a power of ten was probably lost. Pure.

Fonts and encodings that do not say what they show turn ≥ and ≤ into other signs: `"e` and `"d` (the
two bytes of U+2265 and U+2264), `³` and `£` (their places in the Symbol font), `²` and `³` (in Mac
Roman), a private character, or a question mark. Of a power, the raised digits may have been lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from core.language.en.quantities.raised import UNSURE_POWER
from core.language.en.quantities.units import UNIT
from core.language.words import OVERSTRUCK
from corpus.parsing.clean import UNREADABLE
from corpus.parsing.layout.doubts import WORDS_STRUCK
from corpus.parsing.types import Block, BlockKind, Doubt, Line, Page, Row

SIGN_MISREAD = Doubt(
    "sign_misread",
    "A sign before a number was probably misread: it may be ≥, ≤ or another bound. Compare the "
    "line with the page, and correct it if it is.",
)
POWER_UNSURE = Doubt(
    "power_unsure",
    "Here is a power of ten whose digits may not have been raised, or raised digits that may mark "
    "a footnote: 10⁹ may be 109, or 10⁴ units 10 units. Compare the line with the page.",
)
_POWER_LOST = re.compile(
    r"[×✕✖xX*·]\s?10(?:\s?[-–−]\s?[1-9](?![\d.])"
    r"|(?:[3-9]|1[0-2])(?=\s?/|\sper\s|\s?(?:cells|copies|cfu|platelets)\b))",
    re.IGNORECASE,
)
_TWO_BYTES = re.compile(r"[\"“”„'‘’][ed]\s?(?=\d)(?!\d+T\b)")
_UTF8_AS_LATIN = re.compile("â‰[¤¥]?")
_NOT_SHOWN = re.compile(re.escape(UNREADABLE) + r"[^\S\n]?(?=\.?\d)|(?<=\S )\?\s?(?=\d)")
_RAISED = re.compile(r"(?<![^\s(|])[²³][^\S\n]?(?=\d)")  # not over the end of a row
_PRICE = re.compile(
    rf"£(?P<gap>\s?)\d[\d,]*(?P<pence>\.\d\d(?!\d))?(?:\.\d+)?(?P<unit>(?!\s?[mk]\b){UNIT})?",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\b(?:crcl|creatinine|clearance|e?gfr|aged?|inr|ha?emoglobin|hb|hba1c|bmi|platelets?|score"
    r"|neutrophils?|potassium|sodium|temperature|spo2|sats|ph|pressure)\s?(?:of\s|is\s|[(:]\s?)?$",
    re.IGNORECASE,
)
_OVERSTRUCK = re.compile(f"[{OVERSTRUCK}]")
_LOOK_CHARS = 40


def doubt_signs(page: Page) -> Page:
    """Return the page with a doubt for each line, row or block with a sign or power misread."""
    finders = ((SIGN_MISREAD, _misread), (POWER_UNSURE, _powers), (WORDS_STRUCK, _struck))
    doubts = {
        replace(doubt, start=start, end=end): None
        for doubt, find in finders
        for block in page.blocks
        for start, end in (_around(block, at) for at in find(page, block))
    }
    return replace(page, doubts=(*page.doubts, *doubts)) if doubts else page


def _powers(page: Page, block: Block) -> Iterator[int]:
    """Yield where in the page's text a power of ten of a block may be none, or a lost one."""
    text = page.text[block.start : block.end]
    for pattern in (_POWER_LOST, UNSURE_POWER):
        yield from (block.start + match.start() for match in pattern.finditer(text))


def _struck(page: Page, block: Block) -> Iterator[int]:
    """Yield where in the page's text words of a block are struck through, sign by sign."""
    text = page.text[block.start : block.end]
    yield from (block.start + match.start() for match in _OVERSTRUCK.finditer(text))


def _misread(page: Page, block: Block) -> Iterator[int]:
    """Yield where in the page's text a sign of a block may be misread."""
    text = page.text[block.start : block.end]
    for pattern in (_TWO_BYTES, _UTF8_AS_LATIN, _NOT_SHOWN):
        yield from (block.start + match.start() for match in pattern.finditer(text))
    for match in _RAISED.finditer(text):
        if match.start() or block.kind is BlockKind.TABLE or not _is_note(match[0][0], page.text):
            yield block.start + match.start()
    for match in _PRICE.finditer(text):
        before = text[max(0, match.start() - _LOOK_CHARS) : match.start()]
        odd = (match["gap"] or match["unit"]) and not match["pence"]
        if odd or _MEASURED.search(before):
            yield block.start + match.start()


def _is_note(mark: str, text: str) -> bool:
    """Tell whether the text refers to a footnote of this mark."""
    return bool(re.search(rf"(?<=[\w.,)%])(?<![cdkmnµμ/ ]m)(?<!10){mark}", text))


def _around(block: Block, at: int) -> tuple[int, int]:
    """Return the span of the printed line or row at `at`, or of the whole block."""
    rows = block.table.rows if block.table else ()
    parts: tuple[Line | Row, ...] = (*block.lines, *rows)
    spans = ((part.start, part.end) for part in parts if part.start <= at < part.end)
    return next(spans, (block.start, block.end))
