"""Read files by docling, and write a `DoclingDocument` as the HTML that `html_tree` reads.

Its readers are loaded without the models and libraries that they do not need. Import it late: it
takes a second, and once, where children are forked. The texts of a document are HTML already, since
`docling_losses` writes into the file, before docling reads it, what docling would drop; code and
formulas are plain text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from html import escape
from pathlib import PurePath
from types import SimpleNamespace
from typing import Any, cast

from corpus.parsing.office.package import damaged
from corpus.parsing.published.xml_text import HIDDEN
from corpus.parsing.types import too_deep

_UNNEEDED = ("torch", "transformers", "pyarrow")  # seconds to load, and threads, which forbid forks


@contextmanager
def _without(names: tuple[str, ...]) -> Iterator[None]:
    """Have imports find none of these libraries, unless they are loaded already."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


with _without(_UNNEEDED):
    from docling.backend import mspowerpoint_backend
    from docling.backend.md_backend import MarkdownDocumentBackend
    from docling.backend.msexcel_backend import MsExcelDocumentBackend
    from docling.backend.msword_backend import MsWordDocumentBackend
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.settings import DocumentLimits
    from docling.exceptions import DocumentLoadError
    from docling_core.types.doc.base import BoundingBox
    from docling_core.types.doc.common.reference import ProvenanceItem
    from docling_core.types.doc.document import DoclingDocument
    from pptx.oxml.ns import qn

# asked for thousands of times
mspowerpoint_backend.qn = cache(qn)  # type: ignore[attr-defined]
_LIST_STYLE = "{http://schemas.openxmlformats.org/drawingml/2006/main}lstStyle"
_NOWHERE = ProvenanceItem(page_no=1, charspan=(0, 0), bbox=BoundingBox(l=0, t=0, r=0, b=0))


class Slides(mspowerpoint_backend.MsPowerpointDocumentBackend):
    """docling's reader of slides, without pictures and charts, for which it may start programs.

    Without what took it nine tenths of the time, too: the places of paragraphs, sorting shapes by
    them, and looking up again for each paragraph whether it has a bullet. Numbers of lists are left
    out, since docling counts on over other points and writes "1." for "a)".
    """

    KIND = InputFormat.PPTX

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._of_layouts: dict[tuple[Any, ...], dict[str, Any]] = {}
        self._of_shape: tuple[Any, dict[int, bool]] = (None, {})

    def _generate_prov(self, *args: Any, **kwargs: Any) -> ProvenanceItem:
        return _NOWHERE

    def _iter_shapes_by_position(self, shapes: Iterable[Any]) -> Iterator[Any]:
        return iter(shapes)

    def _handle_pictures(self, *args: Any, **kwargs: Any) -> None:
        pass

    def _handle_chart(self, *args: Any, **kwargs: Any) -> None:
        pass

    def _is_list_item(self, paragraph: Any) -> tuple[bool, str]:
        """Tell whether a paragraph has a bullet, its own or that of its shape's level."""
        shape, level = paragraph._parent._parent, _level(paragraph)
        if _has_own(paragraph):
            return bool(self._get_effective_list_marker(shape, paragraph)["is_list"]), "Bullet"
        if self._of_shape[0] is not shape._element:
            self._of_shape = (shape._element, {})
        known = self._of_shape[1]
        if level not in known:
            known[level] = bool(self._get_effective_list_marker(shape, paragraph)["is_list"])
        return known[level], "Bullet"

    def _get_effective_list_marker(self, shape: Any, paragraph: Any) -> dict[str, Any]:
        """Ask docling once for the placeholders of a layout that have no style of their own."""
        style = shape._element.txBody.find(_LIST_STYLE)
        styled = style is not None and len(style)
        if styled or _has_own(paragraph) or not shape.is_placeholder:
            return cast(dict[str, Any], super()._get_effective_list_marker(shape, paragraph))
        layout, place = shape.part.slide.slide_layout, shape.placeholder_format
        key = (layout.part.partname, place.idx, place.type, _level(paragraph))
        if key not in self._of_layouts:
            self._of_layouts[key] = super()._get_effective_list_marker(shape, paragraph)
        return self._of_layouts[key]


class Sheets(MsExcelDocumentBackend):
    """docling's reader of sheets, without pictures and charts.

    Titles stay in their tables, since docling takes only merged ones for titles.
    """

    KIND = InputFormat.XLSX

    def _find_images_in_sheet(self, doc: Any, *args: Any, **kwargs: Any) -> Any:
        return doc

    def _find_chart_in_sheet(self, doc: Any, *args: Any, **kwargs: Any) -> Any:
        return doc

    def _split_leading_section_label(self, table: Any) -> tuple[None, Any]:
        return None, table

    @staticmethod
    def _find_page_size(*args: Any, **kwargs: Any) -> tuple[float, float]:
        return 0.0, 0.0


class Word(MsWordDocumentBackend):
    """docling's reader of Word, for paragraphs that are HTML already, with lists and headings.

    Without running headers, notes and comments. A table that it can't read is an error: docling
    would leave it out.
    """

    KIND = InputFormat.DOCX
    failed: Exception | None = None

    def _get_label_and_level(self, paragraph: Any) -> tuple[str, None]:
        return "Normal", None

    def _get_numId_and_ilvl(self, paragraph: Any) -> tuple[None, None]:
        return None, None

    def _is_hidden_paragraph(self, paragraph: Any) -> bool:
        return False

    def _add_nothing(self, *args: Any) -> None:
        pass

    _add_header_footer: Any = _add_nothing
    _add_footnotes_and_endnotes: Any = _add_nothing
    _add_comments: Any = _add_nothing

    def _handle_tables(self, *args: Any) -> Any:
        try:
            return super()._handle_tables(*args)
        except Exception as error:
            self.failed = error
            raise

    def convert(self) -> DoclingDocument:
        self._uses_hidden_text = False
        document = super().convert()
        if self.failed is not None:
            raise self.failed
        return document


class Markdown(MarkdownDocumentBackend):
    """docling's reader of Markdown, for a tree of Marko whose texts are HTML already.

    So it does not read HTML blocks again by its reader of HTML, which takes four times as long.
    """

    KIND = InputFormat.MD

    def convert_tree(self, tree: Any) -> DoclingDocument:
        document = DoclingDocument(name="file")
        state: dict[str, Any] = {
            f"list_{what}_by_ref": {}
            for what in ("ordered_flag", "start", "item_counter", "last_item")
        }
        state |= {"depth": 0, "visited": set(), "creation_stack": [], "parent_item": None}
        self._iterate_elements(element=tree, doc=document, **state)
        return document


def _has_own(paragraph: Any) -> bool:
    properties = paragraph._p.pPr
    return properties is not None and any("}bu" in child.tag for child in properties)


def _level(paragraph: Any) -> int:
    properties = paragraph._p.pPr
    return 0 if properties is None else int(properties.get("lvl", "0"))


def opened(backend: Any, source: Any) -> Any:
    """Return a reader with the file loaded. Raises ParseError (`file_corrupt`) if it can't be."""
    about = SimpleNamespace(
        file=PurePath("file"), document_hash="0", format=backend.KIND, limits=DocumentLimits()
    )
    try:
        return backend(about, source)
    except DocumentLoadError as error:
        if isinstance(error.__cause__, MemoryError | RecursionError):
            raise error.__cause__ from error
        if "Excessive depth" in str(error.__cause__):  # as lxml calls it
            raise too_deep() from error
        raise damaged() from error


AS_IT_IS = "\ue011"  # before a text that is HTML of several blocks
LABEL = "\ue009"  # in a cell of a row of labels
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
        yield _table(item.data, document)
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
