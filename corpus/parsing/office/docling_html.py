"""Write a `DoclingDocument` as the HTML that `html_tree` reads.

The texts of its items are HTML already, since `docling_losses` writes into the file, before docling
reads it, what docling would drop. Code and formulas are plain text.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from corpus.parsing.published.xml_text import HIDDEN

AS_IT_IS = "\ue011"  # before a text that is HTML of several blocks
_LEFT_OUT = ("notes", "furniture", "background")  # layers that are not part of the page


def html_of(item: Any, document: Any) -> str:
    """Return an item of the document, with all below it, as HTML."""
    return "".join(_written(item, document))


def children_of(item: Any, document: Any) -> list[Any]:
    """Return the items right below an item, in order."""
    return [child.resolve(document) for child in item.children]


def _written(item: Any, document: Any) -> Iterator[str]:
    layer, label = item.content_layer.value, item.label.value
    if layer in _LEFT_OUT or label in ("picture", "chart"):
        return
    if layer == "invisible":
        yield HIDDEN
        return
    if label == "table":
        yield _table(item.data)
        return
    if getattr(item, "text", "").startswith(AS_IT_IS):
        yield item.text.removeprefix(AS_IT_IS)
        return
    before, after = _tags(item, label)
    yield before
    if label in ("code", "formula"):
        yield escape(item.text)
    elif hasattr(item, "text"):
        yield item.text
    for child in children_of(item, document):
        inside = label != "list" or child.label.value == "list_item"
        yield "" if inside else "<li>"
        yield from _written(child, document)
        yield "" if inside else "</li>"
    yield after


def _tags(item: Any, label: str) -> tuple[str, str]:
    if label == "section_header":
        name = f"h{min(item.level + 1, 6)}"
        return f"<{name}>", f"</{name}>"
    if label == "list_item":
        marker = f"<label>{item.marker}</label>" if item.enumerated else ""
        return f"<li>{marker}", "</li>"
    name = _NAMES.get(label, "p" if hasattr(item, "text") else "")
    return (f"<{name}>", f"</{name}>") if name else ("", "")


_NAMES = {"title": "h1", "list": "ul", "code": "pre", "formula": "tex-math", "inline": "p"}


def _table(data: Any) -> str:
    """Return a table with each cell where it begins; those without text may be missing."""
    rows: list[list[str]] = [[] for _ in range(data.num_rows)]
    for cell in data.table_cells:
        tag = "th" if cell.column_header else "td"
        spans = f'rowspan="{cell.row_span}" colspan="{cell.col_span}"'
        rows[cell.start_row_offset_idx].append(f"<{tag} {spans}>{cell.text}</{tag}>")
    return f"<table>{''.join(f'<tr>{chr(10).join(row)}</tr>' for row in rows)}</table>"
