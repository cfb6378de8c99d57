"""Apply corrections of staff to a page as it was read.

What was read is matched word by word: a correction applies where it was made if the text there is
the same, else at the only other place with the same text, and never at a guess.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format

from core.errors import MedragError
from core.language.words import CELLS
from corpus.boxes import Span
from corpus.models import Correction, Document
from corpus.parsing.drafts import DraftTable, write_page
from corpus.parsing.types import Block, Doubt, Line, Page

UNFIT = "correction_unfit"  # the code of a doubt
At = tuple[int, int | None]  # block, and cell of its table


class CorrectionsNotSeen(MedragError):
    """Nobody has confirmed comparing the corrections with the page."""

    code = "corrections_not_seen"


@dataclass(frozen=True)
class Applied:
    """A correction on a page: `spans` of the corrected text, `was` those of the text as read.

    `text` and `read` are the differing words, each with a neighbour.
    """

    id: int
    spans: tuple[Span, ...]
    was: tuple[Span, ...]
    text: str
    read: str


@dataclass(frozen=True)
class CorrectedPage:
    """A page with the corrections that fit, and those that don't, in their order."""

    page: Page
    applied: tuple[Applied, ...]
    unfit: tuple[Correction, ...]


def corrections_current(document: Document) -> QuerySet[Correction]:
    """Return the latest correction of each place, including those that restore the text as read."""
    return document.corrections.filter(is_current=True).select_related("made_by", "seen_by")


def corrections_unseen(document: Document) -> QuerySet[Correction]:
    """Return corrections that nobody has published yet, by page."""
    return corrections_current(document).filter(seen_at=None)


def refuse_uncompared(document: Document, seen: Collection[int]) -> None:
    """Raise CorrectionsNotSeen unless all corrections are in `seen` (ids). Runs one query."""
    if corrections_unseen(document).exclude(pk__in=seen).exists():
        raise CorrectionsNotSeen(
            f"“{document}” was not published: nobody has compared its corrections with the page.",
            hint="Open “Check and publish”, compare each correction and tick it.",
        )


def places(page: Page) -> dict[At, tuple[str, str]]:
    """Map each correctable place to its text and the text around it."""
    texts: dict[At, tuple[str, str]] = {}
    for number, block in enumerate(page.blocks):
        if block.table is None:
            text = page.text[block.start : block.end]
            texts[number, None] = (text, text)
            continue
        for index, cell in enumerate(block.table.cells):
            row = (other.text for other in block.table.cells if other.row == cell.row)
            texts[number, index] = (cell.text, CELLS.join(row))
    return texts


def placed(page: Page, corrections: Iterable[Correction]) -> dict[int, At]:
    """Map corrections (by id) of a page as read to where they fit; others are left out."""
    known = places(page)
    place_of: dict[int, At] = {}
    for correction in corrections:
        wanted = (correction.as_read, correction.around)
        here = (correction.block, correction.cell)
        same = [
            at
            for at, text in known.items()
            if text == wanted and (at[1] is None) == (correction.cell is None)
        ]
        if here in same or len(same) == 1:
            place_of[correction.pk] = here if here in same else same[0]
    return place_of


def corrected(page: Page, corrections: Sequence[Correction]) -> CorrectedPage:
    """Apply a page's current corrections to the page as read."""
    counting = [correction for correction in corrections if not correction.is_taken_back]
    at = placed(page, counting)
    fit = [correction for correction in counting if correction.pk in at]
    unfit = tuple(correction for correction in counting if correction.pk not in at)
    text, blocks = "", []
    for number, block in enumerate(page.blocks):
        text += page.text[page.blocks[number - 1].end if number else 0 : block.start]
        changes = {at[c.pk][1]: c.text for c in fit if at[c.pk][0] == number}
        block_text, made = _rewritten(block, page.text[block.start : block.end], changes)
        blocks.append(_moved(made, len(text)))
        text += block_text
    text += page.text[page.blocks[-1].end if page.blocks else 0 :]
    applied = tuple(_applied(page, blocks, correction, at[correction.pk]) for correction in fit)
    doubts = (*(_doubt(doubt, page.blocks, blocks) for doubt in page.doubts), *map(_unfit, unfit))
    whole = replace(page, text=text, blocks=tuple(blocks), doubts=doubts)
    return CorrectedPage(whole, applied, unfit)


def words_changed(read: str, text: str) -> tuple[str, str]:
    """Return the differing words of both texts, with a neighbour on either side."""
    old, new = read.split(), text.split()
    first = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    first = min(len(old), len(new)) if first is None else first
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    begin, end = max(first - 1, 0), max(last - 1, 0)
    return " ".join(old[begin : len(old) - end]), " ".join(new[begin : len(new) - end])


def _rewritten(block: Block, old: str, changes: Mapping[int | None, str]) -> tuple[str, Block]:
    """Return the block's text and the block at offset 0, with the changed text or cells."""
    if not changes:
        return old, _moved(block, -block.start)
    if block.table is None:
        text = changes[None]
        return text, replace(block, start=0, end=len(text), lines=_lines(block, old, text))
    cells = tuple(replace(c, text=changes.get(n, c.text)) for n, c in enumerate(block.table.cells))
    draft = DraftTable(cells, block.table.caption, block.continues, inherited=block.table.header)
    written = write_page(Page(0, "", ()), [draft])
    return written.text, written.blocks[0]


def _lines(block: Block, old: str, new: str) -> tuple[Line, ...]:
    """Return the printed lines, each with its part of the new text."""
    if not block.lines:
        return ()
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    starts = [_offset(line.start - block.start, steps) for line in block.lines]
    ends = [*starts[1:], len(new)]
    parts = zip(block.lines, [0, *starts[1:]], ends, strict=True)
    return tuple(Line(a, a + len(new[a:b].rstrip()), line.box) for line, a, b in parts)


def _offset(at: int, steps: Sequence[tuple[str, int, int, int, int]]) -> int:
    """Map an offset to the other text; to the start of an insertion."""
    step = next((step for step in steps if step[1] <= at <= step[2]), None)
    return 0 if step is None else min(step[3] + at - step[1], step[4])


def _moved(block: Block, by: int) -> Block:
    lines = tuple(replace(line, start=line.start + by, end=line.end + by) for line in block.lines)
    table = block.table
    if table is not None:
        rows = (replace(row, start=row.start + by, end=row.end + by) for row in table.rows)
        table = replace(table, rows=tuple(rows))
    return replace(block, start=block.start + by, end=block.end + by, lines=lines, table=table)


def _applied(page: Page, blocks: Sequence[Block], correction: Correction, at: At) -> Applied:
    number, cell = at
    old, new = page.blocks[number], blocks[number]
    alone = _rewritten(old, page.text[old.start : old.end], {cell: correction.text})[1]
    read, text = words_changed(correction.as_read, correction.text)
    parts = [[(block.start, block.end)] for block in (new, old)]
    if old.table and new.table and alone.table and len(old.table.rows) == len(new.table.rows):
        pairs = list(zip(_rows(old), _rows(alone), strict=True))
        touched = [n for n, (before, after) in enumerate(pairs) if before[1] != after[1]]
        parts = [[_rows(block)[n][0] for n in touched] for block in (new, old)]
    return Applied(correction.pk, tuple(parts[0]), tuple(parts[1]), text, read)


def _rows(block: Block) -> list[tuple[Span, tuple[str, ...]]]:
    """Return a table's labels and rows, each with its span."""
    if block.table is None or not block.table.rows:
        return [((block.start, block.end), block.table.header if block.table else ())]
    rows = block.table.rows
    labels = ((block.start, rows[0].start), block.table.header)
    return [labels, *(((row.start, row.end), row.cells) for row in rows)]


def _doubt(doubt: Doubt, old: Sequence[Block], new: Sequence[Block]) -> Doubt:
    """Move a doubt to the same words, or to the whole block if it was corrected."""
    touched = [n for n, b in enumerate(old) if b.start < doubt.end and doubt.start < b.end]
    if not touched:
        return doubt
    first, last = touched[0], touched[-1]
    is_same = [old[n].end - old[n].start == new[n].end - new[n].start for n in (first, last)]
    start = doubt.start + new[first].start - old[first].start if is_same[0] else new[first].start
    end = doubt.end + new[last].end - old[last].end if is_same[1] else new[last].end
    return replace(doubt, start=max(start, 0), end=end)


def _unfit(correction: Correction) -> Doubt:
    day = date_format(timezone.localtime(correction.made_at), "j F Y")
    who = f" by {correction.made_by}" if correction.made_by else ""
    return Doubt(
        UNFIT,
        f"A correction no longer fits: that of {day}{who}. The page is read otherwise now. Compare "
        "it with the picture, make the correction anew if it is needed, and take the old one back.",
    )
