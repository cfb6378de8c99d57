"""Open a file by a reader of docling, and write its document as HTML for `html_tree`."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import PurePath
from types import SimpleNamespace
from typing import Any

from docling.datamodel.settings import DocumentLimits

from corpus.parsing.published.xml_text import HIDDEN

AS_IT_IS = "\ue011"  # before a text that is HTML of several blocks
LABEL = "\ue009"  # in a cell of a row of labels
_LEFT_OUT = ("notes", "furniture", "background")  # layers that are not part of the page
_NAMES = {"title": "h1", "list": "ul", "code": "pre", "formula": "tex-math", "inline": "p"}


def opened(reader: Any, source: Any) -> Any:
    """Return a reader with the file loaded."""
    about = {"file": PurePath("file"), "document_hash": "0", "limits": DocumentLimits()}
    return reader(SimpleNamespace(format=reader.KIND, **about), source)


def children_of(item: Any, document: Any) -> list[Any]:
    """Return the items right below an item, in order."""
    return [child.resolve(document) for child in item.children]


def html_of(item: Any, document: Any) -> str:
    """Return an item of the document, with all below it, as HTML."""
    return "".join(_written(item, document))


def _written(item: Any, document: Any) -> Iterator[str]:
    layer, label, text = item.content_layer.value, item.label.value, getattr(item, "text", "")
    if layer in _LEFT_OUT or label in ("picture", "chart"):
        return
    if layer == "invisible":
        yield HIDDEN
    elif label == "table":
        yield _table(item.data, document)
    elif text.startswith(AS_IT_IS):
        yield text.removeprefix(AS_IT_IS)
    else:
        before, after = _tags(item, label)
        yield before
        yield escape(text) if label in ("code", "formula") else text
        for child in children_of(item, document):
            below = html_of(child, document)
            is_lone = label == "list" and child.label.value != "list_item"
            yield f"<li>{below}</li>" if is_lone else below
        yield after


def _tags(item: Any, label: str) -> tuple[str, str]:
    if label == "list_item":
        return f"<li><label>{item.marker}</label>" if item.enumerated else "<li>", "</li>"
    name = _NAMES.get(label, "p" if hasattr(item, "text") else "")
    if label == "section_header":
        name = f"h{min(item.level + 1, 6)}"
    return (f"<{name}>", f"</{name}>") if name else ("", "")


def _table(data: Any, document: Any) -> str:
    """Return a table with each cell where it begins; those without text may be missing."""
    rows: list[list[str]] = [[] for _ in range(data.num_rows)]
    for cell in data.table_cells:
        tag = "th" if cell.column_header or LABEL in cell.text else "td"
        spans = f'rowspan="{cell.row_span}" colspan="{cell.col_span}"'
        several = getattr(cell, "ref", None)
        text = html_of(several.resolve(document), document) if several else cell.text
        text = text.replace(AS_IT_IS, "")
        rows[cell.start_row_offset_idx].append(f"<{tag} {spans}>{text}</{tag}>")
    return f"<table>{''.join(f'<tr>{chr(10).join(row)}</tr>' for row in rows)}</table>"
