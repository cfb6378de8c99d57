"""Find the tables that continue on the next page.

The part on the next page stays a table of its own. If it prints no labels, it inherits those of the
part before, with a doubt for the approver; they are not put into the page's text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from corpus.parsing.doubts.grades import Grade
from corpus.parsing.drafts import DraftTable
from corpus.parsing.geometry import PageCells
from corpus.parsing.layout.flow import Part
from corpus.parsing.layout.paragraphs import Group
from corpus.parsing.tables.find import FoundTable
from corpus.parsing.tables.printed import begins_with_section, header_rows, with_header
from corpus.parsing.types import BlockKind, Cell, Doubt

LABELS_TAKEN_OVER = Doubt(
    "table_labels_taken_over",
    "This table has no labels of its own and was taken to go on from the page before. Check that "
    "its columns are those of that table.",
)
GROUPS_OVER_BREAK = Doubt(
    "table_groups_over_break",
    "The label of a group on the page before may hold for the first rows here. It was not "
    "repeated.",
)
ROW_OVER_BREAK = Doubt(
    "table_row_over_break",
    "The first row here seems to go on with the last row of the page before. They were not joined.",
)
_CONTINUED = re.compile(r"\bcont(?:inued|['’.]?d|\.)", re.IGNORECASE)
_NUMBER = re.compile(r"^\w+\s+[A-Z]?\d+(?:[.:–-]\d+)*", re.IGNORECASE)
_COUNTED = re.compile(r"^((?:\d+\.)*)(\d{1,3})[.)]?$")
_LOW = 0.6  # of the page's height: a table that ends higher has no continuation without labels
_SHIFT = 12.0  # points between edges of one column on two pages


def join_tables(parts: Sequence[Sequence[Part]], pages: Sequence[PageCells]) -> list[list[Part]]:
    """Return the parts of each page, with continued tables marked and given labels and caption."""
    joined = [list(page_parts) for page_parts in parts]
    for above, below, page in zip(joined, joined[1:], pages, strict=False):
        # The table at the end of a page, footnotes aside, and the index of the table at the
        # beginning of the next page, captions aside.
        last = next((part for part in reversed(above) if not _is(part, BlockKind.FOOTNOTE)), None)
        places = (at for at, part in enumerate(below) if not _is(part, BlockKind.CAPTION))
        first = next(places, None)
        if not isinstance(last, FoundTable) or first is None:
            continue
        continuation = _continuation(last, below, first, is_low=last.box[3] > _LOW * page.height)
        if continuation is not None:
            below[first] = continuation
    return joined


def _is(part: Part, kind: BlockKind) -> bool:
    return isinstance(part, Group) and part.kind is kind


def _continuation(
    last: FoundTable, below: Sequence[Part], first: int, *, is_low: bool
) -> FoundTable | None:
    """Return the next page's table as the continuation of `last`; None if it is none."""
    table = below[first]
    if not isinstance(table, FoundTable) or not _same_caption(last.draft, below[:first]):
        return None
    if not _same_columns(last.draft.cells, table.draft.cells):
        return None
    draft, doubts = table.draft, list(table.draft.doubts)
    labels = last.draft.header or last.draft.inherited
    if last.bold_labels and not table.bold_labels and draft.header != labels:
        draft = replace(draft, cells=with_header(draft.cells, 0))  # a row of the body
    if draft.header and draft.header != labels:
        return None
    if not draft.header:
        if not is_low or begins_with_section(draft.cells):
            return None
        is_same = _is_named(last.draft, below[:first]) or _counts_on(last.draft, draft)
        if not (is_same and _is_sure(last.draft)):
            doubts.append(LABELS_TAKEN_OVER)
    doubts += _doubts_of_rows(last.draft, draft)
    # A part may have one column more or less, that of its groups.
    width = len(draft.rows[0]) if draft.rows else 0
    fitting = [labels, ("", *labels), *([labels[1:]] if labels and not labels[0] else [])]
    draft = replace(
        draft,
        caption=last.draft.caption,
        continues=True,
        inherited=next((row for row in fitting if len(row) == width), ()),
        doubts=tuple(dict.fromkeys(doubts)),
    )
    return replace(table, draft=draft, bold_labels=last.bold_labels)


def _same_caption(last: DraftTable, above: Sequence[Part]) -> bool:
    """Tell whether a table has no caption, or one that repeats that of the first part."""
    text = _own_caption(above)
    return not text or _is_named(last, above) or bool(_CONTINUED.search(text))


def _is_named(last: DraftTable, above: Sequence[Part]) -> bool:
    """Tell whether a table's own caption has the number of the first part's: `Table 3 Cont.`."""
    own, number = _NUMBER.match(_own_caption(above)), _NUMBER.match(last.caption)
    return own is not None and number is not None and own.group() == number.group()


def _counts_on(last: DraftTable, draft: DraftTable) -> bool:
    """Tell whether the numbers of the rows go on: 13.4 is the first behind 13.3."""
    rows = last.rows[-1:], draft.rows[:1]
    ends = [_COUNTED.match(row[0]) for (row,) in rows if row] if all(rows) else []
    if len(ends) < 2 or not (ends[0] and ends[1]):
        return False
    return ends[0][1] == ends[1][1] and int(ends[0][2]) + 1 == int(ends[1][2])


def _is_sure(last: DraftTable) -> bool:
    """Tell whether no value of the part before is in doubt, and so its labels neither."""
    return all(doubt.grade is not Grade.VALUE for doubt in last.doubts)


def _own_caption(above: Sequence[Part]) -> str:
    texts = [" ".join(line.text for line in p.lines) for p in above if isinstance(p, Group)]
    return texts[-1] if texts else ""


def _same_columns(cells: Sequence[Cell], others: Sequence[Cell]) -> bool:
    """Tell whether two tables have their columns at the same places, up to a common shift."""
    columns, below = _columns(cells), _columns(others)
    if set(columns) != set(below):
        return False
    shift = below[0][0] - columns[0][0] if columns.get(0) else 0.0
    return all(
        min(abs(below[at][0] - left - shift), abs(below[at][1] - right - shift)) <= _SHIFT
        for at, (left, right) in columns.items()
    )


def _columns(cells: Sequence[Cell]) -> dict[int, tuple[float, float]]:
    """Return the left and right edge of each column, over the cells of the body."""
    labels = header_rows(cells)
    edges: dict[int, tuple[float, float]] = {}
    for cell in cells:
        if cell.columns == 1 and cell.box is not None and cell.row >= labels and cell.text:
            left, right = edges.get(cell.column, (cell.box[0], cell.box[2]))
            edges[cell.column] = (min(left, cell.box[0]), max(right, cell.box[2]))
    return edges


def _doubts_of_rows(last: DraftTable, draft: DraftTable) -> list[Doubt]:
    if not last.rows or not draft.rows:
        return []
    doubts = []
    top = draft.rows[0]
    grouped = len(last.rows[0]) > max(cell.column + cell.columns for cell in last.cells)
    if not top[0] or (grouped and len(top) < len(last.rows[0])):
        doubts.append(GROUPS_OVER_BREAK)
    if any(text[:1].islower() for text in top):
        doubts.append(ROW_OVER_BREAK)
    return doubts
