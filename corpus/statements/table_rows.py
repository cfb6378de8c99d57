"""Find the quotable rows of a table, each with its labels and all that it depends on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.language.en.statements.leads import CONDITION
from core.language.words import CELLS
from corpus.statements.lead_ins import Leads, introduction, limiting_headings
from corpus.statements.places import Place, VerbatimSpan, one_line

# `*†` is two marks, `**` is one.
_SIGNS = r"\*+|†+|‡+|§+|¶+|#+|[ᵃᵇᶜᵈᵉᶠᵍʰⁱ¹²³⁰⁴-⁹]|[(\[]\d[)\]]"
_MARKS = re.compile(rf"{_SIGNS}|(?<=\s)\(?[a-h]\)?(?=\s|$|\|)")
_LEADING_MARK = re.compile(rf"^\s*({_SIGNS}|\(?[a-h]\)?(?=[\s.:])|\d(?=\s[A-Z]))")

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
    for index, (filled, above) in enumerate(_filled([row["cells"] for row in rows])):
        merged = _merged_cell(at, index, above, filled)
        if merged is None or (is_sectioned and len({*filled[1:]} - {""}) > _TOLD_APART):
            continue
        row = at.piece(rows[index]["start"], rows[index]["end"])
        pieces = (row, *labels, *merged)
        marked = CELLS.join(part.text for part in (*labels, *pieces, *leads))
        notes = _footnotes(at, marked=marked)
        shown = " ".join([labelled(table["header"], filled), *(f"({note.text})" for note in notes)])
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
    """Return the merged first cell that a row shares; None if it is missing or not found.

    Empty if the row has a first cell of its own.
    """
    if above == index:
        is_alone = len(filled) > 1 and not filled[0].strip()
        return None if is_alone else ()
    start, end = (at.block["table"]["rows"][above][name] for name in ("start", "end"))
    cell = filled[0].strip()
    place = at.view.text.find(cell, start, end)
    return (at.piece(place, place + len(cell)),) if place >= 0 else None


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


def _footnotes(at: Place, *, marked: str) -> list[VerbatimSpan]:
    """Return the footnotes below the table that hold for the text `marked`.

    These have a mark that is in the text, no mark, or a mark that is nowhere in the table or only
    in its caption.
    """
    marks = _marks_in(marked)
    elsewhere = _marks_in(at.text) - marks
    notes: list[VerbatimSpan] = []
    for following in at.below():
        if following.kind != "footnote" or following.page != at.page:
            break
        leading = _LEADING_MARK.match(following.text)
        if leading is None or _plain_mark(leading.group(1)) not in elsewhere:
            notes.append(following.whole())
    return notes


def _marks_in(text: str) -> set[str]:
    return {_plain_mark(mark) for mark in _MARKS.findall(text)}


def _plain_mark(mark: str) -> str:
    """Normalise a footnote's mark: `ᵃ`, `(a)` and `a` are one."""
    return unicodedata.normalize("NFKC", mark).strip("()[]")


def labelled(header: Sequence[str], cells: Sequence[str]) -> str:
    """Return `label: cell; label: cell`, or bare cells if labels and cells differ in number."""
    if len(header) != len(cells):
        return CELLS.join(cells)
    pairs = [(label, cell) for label, cell in zip(header, cells, strict=True) if cell.strip()]
    return "; ".join(f"{label}: {cell}" if label.strip() else cell for label, cell in pairs)
