"""Find the quotable rows of a table, each with its labels and all that it depends on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.language.en.statements.leads import CONDITION, joins_after, joins_before
from core.language.marks import cell_marks, leading_mark, marks_in, note_mark, note_marks
from core.language.words import CELLS
from corpus.statements.lead_ins import Leads, introduction, limiting_headings
from corpus.statements.places import Place, VerbatimSpan, one_line

MAX_REGIMEN_ROWS = 8  # that are quoted as one
_TOLD_APART = 2  # different cells, at most, of a row without labels: a name and a value


@dataclass(frozen=True)
class Row:
    """A quotable row. Its pieces: the row itself, labels, merged cell, leads and footnotes."""

    index: int  # 0-based, among the rows of its table
    shown: str  # cells with their labels, footnotes behind
    leads: Leads  # headings, the line above and the caption: they stand in front
    pieces: tuple[VerbatimSpan, ...]


def table_rows(at: Place, section_path: Sequence[str]) -> Iterator[Row]:
    """Yield the quotable rows of a table; none if what they depend on can't be determined."""
    table = at.block["table"]
    rows = table["rows"]
    parts = (
        (limiting_headings(at, section_path), introduction(at), _placed_caption(at)) if rows else ()
    )
    if not rows or None in parts:
        return
    leads = tuple(dict.fromkeys(piece for part in parts for piece in part or ()))
    before = _part_before(at)
    goes_on = before is not None and before.block["table"]["rows"]
    labels = _labels(at) or (_labels(before) if before and goes_on else ())
    # Is the first cell of each row the label of a section, which the rows do not print?
    width = max((cell["column"] + cell["columns"] for cell in table.get("cells", ())), default=0)
    is_sectioned = not labels and 0 < width < len(rows[0]["cells"])
    set_in = tuple(_note_rows(at))
    every = _filled([row["cells"] for row in rows])
    goes_with = _regimens(every)
    for index, (filled, above) in enumerate(every):
        last = goes_with.get(index, index)
        start, end = rows[index]["start"], rows[last]["end"]
        in_note = any(start <= note.start < end for note in set_in)
        if in_note or any(first < index <= end_row for first, end_row in goes_with.items()):
            continue
        merged = _merged_cell(at, index, above, filled)
        if merged is None or (is_sectioned and len({*filled[1:]} - {""}) > _TOLD_APART):
            continue
        row = at.piece(start, end)
        pieces = (row, *labels, *merged)
        marked = CELLS.join(part.text for part in (*labels, *pieces, *leads))
        notes = _footnotes(at, set_in, marked=marked)
        parts_of_row = [filled, *(_new_cells(every, part) for part in range(index + 1, last + 1))]
        regimen = "; ".join(labelled(table["header"], cells) for cells in parts_of_row)
        shown = " ".join([regimen, *(f"({note.text})" for note in notes)])
        yield Row(index, shown, leads, (*pieces, *leads, *notes))


def filled_cells(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return the cells of each row, an empty first cell filled with the merged cell above."""
    return [cells for cells, _ in _filled(rows)]


def _labels(at: Place) -> Leads:
    """Return the header row of a table as a piece; empty if it prints none."""
    header = at.piece(at.block["start"], at.block["table"]["rows"][0]["start"])
    return (header,) if header.text else ()


def _part_before(at: Place) -> Place | None:
    """Return the last table of the page before, if this table continues it; else None."""
    if not at.block.get("continues"):
        return None
    return next(
        (p for p in at.above() if p.page == at.page - 1 and p.block.get("table")),
        None,
    )


def caption_of(at: Place) -> str:
    """Return the table's own caption, else the caption right above it; may be empty."""
    own = str(at.block["table"].get("caption", ""))
    above = replace(at, position=at.position - 1) if at.position else None
    if own or above is None or above.kind != "caption":
        return own
    return one_line(above.text)


def _placed_caption(at: Place) -> Leads | None:
    """Return the piece of a caption that limits, from this page or that of the first part.

    Empty if the caption limits nothing, None if it is on neither page.
    """
    caption = caption_of(at)
    if not CONDITION.search(caption):
        return ()
    words = re.compile(r"\s+".join(re.escape(word) for word in caption.split()))
    for part in (at, _part_before(at)):
        matches = list(words.finditer(part.view.text)) if part else []
        if part and matches:
            nearest = min(matches, key=lambda match: abs(match.start() - part.block["start"]))
            return (part.piece(nearest.start(), nearest.end()),)
    return None


def _merged_cell(at: Place, index: int, above: int, filled: Sequence[str]) -> Leads | None:
    """Return the merged first cell that a row shares; None if it is empty, missing or not found.

    Empty if the row has a first cell of its own.
    """
    if above == index:
        is_alone = len(filled) > 1 and not filled[0].strip()
        return None if is_alone else ()
    start, end = (at.block["table"]["rows"][above][name] for name in ("start", "end"))
    cell = filled[0].strip()
    place = at.view.text.find(cell, start, end)
    return (at.piece(place, place + len(cell)),) if cell and place >= 0 else None


def _filled(rows: Iterable[Sequence[str]]) -> list[tuple[list[str], int]]:
    """Return the cells of each row, its merged first cell filled in, and the row of that cell.

    A merged cell is written once, and the rows that it covers mean nothing without it.
    """
    filled: list[tuple[list[str], int]] = []
    for index, row in enumerate(rows):
        cells, source = list(row), index
        if len(cells) > 1 and not cells[0].strip() and filled and len(filled[-1][0]) == len(cells):
            cells[0], source = filled[-1][0][0], filled[-1][1]
        filled.append((cells, source))
    return filled


def _regimens(rows: Sequence[tuple[list[str], int]]) -> dict[int, int]:
    """Return the first and the last row of each run of rows that make one regimen.

    A row goes on with the one above if they share the first cell, or it has none, and a word that
    joins stands between them: `omeprazole 20 mg BD`, `PLUS amoxicillin 1 g BD`. Half of a regimen
    is a wrong one, so that the rows are quoted together.
    """
    runs: dict[int, int] = {}
    first = 0
    for index in range(1, len(rows)):
        above, own = rows[index - 1][0], _new_cells(rows, index)
        is_joined = any(joins_before(cell) for cell in own) or any(map(joins_after, above))
        is_under = own[:1] == [""] or joins_before(own[0] if own else "")
        if is_joined and is_under and index - first < MAX_REGIMEN_ROWS:
            runs[first] = index
        else:
            first = index
    return runs


def _new_cells(rows: Sequence[tuple[list[str], int]], index: int) -> list[str]:
    """Return a row's cells, those that it shares with the row above left empty.

    Cells are shared from the left on: a value that is printed twice is two values.
    """
    cells, above = rows[index]
    if not index or (above == index and rows[index - 1][0][:1] != cells[:1]):
        return cells
    return ["", *cells[1:]]


def _footnotes(at: Place, set_in: Leads, *, marked: str) -> Leads:
    """Return the footnotes that hold for the text `marked` of a table.

    Right below the table these have a mark that is in the text, no mark, or a mark that is nowhere
    in the table or only in its caption. Elsewhere on its page, `set_in` as its rows, or below its
    part on the next page they have a mark that is in the text.
    """
    marks = marks_in(marked)
    elsewhere = marks_in(at.text) - marks
    notes = [row for row in set_in if not note_marks(row.text).isdisjoint(marks)]
    adjoins, lists = True, False
    for following in _below(at):
        if lists and following.kind == "list_item":
            notes.append(following.whole())
            continue
        is_note = following.kind == "footnote"
        adjoins = adjoins and is_note and following.page == at.page
        own = note_marks(following.text) if is_note else set()
        unmarked = adjoins and leading_mark(following.text) not in elsewhere
        lists = False
        if unmarked or not own.isdisjoint(marks):
            notes.append(following.whole())
            lists = following.text.rstrip().endswith(":")
    return tuple(notes)


def _below(at: Place) -> Iterator[Place]:
    """Yield what stands below a table on its page, and below its parts on the next pages.

    Ends at another table. On a page of its own a note is right at the top, or below a part.
    """
    for place in at.below():
        is_part = bool(place.block.get("table"))
        if is_part and not place.block.get("continues"):
            return
        if is_part:
            yield from _below(place)
            return
        if place.page != at.page and place.kind != "footnote":
            return
        yield place


def _note_rows(at: Place) -> Iterator[VerbatimSpan]:
    """Yield the rows that are notes set into the table: one text, with a mark of another row."""
    rows = at.block["table"]["rows"]
    marks = {mark for row in rows for cell in row["cells"] for mark in cell_marks(cell)}
    for row in rows:
        texts = [cell for cell in row["cells"] if cell]
        if len(row["cells"]) > 1 == len(texts) and note_mark(texts[0]) in marks:
            start = at.view.text.find(texts[0], row["start"])
            yield at.piece(start, start + len(texts[0]))


def labelled(header: Sequence[str], cells: Sequence[str]) -> str:
    """Return `label: cell; label: cell`, or bare cells if labels and cells differ in number."""
    if len(header) != len(cells):
        return CELLS.join(cells)
    pairs = [(label, cell) for label, cell in zip(header, cells, strict=True) if cell.strip()]
    return "; ".join(f"{label}: {cell}" if label.strip() else cell for label, cell in pairs)
