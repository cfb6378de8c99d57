"""Join running text that continues over columns, pages, tables, figures and formulas.

A paragraph may continue at the top of the next column or page, below a table or a figure, and after
a formula. On one page it becomes one block; on the next page it becomes a block that `continues`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.parsing.broken import goes_on
from corpus.parsing.geometry import width
from corpus.parsing.layout.paragraphs import Group
from corpus.parsing.layout.styles import is_formula, is_limit
from corpus.parsing.tables.find import FoundTable
from corpus.parsing.types import BlockKind, Doubt

JOIN_GUESSED = Doubt(
    "page_join_guessed",
    "This text was joined to the end of the page before, because the sentence there had no end. "
    "Check that it goes on here.",
)
NO_START = Doubt(
    "sentence_without_start",
    "This text begins in the middle of a sentence, and what it goes on from was not found.",
)
NO_END = Doubt(
    "sentence_without_end",
    "This text ends in the middle of a sentence, and where it goes on was not found.",
)

Part = Group | FoundTable

_FLOWING = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
_ENDED = re.compile(r"[.:?!]['\")\]”’]*[⁰¹²³⁴⁵⁶⁷⁸⁹*†‡]*$")
_STOPPED = re.compile(r"[.?!]['\")\]”’]*[⁰¹²³⁴⁵⁶⁷⁸⁹*†‡]*$")
_OPEN_WORD = re.compile(
    r"\b(?:a|about|an|and|are|as|at|at (?:least|most)|be|by|every|for|from|if|in|is|nor|of|on|or"
    r"|than|that|the|to|was|were|when|which|with|without)$"
)


def join_flow(pages: Sequence[Sequence[Part]]) -> list[list[Part]]:
    """Join groups that continue each other, and return the parts of each page.

    Adds doubts to guessed joins and to sentences without a start or an end. Changes groups in
    place.
    """
    joined: list[list[Part]] = []
    before: Group | None = None
    for parts in pages:
        here: list[Part] = []
        fresh = True  # nothing of this page's text has come yet
        for part in parts:
            if before is not None and isinstance(part, Group) and len(part.lines) == 1:
                last, line = before.lines[-1], part.lines[0]
                is_below = line.box[1] > last.box[1] and is_limit(line, last)
                if is_below and is_formula([last], before.column):  # the limit of a sum
                    before.lines.extend(part.lines)
                    continue
            if not isinstance(part, Group) or part.kind not in (*_FLOWING, BlockKind.HEADING):
                here.append(part)
                continue
            if part.kind is BlockKind.HEADING or part.stands_alone:
                before, fresh = None, False
                here.append(part)
                continue
            if before is not None and fresh:
                _join_pages(before, part)
            elif before is not None and _goes_on_here(before, part, here):
                before.lines.extend(part.lines)
                continue
            before, fresh = part, False
            here.append(part)
        joined.append(here)
    return joined


def _join_pages(before: Group, part: Group) -> None:
    """Mark `part`, the first text of its page, as continuing `before`, or add a doubt.

    A doubt marks a guessed join, a start in the middle of a sentence, or a sentence without an end.
    """
    sure = _follows(before, part) or _is_sum_of(before, part)
    if sure or _may_follow(before, part):
        part.continues = True
        part.kind = before.kind
        if not sure:
            part.doubts.append(JOIN_GUESSED)
    elif part.kind is BlockKind.PARAGRAPH and part.text[0].islower():
        part.doubts.append(NO_START)
    elif before.kind is BlockKind.PARAGRAPH and _is_full(before) and not _ENDED.search(before.text):
        before.doubts.append(NO_END)


def _goes_on_here(before: Group, part: Group, here: Sequence[Part]) -> bool:
    """Tell whether `part` continues `before` on the same page."""
    if _is_sum_of(before, part):
        return True
    elsewhere = part.lines[0].box[1] < before.lines[-1].box[3] - 2  # at the top of a column
    apart = elsewhere or here[-1] is not before
    return apart and (_follows(before, part) or _may_follow(before, part))


def _is_sum_of(before: Group, part: Group) -> bool:
    """Tell whether `part` is the formula that `before` leads to, or the words after a formula."""
    if part.kind is not BlockKind.PARAGRAPH or _STOPPED.search(before.text):
        return False
    if is_formula(part.lines, part.column):
        return True
    return is_formula(before.lines[-1:], before.column) and part.text[0].islower()


def _follows(before: Group, part: Group) -> bool:
    """Tell whether `part` surely continues `before`.

    `before` has no end of sentence, and it ends with an open word or `part` begins with a small
    letter. A list item goes on behind an open word only with a figure: `for at least`, `14 days`.
    """
    end, start = before.lines[-1], part.lines[0]
    number_goes_on = goes_on(end.text, start.text)
    if part.kind is not BlockKind.PARAGRAPH or (_ENDED.search(before.text) and not number_goes_on):
        return False
    if abs(end.size - start.size) > max(0.6, 0.15 * end.size):
        return False
    is_open = end.text[-1] in "-,;(" or _OPEN_WORD.search(end.text) is not None
    return (
        number_goes_on
        or start.text[0].islower()
        or (is_open and (before.kind is BlockKind.PARAGRAPH or start.text[0].isdigit()))
    )


def _may_follow(before: Group, part: Group) -> bool:
    """Tell whether `part` probably continues `before`.

    `before` has no end of sentence and fills its column, and `part` has the same indent and size.
    """
    if part.kind is not BlockKind.PARAGRAPH or _ENDED.search(before.text) or not _is_full(before):
        return False
    end, start = before.lines[-1], part.lines[0]
    inset = start.box[0] - part.column[0]
    hanging = before.text_left - before.column[0] if before.kind is BlockKind.LIST_ITEM else 0.0
    return abs(inset - hanging) < 4 and abs(end.size - start.size) <= max(0.6, 0.15 * end.size)


def _is_full(group: Group) -> bool:
    """Tell whether the last line of a group reaches the right edge of its column."""
    return group.lines[-1].box[2] > group.column[2] - 0.12 * width(group.column)
