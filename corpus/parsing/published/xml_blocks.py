"""Sections, lists, tables and captions of JATS, BITS and HTML to blocks.

Sources: NISO Z39.96 (JATS) and its book extension BITS, which share the elements of their bodies;
HTML's tables are those of JATS.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

from corpus.parsing.drafts import Draft, DraftTable, Piece, text_draft
from corpus.parsing.published.xml_text import FORMULA, line_of, runs, tidy
from corpus.parsing.types import BlockKind, Cell, Doubt, ParseError

MAX_CELLS = 50_000  # of one table; a cell over many rows and columns counts as often
Drafted = Draft | DraftTable
_Reader = Callable[[Element, int], Iterator[Drafted]]

_FORMULA = Doubt(
    "formula", "A formula is written here on one line; compare it with the source before approving."
)
_PICTURED = Doubt(
    "table_is_picture", "This table is there as a picture only, so what it says is not searched."
)


def blocks(element: Element, level: int) -> Iterator[Drafted]:
    """Yield what is inside an element, in order. `level` is that of headings right inside it.

    References, pictures and supplements are left out; captions stay. Raises ParseError
    (`table_too_large`).
    """
    text: list[str] = []
    for child, part in runs(element, _STOP):
        if child is None:
            text.append(part)
            continue
        yield from _paragraph("".join(text))
        text = []
        yield from _READERS[child.tag](child, level)
    yield from _paragraph("".join(text))


def _paragraph(raw: str) -> Iterator[Draft]:
    text = tidy(raw)
    if text:
        doubts = (_FORMULA,) if FORMULA in raw else ()
        yield Draft(BlockKind.PARAGRAPH, (Piece(text),), doubts=doubts)


def _nothing(element: Element, level: int) -> Iterator[Drafted]:
    return iter(())


def _section(element: Element, level: int) -> Iterator[Drafted]:
    """A heading without anything below it is that of references or supplements."""
    name = _named(element, "title")
    body = list(blocks(element, level + 1 if name else level))
    beside = (
        element.find("ref-list") is not None or element.find("supplementary-material") is not None
    )
    if name and (body or not beside):
        yield text_draft(BlockKind.HEADING, name, level)
    yield from body


def _box(element: Element, level: int) -> Iterator[Drafted]:
    """Its title is no heading: what follows the box would seem to belong to it."""
    name = _named(element, "title") or _caption(element)
    if name:
        yield text_draft(BlockKind.PARAGRAPH, name)
    yield from blocks(element, level)


def _named(element: Element, tag: str) -> str:
    parts = (line_of(element.find("label")), line_of(element.find(tag)))
    return tidy(" ".join(part for part in parts if part))


def _caption(element: Element) -> str:
    caption = element.find("caption")
    parts = [line_of(element.find("label"))]
    if caption is not None:
        parts += [draft.text for draft in blocks(caption, 1) if isinstance(draft, Draft)]
        parts.insert(1, line_of(caption.find("title")))
    return tidy(" ".join(part for part in parts if part))


def _heading(element: Element, level: int) -> Iterator[Drafted]:
    """HTML's: `h1` stands at `level`, `h2` one below it."""
    text = line_of(element)
    if text:
        yield text_draft(BlockKind.HEADING, text, level + int(element.tag[1]) - 1)


def _list(element: Element, level: int) -> Iterator[Drafted]:
    ordered = element.tag == "ol" or element.get("list-type") == "order"
    items = [item for item in element if item.tag in ("list-item", "li")]
    yield from _title(element)
    for number, item in enumerate(items, start=1):
        label = line_of(item.find("label")) or (f"{number}." if ordered else "")
        yield from _item(list(blocks(item, level)), label.lstrip("•·-– "))


def _title(element: Element) -> Iterator[Draft]:
    text = line_of(element.find("title"))
    if text:
        yield text_draft(BlockKind.PARAGRAPH, text)


def _item(drafts: list[Drafted], label: str) -> Iterator[Drafted]:
    for at, draft in enumerate(drafts):
        if isinstance(draft, Draft) and draft.kind is BlockKind.PARAGRAPH:
            text = f"{label} {draft.text}" if label and at == 0 else draft.text
            yield Draft(BlockKind.LIST_ITEM, (Piece(text),), doubts=draft.doubts)
        else:
            yield draft


def _definitions(element: Element, level: int) -> Iterator[Drafted]:
    """`term: meaning`, each an item."""
    yield from _title(element)
    term = ""
    for entry in element.iter():
        if entry.tag in ("term", "dt"):
            term = line_of(entry)
        elif entry.tag in ("def", "dd"):
            yield from _item(list(blocks(entry, level)), f"{term}:" if term else "")
            term = ""


def _figure(element: Element, level: int) -> Iterator[Drafted]:
    text = _caption(element)
    if text:
        yield text_draft(BlockKind.CAPTION, text)


def _table_wrap(element: Element, level: int) -> Iterator[Drafted]:
    caption = _caption(element)
    tables = [table for table in element.iter("table") if cells_of(table)]
    if caption:
        doubts = () if tables else (_PICTURED,)
        yield Draft(BlockKind.CAPTION, (Piece(caption),), doubts=doubts)
    for table in tables:
        yield DraftTable(cells_of(table), caption=caption)
    for foot in element.iter("table-wrap-foot"):
        for draft in blocks(foot, level):
            is_text = isinstance(draft, Draft) and draft.kind is BlockKind.PARAGRAPH
            yield Draft(BlockKind.FOOTNOTE, draft.pieces) if is_text else draft  # type: ignore[union-attr]


def _group(element: Element, level: int) -> Iterator[Drafted]:
    """Tables under one caption, which may say for whom they are: it goes before each of theirs."""
    name = _caption(element)
    for draft in blocks(element, level):
        if isinstance(draft, DraftTable) and name:
            draft = replace(draft, caption=f"{name} {draft.caption}".strip())
            yield text_draft(BlockKind.CAPTION, draft.caption)
            yield draft
        elif not (isinstance(draft, Draft) and draft.kind is BlockKind.CAPTION and name):
            yield draft


def _table(element: Element, level: int) -> Iterator[Drafted]:
    cells = cells_of(element)
    if cells:
        yield DraftTable(cells, caption=line_of(element.find("caption")))


def _footnote(element: Element, level: int) -> Iterator[Drafted]:
    label = line_of(element.find("label"))
    text = " ".join(draft.text for draft in blocks(element, level) if isinstance(draft, Draft))
    if text:
        yield text_draft(BlockKind.FOOTNOTE, f"{label} {text}".strip())


def cells_of(table: Element) -> tuple[Cell, ...]:
    """Return the cells of a table as printed, in order; empty where none holds text.

    Header rows are those of its head, else the first rows that hold labels only.
    """
    rows = [(row, group) for group in (table, *table) for row in group if row.tag == "tr"]
    order = {"thead": 0, "tfoot": 2}  # HTML lets the foot stand before the body
    rows.sort(key=lambda pair: order.get(pair[1].tag, 1))
    labels = sum(group.tag == "thead" for _, group in rows)
    labels = labels or _label_rows([row for row, _ in rows])
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for number, (row, _) in enumerate(rows):
        limit = (labels if number < labels else len(rows)) - number
        for entry in _entries(row):
            cell = _cell(entry, number, _free(taken, number), limit)
            if len(taken) + cell.rows * cell.columns > MAX_CELLS:
                raise _too_large()
            taken |= {(number + i, cell.column + j) for i, j in _area(cell)}
            cells.append(replace(cell, is_header=number < labels))
    return tuple(cells) if any(cell.text for cell in cells) else ()


def _entries(row: Element) -> list[Element]:
    return [entry for entry in row if entry.tag in ("td", "th")]


def _free(taken: set[tuple[int, int]], row: int) -> int:
    return next(column for column in itertools.count() if (row, column) not in taken)


def _area(cell: Cell) -> Iterator[tuple[int, int]]:
    return itertools.product(range(cell.rows), range(cell.columns))


def _cell(entry: Element, row: int, column: int, limit: int) -> Cell:
    columns, rows = _span(entry, "colspan") or 1, _span(entry, "rowspan") or limit
    texts = (d.text if isinstance(d, Draft) else _said(d) for d in blocks(entry, 1))
    return Cell(row, column, " ".join(texts), rows=max(1, min(rows, limit)), columns=columns)


def _said(table: DraftTable) -> str:
    return " ".join(cell.text for cell in table.cells if cell.text)


def _span(entry: Element, name: str) -> int:
    """Return how far a cell spans; 0 says to the end of its part of the table."""
    raw = entry.get(name, "1").strip()
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 9 else 1


def _label_rows(rows: Sequence[Element]) -> int:
    count = 0
    for row in rows:
        if not _entries(row) or row.find("td") is not None:
            break
        count += 1
    return count if count < len(rows) else 0


def _too_large() -> ParseError:
    return ParseError(
        f"A table has more than {MAX_CELLS} cells.",
        code="table_too_large",
        hint="Divide the table, or leave it out of the file.",
    )


_READERS: dict[str, _Reader] = {
    **dict.fromkeys(
        "p div section blockquote verse-line speech "
        "disp-formula disp-formula-group fig-group center body".split(),
        blocks,
    ),
    **dict.fromkeys("sec app book-part".split(), _section),
    **dict.fromkeys("boxed-text statement disp-quote verse-group fn-group".split(), _box),
    **dict.fromkeys("h1 h2 h3 h4 h5 h6".split(), _heading),
    **dict.fromkeys("list ul ol".split(), _list),
    **dict.fromkeys("def-list dl".split(), _definitions),
    "fig": _figure,
    "table-wrap": _table_wrap,
    "table": _table,
    "array": _table,
    "table-wrap-group": _group,
    "fn": _footnote,
    **dict.fromkeys(
        "title label caption sec-meta object-id attrib permissions ref-list ack glossary graphic "
        "media supplementary-material alt-text long-desc index-term table-wrap-foot "
        "script style sub-article response related-article".split(),
        _nothing,
    ),
}
_STOP = frozenset(_READERS)
