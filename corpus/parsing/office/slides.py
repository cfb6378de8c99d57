"""Read PowerPoint files: a page for each slide, through the HTML tree that `xml_blocks` reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from corpus.parsing.clean import clean_line
from corpus.parsing.office.markup import first_heading, page_of
from corpus.parsing.office.package import damaged, too_many
from corpus.parsing.published.xml_text import HIDDEN, STRUCK
from corpus.parsing.registry import Request, engine_name
from corpus.parsing.types import ParsedDocument, ParseError

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_TITLES = frozenset(("TITLE", "CENTER_TITLE", "VERTICAL_TITLE"))
_FURNITURE = frozenset(("DATE", "FOOTER", "SLIDE_NUMBER", "HEADER"))
_POINTS = frozenset(("BODY", "OBJECT", "VERTICAL_BODY", "VERTICAL_OBJECT"))


def parse_pptx(request: Request) -> ParsedDocument:
    """Return a page for each slide, empty for a hidden one. Notes and footers are left out."""
    trees = _trees(request)
    pages = tuple(page_of(tree, number) for number, tree in enumerate(trees, start=1))
    request.on_page(len(pages), len(pages))
    return ParsedDocument(pages, engine_name(request.media_type), title=first_heading(pages))


def _trees(request: Request) -> list[Element]:
    from pptx import Presentation  # late: other formats must not wait for it

    try:
        slides = list(Presentation(str(request.path)).slides)
        if len(slides) > request.max_pages:
            raise too_many(len(slides), "slides", request.max_pages)
        return [_tree(slide) for slide in slides]
    except (MemoryError, RecursionError, ParseError):
        raise
    except Exception as error:  # whatever the library and those below it raise
        raise damaged() from error


def _tree(slide: Any) -> Element:
    tree = Element("body")
    if slide.element.get("show") in ("0", "false"):
        tree.text = HIDDEN
        return tree
    for shape in sorted(_shapes(slide.shapes), key=lambda shape: _kind(shape) not in _TITLES):
        if shape.has_text_frame and _kind(shape) not in _FURNITURE:
            for paragraph in shape.text_frame.paragraphs:
                _paragraph(paragraph, _kind(shape), tree)
        elif getattr(shape, "has_table", False):
            _table(shape.table, tree)
    return tree


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes"):  # a group
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _kind(shape: Any) -> str:
    return str(shape.placeholder_format.type.name) if shape.is_placeholder else ""


def _paragraph(paragraph: Any, kind: str, to: Element) -> None:
    element, level = paragraph._p, int(paragraph.level)
    properties = element.find(f"{_DRAWING}pPr")
    marks = set() if properties is None else {child.tag for child in properties}
    bullet = marks & {f"{_DRAWING}buChar", f"{_DRAWING}buAutoNum", f"{_DRAWING}buBlip"}
    if kind in _TITLES:
        holder = SubElement(to, "h1")
    elif bullet or (kind in _POINTS and f"{_DRAWING}buNone" not in marks):
        holder = SubElement(SubElement(to, "ul", depth=str(level + 1)), "li")
    else:
        holder = SubElement(to, "p")
    for run in element:
        if run.tag in (f"{_DRAWING}r", f"{_DRAWING}fld", f"{_DRAWING}br"):
            _run(run, holder)


def _run(run: Any, to: Element) -> None:
    text = " " if run.tag == f"{_DRAWING}br" else run.findtext(f"{_DRAWING}t") or ""
    properties = run.find(f"{_DRAWING}rPr")
    look = {} if properties is None else properties.attrib
    raised = int(look.get("baseline", "0").rstrip("%") or 0)
    if look.get("strike", "noStrike") != "noStrike" and clean_line(text):
        text, raised = STRUCK, 0
    part = SubElement(to, "sup" if raised > 0 else "sub" if raised < 0 else "span")
    part.text = text


def _table(table: Any, to: Element) -> None:
    made = SubElement(to, "table")
    for at, row in enumerate(table.rows):
        tr = SubElement(made, "tr")
        for cell in row.cells:
            if cell.is_spanned:
                continue
            over = {"rowspan": str(cell.span_height), "colspan": str(cell.span_width)}
            held = SubElement(tr, "td" if at else "th", over)
            for paragraph in cell.text_frame.paragraphs:
                _paragraph(paragraph, "", held)
