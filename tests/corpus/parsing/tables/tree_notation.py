"""Write a parsed document as a tree that a person can read and write.

One line for each block, in reading order, pages joined: `#` signs for a heading's level, `-` for a
list item, `p` for a paragraph (its first and last words), `caption`, `note`, and `table` followed
by its printed rows, `=` before a row of labels and `|` before any other. In a row, `<` is covered
by the cell to the left and `^` by the cell above, so that every cell is at its row and column.
"""

from collections.abc import Iterator

from corpus.parsing.types import BlockKind, Cell, ParsedDocument, Table

_ENDS = 4  # words at each end of a paragraph
_SIGNS = {
    BlockKind.LIST_ITEM: "-",
    BlockKind.PARAGRAPH: "p",
    BlockKind.CAPTION: "caption",
    BlockKind.FOOTNOTE: "note",
}


def tree_of(document: ParsedDocument) -> str:
    """Return the tree of all pages; a block over a page break is written once."""
    entries: list[tuple[str, str]] = []
    for page in document.pages:
        for block in page.blocks:
            text = page.text[block.start : block.end]
            if block.table is not None:
                sign = "table continues" if block.continues else "table"
                entries.append((sign, "\n".join(_rows(block.table))))
                continue
            is_heading = block.kind is BlockKind.HEADING
            sign = "#" * block.level if is_heading else _SIGNS[block.kind]
            if block.continues:
                at = max(i for i, (other, _) in enumerate(entries) if other == sign)
                entries[at] = (sign, f"{entries[at][1]} {text}")
            else:
                entries.append((sign, text))
    return "".join(f"{line}\n" for entry in entries for line in _lines(*entry))


def _lines(sign: str, text: str) -> Iterator[str]:
    if sign.startswith("table"):
        yield sign
        yield from text.split("\n")
    else:
        yield f"{sign} {shortened(text) if sign == 'p' else text}"


def shortened(text: str) -> str:
    words = text.split()
    if len(words) <= 2 * _ENDS:
        return text
    return " ".join([*words[:_ENDS], "...", *words[-_ENDS:]])


def table_rows(cells: tuple[Cell, ...]) -> str:
    """Return the printed rows of a table, as in a tree."""
    return "\n".join(_rows(Table((), (), cells=cells)))


def _rows(table: Table) -> Iterator[str]:
    height = max(cell.row + cell.rows for cell in table.cells)
    width = max(cell.column + cell.columns for cell in table.cells)
    marks = [["?"] * width for _ in range(height)]  # a `?` is a place that no cell covers
    labels = {cell.row for cell in table.cells if cell.is_header}
    for cell in table.cells:
        for row in range(cell.row, cell.row + cell.rows):
            for column in range(cell.column, cell.column + cell.columns):
                assert marks[row][column] == "?", "two cells at one place"
                marks[row][column] = "^" if column == cell.column else "<"
        marks[cell.row][cell.column] = cell.text
    for number, texts in enumerate(marks):
        yield f"  {'=' if number in labels else '|'} " + " | ".join(texts).rstrip()
