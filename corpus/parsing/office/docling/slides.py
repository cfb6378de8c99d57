"""Read PowerPoint files by docling: a page for each slide.

docling drops that a run is raised or struck out, points in cells, and empty cells that span, and
shows text under merged cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from html import escape
from typing import Any

from docling.backend import mspowerpoint_backend
from docling.datamodel.base_models import InputFormat
from docling_core.types.doc.base import BoundingBox
from docling_core.types.doc.common.reference import ProvenanceItem
from pptx.oxml.ns import qn

from corpus.parsing.clean import clean_line
from corpus.parsing.office.docling.documents import children_of, html_of, opened
from corpus.parsing.office.html_tree import html_tree
from corpus.parsing.office.markup import document_of
from corpus.parsing.office.package import read_or_damaged, too_many
from corpus.parsing.office.parts import DRAWN_OVER, Drawn, doubt_parts, is_drawn_over, unread
from corpus.parsing.published.xml_text import STRUCK
from corpus.parsing.registry import Request
from corpus.parsing.types import ParsedDocument

# asked for thousands of times
mspowerpoint_backend.qn = cache(qn)  # type: ignore[attr-defined]
_NOWHERE = ProvenanceItem(page_no=1, charspan=(0, 0), bbox=BoundingBox(l=0, t=0, r=0, b=0))

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_SHAPE = f"{_P}sp"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_PLACE, _FOOTER = f"{_P}nvSpPr/{_P}nvPr/{_P}ph", "ftr"
_UNFILLED = f"{_P}spPr/{_A}noFill"
_RUN, _FIELD, _BREAK = f"{_A}r", f"{_A}fld", f"{_A}br"
_TEXT, _LOOK = f"{_A}t", f"{_A}rPr"
_BESIDE = (f"{_A}pPr", f"{_A}endParaRPr")  # of the runs of a paragraph
_BULLETS = (f"{_A}buChar", f"{_A}buAutoNum", f"{_A}buBlip")
_NOTHING = "\ue010"  # in an empty cell, so that it is kept; cleaning removes it


def parse_pptx(request: Request) -> ParsedDocument:
    """Return a page for each slide, empty for a hidden one. Notes and footers are left out.

    What all slides of a layout say is kept apart from the text.
    """
    with read_or_damaged():
        reader = opened(Slides, request.path)
        document = document_of(request, map(html_tree, _written(request, reader)))
        slides = zip(document.pages, reader.pptx_obj.slides, strict=True)
        pages = (
            replace(
                page,
                running_lines=_running_lines(slide),
                doubts=(
                    *page.doubts,
                    *((unread(DRAWN_OVER),) if is_drawn_over([*map(_drawn, slide.shapes)]) else ()),
                ),
            )
            for page, slide in slides
        )
        return doubt_parts(replace(document, pages=tuple(pages)), request.path)


def _running_lines(slide: Any) -> tuple[str, ...]:
    """Return a slide's footer, and what its layout and master say outside placeholders."""
    layouts = _related(slide.part, "slideLayout")
    sources = [
        *layouts,
        *(master for layout in layouts for master in _related(layout, "slideMaster")),
    ]
    shapes = (shape for source in sources for shape in source._element.iter(_SHAPE))
    texts = (
        "".join(text.text or "" for text in paragraph.iter(_TEXT))
        for shape in (*_footers(slide), *shapes)
        if (place := shape.find(_PLACE)) is None or place.get("type") == _FOOTER
        for paragraph in shape.iter(f"{_A}p")
    )
    return tuple(dict.fromkeys(filter(None, map(clean_line, texts))))


def _footers(slide: Any) -> list[Any]:
    shapes = slide._element.iter(_SHAPE)
    return [s for s in shapes if (p := s.find(_PLACE)) is not None and p.get("type") == _FOOTER]


def _hide_outside(slide: Any) -> None:
    """Mark as hidden the shapes that lie beside the slide, where old texts are kept."""
    show = slide.part.package.presentation_part.presentation
    for shape in slide.shapes:
        left, top, right, bottom = _edges(shape)
        if right <= 0 or bottom <= 0 or left >= show.slide_width or top >= show.slide_height:
            for named in list(shape._element.iter(f"{_P}cNvPr"))[:1]:
                named.set("hidden", "1")


def _edges(shape: Any) -> tuple[int, int, int, int]:
    left, top = shape.left or 0, shape.top or 0
    return left, top, left + (shape.width or 0) or 1, top + (shape.height or 0) or 1


def _drawn(shape: Any) -> Drawn:
    tag = shape._element.tag
    words = shape.text_frame.text if shape.has_text_frame else ""
    is_filled = tag == _SHAPE and shape._element.find(_UNFILLED) is None
    is_line = tag == f"{_P}cxnSp" and not _is_arrow(shape._element)
    return Drawn(_edges(shape), words, is_line, is_filled)


def _is_arrow(line: Any) -> bool:
    ends = (*line.iter(f"{_A}headEnd"), *line.iter(f"{_A}tailEnd"))
    return any(end.get("type", "none") != "none" for end in ends)


def _related(part: Any, kind: str) -> list[Any]:
    links = (link for link in part.rels.values() if link.reltype.endswith(f"/{kind}"))
    return [link.target_part for link in links if not link.is_external]


def _written(request: Request, reader: Any) -> list[str]:
    """Return each slide as HTML, its title first."""
    if reader.page_count() > request.max_pages:
        raise too_many(reader.page_count(), "slides", request.max_pages)
    for slide in reader.pptx_obj.slides:
        _hide_outside(slide)
        mark_slide(slide)
    document = reader.convert()
    groups = children_of(document.body, document)
    slides = [children_of(group, document) for group in groups if group.label.value == "chapter"]
    for items in slides:
        items.sort(key=lambda item: item.label.value != "title")
    return ["".join(html_of(item, document) for item in items) for items in slides]


class Slides(mspowerpoint_backend.MsPowerpointDocumentBackend):
    """docling's reader of slides, without pictures and charts, for which it may start programs.

    Without what took it nine tenths of the time, too: the places of paragraphs, and sorting shapes
    by them. Whether the paragraphs of a level have bullets is asked once for each shape. Numbers of
    lists are left out, since docling counts on over other points and writes "1." for "a)".
    """

    KIND = InputFormat.PPTX

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._bullets: dict[tuple[Any, str], bool] = {}

    def _generate_prov(self, *args: Any, **kwargs: Any) -> ProvenanceItem:
        return _NOWHERE

    def _iter_shapes_by_position(self, shapes: Iterable[Any]) -> Iterator[Any]:
        return iter(shapes)

    def _handle_nothing(self, *args: Any, **kwargs: Any) -> None:
        pass

    _handle_pictures: Any = _handle_nothing
    _handle_chart: Any = _handle_nothing

    def _is_list_item(self, paragraph: Any) -> tuple[bool, str]:
        """Tell whether a paragraph has a bullet, its own or that of its shape's level."""
        shape, properties = paragraph._parent._parent, paragraph._p.pPr
        level = "0" if properties is None else properties.get("lvl", "0")
        is_own = properties is not None and any("}bu" in child.tag for child in properties)
        key = (paragraph._p if is_own else shape._element, level)
        if key not in self._bullets:
            self._bullets[key] = self._get_effective_list_marker(shape, paragraph)["is_list"]
        return bool(self._bullets[key]), "Bullet"


def mark_slide(slide: Any) -> None:
    """Mark raised and struck texts of a slide, lists in cells, and empty cells, which may span.

    Text under a merged cell, which is not shown, is removed. Of shapes that are there for newer and
    older programs, those for newer ones stay.
    """
    for versions in list(slide.element.iter(f"{_MC}AlternateContent")):
        for newest in versions[:1]:
            for shape in newest:
                versions.addprevious(shape)
        versions.getparent().remove(versions)
    for paragraph in slide.element.iter(f"{_A}p"):
        _mark_paragraph(paragraph)
    for cell in slide.element.iter(f"{_A}tc"):
        paragraphs = list(cell.iter(f"{_A}p"))
        if {cell.get("hMerge"), cell.get("vMerge")} & {"1", "true"}:
            for paragraph in paragraphs:
                paragraph.getparent().remove(paragraph)
            cell.txBody.add_p()
            continue
        for paragraph in paragraphs:
            _mark_point(paragraph)
        if not "".join(text.text or "" for text in cell.iter(f"{_A}t")).strip():
            cell.txBody.add_p().add_r(_NOTHING)


def _mark_paragraph(paragraph: Any) -> None:
    """Mark the runs of a paragraph, and make them one, which docling reads sooner."""
    runs = list(paragraph.iterdescendants(_RUN, _FIELD, _BREAK))
    texts = [run.find(_TEXT) for run in runs]
    for run, text in zip(runs, texts, strict=True):
        if text is not None:
            text.text = _run(text.text or "", run.find(_LOOK))
    inside = [child for child in paragraph if child.tag not in _BESIDE]
    if inside == runs and len(runs) > 1 and texts[0] is not None:
        texts[0].text = "".join(" " if text is None else text.text for text in texts)
        for run in runs[1:]:
            paragraph.remove(run)


def _run(text: str, properties: Any) -> str:
    look = {} if properties is None else properties.attrib
    if look.get("strike", "noStrike") != "noStrike" and clean_line(text):
        return STRUCK
    raised = int(look.get("baseline", "0").rstrip("%") or 0)
    name = "sup" if raised > 0 else "sub" if raised < 0 else ""
    return f"<{name}>{escape(text)}</{name}>" if name else escape(text)


def _mark_point(paragraph: Any) -> None:
    properties = paragraph.find(f"{_A}pPr")
    texts = list(paragraph.iter(f"{_A}t"))
    if properties is None or not texts or not any(child.tag in _BULLETS for child in properties):
        return
    depth = int(properties.get("lvl", "0")) + 1
    texts[0].text = f'<ul depth="{depth}"><li>{texts[0].text or ""}'
    texts[-1].text = f"{texts[-1].text or ''}</li></ul>"
