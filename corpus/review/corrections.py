"""Apply corrections of staff to a page as it was read.

What was read is matched word by word: a correction applies where it was made if the text there is
the same, else at the only other place with the same text, and never at a guess.
"""

from __future__ import annotations

import hashlib
import json
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
from corpus.parsing.doubts.grades import NOT_READ, Grade
from corpus.parsing.drafts import DraftTable, write_page
from corpus.parsing.serialise import table_from_raw
from corpus.parsing.tables.printed import header_rows
from corpus.parsing.types import Block, Cell, Doubt, Line, Page, Table

UNFIT = "correction_unfit"  # the code of a doubt
At = tuple[int, int | None]  # block, and cell of its table


class CorrectionsNotSeen(MedragError):
    """Nobody has confirmed comparing the corrections with the page."""

    code = "corrections_not_seen"


@dataclass(frozen=True)
class Applied:
    """A correction on a page: `spans` of the corrected text, `was` those of the text as read.

    `text` and `read` are the differing words, each with a neighbour. Of a repaired table these are
    rows, and each run of rows that differ has an entry with the same id.
    """

    id: int
    spans: tuple[Span, ...]
    was: tuple[Span, ...]
    text: str
    read: str


@dataclass(frozen=True)
class CorrectedPage:
    """A page with the corrections that fit, and those that don't, in their order.

    `has_other_heads`: a part of a table has the corrected heads of a page before.
    """

    page: Page
    applied: tuple[Applied, ...]
    unfit: tuple[Correction, ...]
    has_other_heads: bool = False


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
        text = page.text[block.start : block.end]
        texts[number, None] = (text, cells_key(block.table.cells))
    return texts


def cells_key(cells: Iterable[Cell]) -> str:
    """Return the cells as JSON without their boxes: equal for tables that are printed alike."""
    rows = [[c.row, c.column, c.rows, c.columns, c.is_header, c.text] for c in cells]
    return json.dumps(rows, ensure_ascii=False)


def cells_keyed(key: str) -> tuple[Cell, ...]:
    """Return the cells of a key."""
    return tuple(
        Cell(r, c, text, rows, columns, h) for r, c, rows, columns, h, text in json.loads(key)
    )


@dataclass(frozen=True)
class TableNow:
    """A table as read, and its cells with what was corrected; `seen` is other after each change.

    `inherited` are the labels of the part on the page before, if this part prints none.
    """

    printed: str
    cells_read: tuple[Cell, ...]
    cells: tuple[Cell, ...]
    inherited: tuple[str, ...]
    caption: str
    continues: bool

    @property
    def seen(self) -> str:
        keys = f"{cells_key(self.cells_read)} {cells_key(self.cells)}"
        return hashlib.sha256(keys.encode()).hexdigest()[:32]

    def written(self, cells: Sequence[Cell]) -> tuple[str, Table]:
        """Return text and table of these cells in its place."""
        text, block = _written(cells, self.caption, self.inherited)
        return text, block.table or Table((), ())


def table_now(read: Page, block: int, corrections: Sequence[Correction]) -> TableNow | None:
    """Return a table of a page as read, with the page's corrections; None for other blocks."""
    table = read.blocks[block].table if block < len(read.blocks) else None
    now = corrected(read, corrections).page.blocks[block].table if table else None
    if table is None or now is None or not table.cells:
        return None
    old = read.blocks[block]
    return TableNow(
        printed=read.text[old.start : old.end],
        cells_read=table.cells,
        cells=now.cells,
        inherited=_inherited(table),
        caption=table.caption,
        continues=old.continues,
    )


def placed(page: Page, corrections: Sequence[Correction]) -> dict[int, At]:
    """Map corrections (by id) of a page as read to where they fit; others are left out.

    One of a cell doesn't fit a table that is repaired.
    """
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
    repaired = {place_of[c.pk][0] for c in corrections if c.table and c.pk in place_of}
    return {pk: at for pk, at in place_of.items() if at[1] is None or at[0] not in repaired}


def corrected(page: Page, corrections: Sequence[Correction]) -> CorrectedPage:
    """Apply a page's current corrections to the page as read."""
    counting = [correction for correction in corrections if not correction.is_taken_back]
    at = placed(page, counting)
    fit = [correction for correction in counting if correction.pk in at]
    unfit = tuple(correction for correction in counting if correction.pk not in at)
    tables = {at[c.pk][0]: table_from_raw(c.table).cells for c in fit if c.table}
    text, blocks = "", []
    for number, block in enumerate(page.blocks):
        text += page.text[page.blocks[number - 1].end if number else 0 : block.start]
        changes = {at[c.pk][1]: c.text for c in fit if at[c.pk][0] == number}
        if number in tables:
            block_text, made = _repaired(block, tables[number])
        else:
            block_text, made = _rewritten(block, page.text[block.start : block.end], changes)
        blocks.append(_moved(made, len(text)))
        text += block_text
    text += page.text[page.blocks[-1].end if page.blocks else 0 :]
    whole = replace(page, text=text, blocks=tuple(blocks))
    applied = tuple(one for c in fit for one in _applied(page, whole, c, at[c.pk]))
    settled = [page.blocks[number] for number in tables]
    left = (doubt for doubt in page.doubts if not any(_settles(b, doubt) for b in settled))
    doubts = (*(_doubt(doubt, page.blocks, blocks) for doubt in left), *map(_unfit, unfit))
    return CorrectedPage(replace(whole, doubts=doubts), applied, unfit)


def heads_carried(read: Sequence[Page], made: Sequence[CorrectedPage]) -> list[CorrectedPage]:
    """Give parts of tables that print no heads the corrected ones of the part before.

    `read` are the pages of a document as read, in order, and `made` the same with corrections. A
    part with another number of columns keeps its own.
    """
    carried = []
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    for page, one in zip(read, made, strict=True):
        blocks = list(one.page.blocks)
        for number, was in enumerate(page.blocks):
            table = blocks[number].table
            if was.table is None or table is None:
                continue
            goes_on = was.continues and old == was.table.header == _inherited(table)
            if goes_on and len(old) == len(new):
                blocks[number] = replace(blocks[number], table=replace(table, header=new))
            old, new = was.table.header, (blocks[number].table or table).header
        has_other = tuple(blocks) != one.page.blocks
        whole = replace(one.page, blocks=tuple(blocks))
        carried.append(replace(one, page=whole, has_other_heads=has_other))
    return carried


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
    text, made = _written(cells, block.table.caption, block.table.header)
    return text, replace(made, continues=block.continues)


def _repaired(block: Block, cells: Sequence[Cell]) -> tuple[str, Block]:
    """Return text and block at offset 0 of a table of these cells in the block's place."""
    table = block.table or Table((), ())
    text, made = _written(cells, table.caption, _inherited(table))
    return text, replace(made, continues=block.continues)


def _written(cells: Sequence[Cell], caption: str, inherited: tuple[str, ...]) -> tuple[str, Block]:
    written = write_page(Page(0, "", ()), [DraftTable(tuple(cells), caption, inherited=inherited)])
    return written.text, written.blocks[0]


def _inherited(table: Table) -> tuple[str, ...]:
    return () if header_rows(table.cells) else table.header


def _settles(repaired: Block, doubt: Doubt) -> bool:
    """Tell whether repairing a table answers a doubt: one about the values that were read there."""
    is_inside = repaired.start <= doubt.start < doubt.end <= repaired.end
    return is_inside and doubt.grade is Grade.VALUE and doubt.code not in NOT_READ


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


def _applied(page: Page, now: Page, correction: Correction, at: At) -> list[Applied]:
    number, cell = at
    old, new = page.blocks[number], now.blocks[number]
    if correction.table:
        return _applied_rows(page, now, correction, number)
    alone = _rewritten(old, page.text[old.start : old.end], {cell: correction.text})[1]
    read, text = words_changed(correction.as_read, correction.text)
    parts = [[(block.start, block.end)] for block in (new, old)]
    if old.table and new.table and alone.table and len(old.table.rows) == len(new.table.rows):
        pairs = list(zip(_rows(old), _rows(alone), strict=True))
        touched = [n for n, (before, after) in enumerate(pairs) if before[1] != after[1]]
        parts = [[_rows(block)[n][0] for n in touched] for block in (new, old)]
    return [Applied(correction.pk, tuple(parts[0]), tuple(parts[1]), text, read)]


def _applied_rows(page: Page, now: Page, correction: Correction, number: int) -> list[Applied]:
    """Return what a repaired table changed, run by run; of removed rows with a row beside them.

    Where a head changed each row reads otherwise.
    """
    old, new = _rows(page.blocks[number]), _rows(now.blocks[number])
    heads = old[0][1], new[0][1]
    keyed = [
        [(head, cells) for _, cells in rows] for head, rows in zip(heads, (old, new), strict=True)
    ]
    made = []
    for kind, a, b, x, y in SequenceMatcher(None, keyed[0], keyed[1], autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        before, after = (
            old[a:b] or old[max(a - 1, 0) : a + 1],
            new[x:y] or new[max(x - 1, 0) : x + 1],
        )
        read, text = words_changed(_joined(before), _joined(after))
        if read == text:  # the same words, some of them heads now
            read, text = (CELLS.join(head) for head in heads)
        spans, was = (
            tuple(span for span, _ in rows if span[0] < span[1]) for rows in (after, before)
        )
        made.append(Applied(correction.pk, spans, was, text, read))
    return made or [Applied(correction.pk, (), (), "", "")]


def _joined(rows: Sequence[tuple[Span, tuple[str, ...]]]) -> str:
    return " / ".join(CELLS.join(cells) for _, cells in rows if any(cells))


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
