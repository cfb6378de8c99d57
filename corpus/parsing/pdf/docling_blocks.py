"""docling's document model to pages and blocks, for the formats whose structure the file itself
tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from corpus.parsing.clean import clean_line
from corpus.parsing.drafts import Draft, DraftTable, Sheet, text_draft, write_page
from corpus.parsing.layout.runs import raise_text
from corpus.parsing.office.annotations import annotate
from corpus.parsing.tables.printed import label_rows, with_header
from corpus.parsing.types import BlockKind, Cell, Page

_CLOSING = re.compile(r"^[.,;:!?)\]%/’”]")
_KINDS = {
    "title": BlockKind.HEADING,
    "section_header": BlockKind.HEADING,
    "list_item": BlockKind.LIST_ITEM,
    "caption": BlockKind.CAPTION,
    "footnote": BlockKind.FOOTNOTE,
}

Drafted = Draft | DraftTable


def pages_of(document: Any, *, page_count: int = 1) -> tuple[tuple[Page, ...], str]:
    """Return the pages of a `DoclingDocument` and its title (may be empty).

    Items without a page stand on that of the item before them; pages without text are kept.
    """
    by_page: dict[int, list[Drafted]] = {number: [] for number in range(1, page_count + 1)}
    number, shift, title = 1, int(_has_title(document)), ""
    for item in _items(document, document.body):
        number = item.prov[0].page_no if getattr(item, "prov", None) else number
        draft = _draft(document, item, shift)
        if draft is None:
            continue
        if not title and isinstance(draft, Draft) and draft.kind is BlockKind.HEADING:
            title = draft.text
        by_page.setdefault(number, []).append(draft)
    pages = (write_page(Sheet(no), annotate(drafts)) for no, drafts in sorted(by_page.items()))
    return tuple(pages), title


def _items(document: Any, node: Any) -> Iterator[Any]:
    """Walk the body in order. Inline groups count as one item, and nothing inside a table does."""
    for reference in node.children:
        item = reference.resolve(document)
        if getattr(item.content_layer, "value", "body") != "body":
            continue
        label = item.label.value
        if label == "inline" or hasattr(item, "text") or hasattr(item, "data"):
            yield item
        if label != "inline" and not hasattr(item, "data"):
            yield from _items(document, item)


def _has_title(document: Any) -> bool:
    return any(item.label.value == "title" for item in document.texts)


def _draft(document: Any, item: Any, shift: int) -> Drafted | None:
    label = item.label.value
    if hasattr(item, "data"):
        return _table(document, item)
    text = item_text(document, item)
    if not text:
        return None
    kind = _KINDS.get(label, BlockKind.PARAGRAPH)
    if kind is BlockKind.HEADING:
        level = 1 if label == "title" else int(item.level) + shift
        return text_draft(kind, text, level)
    if kind is BlockKind.LIST_ITEM and getattr(item, "enumerated", False):
        marker = clean_line(item.marker)
        text = f"{marker} {text}" if marker and not text.startswith(marker) else text
    return text_draft(kind, text)


def item_text(document: Any, item: Any) -> str:
    """Return the text of an item; that of the parts of an inline group or of an item made of
    one."""
    own = _formatted(item) if hasattr(item, "text") else ""
    inline = item.label.value == "inline" or (not own and bool(item.children))
    if not inline:
        return own
    parts = [item_text(document, child.resolve(document)) for child in item.children]
    text = ""
    for part in parts:
        close = not text or _CLOSING.match(part) or part[:1] in _SUPERSCRIPTS or text[-1] in "(["
        text += part if close else f" {part}"
    return text


_SUPERSCRIPTS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")


def _formatted(item: Any) -> str:
    text = clean_line(item.text)
    script = getattr(getattr(item, "formatting", None), "script", None)
    return raise_text(text) or text if getattr(script, "value", "") == "super" else text


def _table(document: Any, item: Any) -> DraftTable | None:
    height, width = item.data.num_rows, item.data.num_cols
    cells = [
        Cell(
            row=cell.start_row_offset_idx,
            column=cell.start_col_offset_idx,
            text=_cell_text(document, cell),
            rows=min(cell.end_row_offset_idx, height) - cell.start_row_offset_idx,
            columns=min(cell.end_col_offset_idx, width) - cell.start_col_offset_idx,
            is_header=cell.column_header,
        )
        for cell in item.data.table_cells
        if cell.start_row_offset_idx < height and cell.start_col_offset_idx < width
    ]
    if not any(cell.text for cell in cells):
        return None
    count = _header_rows(cells)
    return DraftTable(with_header([*cells, *_left_out(cells)], count))


def _left_out(cells: Sequence[Cell]) -> list[Cell]:
    """Return the empty cells that a file or its reader leaves out."""
    covered = {
        (row, column)
        for cell in cells
        for row in range(cell.row, cell.row + cell.rows)
        for column in range(cell.column, cell.column + cell.columns)
    }
    height = max(row for row, _ in covered) + 1
    width = max(column for _, column in covered) + 1
    return [
        Cell(row, column, "")
        for row in range(height)
        for column in range(width)
        if (row, column) not in covered
    ]


def _header_rows(cells: Sequence[Cell]) -> int:
    """Return how many rows are labels: those that the file marks, and what hangs from them.

    Word and Excel mark no row but the first, also where labels stand in two.
    """
    height = max(cell.row + cell.rows for cell in cells)
    marked = min((cell.row for cell in cells if not cell.is_header), default=height)
    return label_rows(cells, marked) if marked else 0


def _cell_text(document: Any, cell: Any) -> str:
    reference = getattr(cell, "ref", None)
    if reference is None:
        return clean_line(cell.text)
    return item_text(document, reference.resolve(document)) or clean_line(cell.text)
