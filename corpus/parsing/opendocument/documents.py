"""Read OpenDocument: texts as one page, sheets and slides as a page each.

docling's reader of it shows hidden, struck and deleted words, and no tables on slides.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from xml.etree.ElementTree import Element

from corpus.filenames import title_said
from corpus.parsing.clean import clean_line
from corpus.parsing.office.archives import encrypted
from corpus.parsing.office.markup import document_with, office_tree, page_of, title_of
from corpus.parsing.office.package import damaged, part_of, read_or_damaged, too_many
from corpus.parsing.office.parts import DRAWN_OVER, NAMES, Drawn, is_drawn_over, unread
from corpus.parsing.office.sheet_dates import DATE, doubt_dates
from corpus.parsing.office.sheet_heads import BOLD, NUMBER, Filled, Row
from corpus.parsing.office.sheet_tables import Block, Grid, blocks_in, sheet_page
from corpus.parsing.opendocument.grids import Placed, cells_in
from corpus.parsing.opendocument.styles import Look, Styles
from corpus.parsing.opendocument.writing import SHAPES, Writer, is_bare, is_crossed, open_places
from corpus.parsing.published.xml_text import (
    COMMENT,
    DATED,
    HIDDEN,
    STRUCK,
    UNWRITTEN,
    flat,
)
from corpus.parsing.registry import Request
from corpus.parsing.types import Page, ParsedDocument

_NUMBERS = frozenset(("float", "percentage", "currency"))
_RUNNING = frozenset(("header", "footer", "date-time", "page-number"))
_LENGTH = re.compile(r"(-?\d{1,9}(?:\.\d+)?)(cm|mm|in|pt|pc|px)")
_EMU = {"cm": 360_000, "mm": 36_000, "in": 914_400, "pt": 12_700, "pc": 152_400, "px": 9_525}
_BLANK = Filled(" ", 1, 1)


class _File:
    """An open file: its text, what is on all its pages, and a writer of both."""

    def __init__(self, archive: zipfile.ZipFile, kind: str) -> None:
        names = ("META-INF/manifest.xml", "content.xml", "styles.xml", "meta.xml")
        manifest, content, self.master, meta = (
            part_of(archive.read(name) if name in archive.namelist() else b"<x/>") for name in names
        )
        if manifest.find(".//encryption-data") is not None:
            raise encrypted()
        self.title = clean_line(meta.findtext(".//title", ""))
        self.styles = Styles(self.master, content)
        self._pages = Styles(self.master)  # whose names may be used again in the text
        self.writer = Writer(archive, self.styles)
        body = content.find(f"body/{kind}")
        if body is None:
            raise damaged()
        self.body = body

    def page_look(self, master: str) -> Look:
        """Return how the pages of a master page look."""
        page = self.master_page(master)
        layout = self._pages.named("page-layout", page.get("page-layout-name", ""))
        own = {} if layout is None else {k: v for each in layout for k, v in each.attrib.items()}
        if ground := own.get("background-color"):
            own["page/background-color"] = ground
        return {**own, **self._pages.look("drawing-page", page.get("style-name", ""))}

    def master_page(self, name: str) -> Element:
        page = self.styles.named("master-page", name)
        return Element("x") if page is None else page

    def told(self, page: Page, *running: Iterable[Element]) -> Page:
        """Return a page with what was doubted since the last, and lines beside its text."""
        paragraphs = (
            p
            for master in running
            for part in master
            if part.get("class", "footer") == "footer" and part.tag not in ("notes", "forms")
            for p in part.iter()
            if p.tag in ("p", "h", "footer-decl")
        )
        lines = (clean_line("".join(p.itertext())) for p in paragraphs)
        return replace(
            page,
            doubts=(*page.doubts, *self.writer.take_doubts()),
            running_lines=tuple(dict.fromkeys(filter(None, lines))),
        )


def parse_odt(request: Request) -> ParsedDocument:
    """Return one page. Running headers and footers are kept apart from its text."""
    request.on_page(0, 1)
    with read_or_damaged(), zipfile.ZipFile(request.path) as archive:
        file = _File(archive, "text")
        html = file.writer.document(file.body)
        masters = list(file.master.iter("master-page"))
        look = file.page_look(masters[0].get("name", "")) if masters else {}
        page = page_of(office_tree(file.styles.marked("div", look, html)))
        return _document(request, [file.told(page, *masters)], file)


def _document(request: Request, pages: list[Page], file: _File) -> ParsedDocument:
    return document_with(request, pages, title_of(pages, title_said(file.title)))


def parse_odp(request: Request) -> ParsedDocument:
    """Return a page for each slide, empty for a hidden one. Notes and footers are left out."""
    with read_or_damaged(), zipfile.ZipFile(request.path) as archive:
        file = _File(archive, "presentation")
        slides = file.body.findall("page")
        if len(slides) > request.max_pages:
            raise too_many(len(slides), "slides", request.max_pages)
        footers = file.body.findall("footer-decl")
        pages = []
        for number, slide in enumerate(slides, start=1):
            page = page_of(office_tree(_slide(slide, file)), number)
            footer = [f for f in footers if f.get("name") == slide.get("use-footer-name", "")]
            master = file.master_page(slide.get("master-page-name", ""))
            pages.append(file.told(page, footer, master))
        return _document(request, pages, file)


def _slide(slide: Element, file: _File) -> str:
    master = file.page_look(slide.get("master-page-name", ""))
    look = {**master, **file.styles.look("drawing-page", slide.get("style-name", ""))}
    if look.get("visibility") == "hidden":
        return f"<p>{HIDDEN}</p>"
    size = (_length(look, "page-width"), _length(look, "page-height"))
    titles, others, drawn = [], [], []
    for shape in slide:
        kind = shape.get("class", "")
        if any(clean_line("".join(f.itertext())) for f in shape if f.get("class") == "notes"):
            file.writer.doubt(unread(NAMES["notesSlide"]))
        is_read = shape.tag in SHAPES or shape.tag in ("annotation", "a")
        if not is_read or kind in _RUNNING or shape.get("placeholder") == "true":
            continue
        own = _drawn(shape, file.writer.look_of(shape))
        left, top, right, bottom = own.edges
        if all(size) and (right <= 0 or bottom <= 0 or left >= size[0] or top >= size[1]):
            others.append(f"<p>{HIDDEN}</p>")
            continue
        drawn.append(own)
        if kind == "title":
            titles.append(file.writer.title(shape))
        else:
            others.append(file.writer.blocks([shape]))
    if is_drawn_over(drawn):
        file.writer.doubt(unread(DRAWN_OVER))
    return file.styles.marked("div", look, "".join([*titles, *others]))


def _drawn(shape: Element, look: Look) -> Drawn:
    """Return where a shape lies; without a place it lies in the corner and covers nothing."""
    at = {name: _length(shape.attrib, name) for name in "x y width height x1 x2 y1 y2".split()}
    left, right, top, bottom = at["x"], at["x"] + at["width"], at["y"], at["y"] + at["height"]
    if shape.tag in ("line", "connector", "measure"):
        left, right = sorted((at["x1"], at["x2"]))
        top, bottom = sorted((at["y1"], at["y2"]))
    words = "\n".join("".join(p.itertext()) for p in shape.iter("p"))
    is_filled = shape.tag != "frame" and look.get("fill", "none") != "none"
    is_arrow = look.get("marker-start") or look.get("marker-end")
    is_line = shape.tag in ("line", "connector") and not is_arrow
    return Drawn((left, top, max(right, left + 1), max(bottom, top + 1)), words, is_line, is_filled)


def _length(of: Mapping[str, str], name: str) -> int:
    """Return a length in EMU; 0 for none."""
    match = _LENGTH.match(of.get(name, ""))
    return round(float(match[1]) * _EMU[match[2]]) if match else 0


def parse_ods(request: Request) -> ParsedDocument:
    """Return a page for each visible sheet, without hidden rows and columns.

    Numbers are written as they are shown, dates in ISO 8601.
    """
    with read_or_damaged(), zipfile.ZipFile(request.path) as archive:
        file = _File(archive, "spreadsheet")
        sheets = file.body.findall("table")
        looks = {id(s): file.styles.look("table", s.get("style-name", "")) for s in sheets}
        shown = [s for s in sheets if looks[id(s)].get("display") != "false"]
        if len(shown) > request.max_pages:
            raise too_many(len(shown), "sheets", request.max_pages)
        marks = HIDDEN * (len(shown) < len(sheets)) + _marks(file)
        pages = []
        for number, sheet in enumerate(shown, start=1):
            page = _sheet(sheet, number, marks, file)
            master = looks[id(sheet)].get("master-page-name", "Default")
            pages.append(file.told(page, file.master_page(master)))
            marks = ""
        return _document(request, pages, file)


def _marks(file: _File) -> str:
    marks = ""
    for element in file.body.iter():
        if element.tag == "help-message" and element.get("display") == "true":
            marks += COMMENT  # shown when the cell is chosen
        elif element.tag in ("deletion", "cell-content-change"):
            marks += STRUCK
        elif "apply-style-name" in element.attrib:
            look = file.styles.look("table-cell", element.get("apply-style-name", ""))
            marks += UNWRITTEN * ("line-through" in file.styles.css(look))
    return marks


def _sheet(sheet: Element, number: int, marks: str, file: _File) -> Page:
    cells, hidden = cells_in(sheet, _is_empty)
    grid: Grid = {}
    shapes = [shape for holder in sheet.findall("shapes") for shape in holder]
    for placed in cells:
        shapes += [child for child in placed.cell if child.tag in SHAPES]
        if raw := _raw(placed, file):
            grid[placed.row, placed.column] = Filled(raw, placed.rows, placed.columns)
    boxes = [clean_line(flat(b)) for b in office_tree(file.writer.blocks(shapes))]
    blocks = [_block(doubt_dates(part)) for part in blocks_in(grid)]
    marks += HIDDEN * hidden
    return sheet_page(sheet.get("name", ""), marks, blocks, number, boxes=list(filter(None, boxes)))


def _block(grid: Grid) -> Block:
    """Return cells that stand together, with a blank in each that is empty between them."""
    left = min(column for _, column in grid)
    top = min(row for row, _ in grid)
    moved = {(row - top, column - left): cell for (row, column), cell in grid.items()}
    lines: list[Row] = [
        {column: moved.get((row, column), _BLANK) for column in columns}
        for row, columns in enumerate(open_places(moved))
    ]
    return Block(left, max(column + cell.columns for (_, column), cell in moved.items()), lines)


def _is_empty(cell: Element) -> bool:
    return not cell.attrib.keys() & {"value-type", "formula"} and is_bare(cell)


def _raw(placed: Placed, file: _File) -> str:
    """Return the text that a cell shows, with marks; empty for an empty cell."""
    cell, look = placed.cell, file.styles.look("table-cell", placed.style)
    kind = cell.get("value-type", "")
    value = cell.get("value", "") or cell.get(f"{kind}-value", "")
    text = file.writer.words_of(cell, look)
    comment = COMMENT * (cell.find("annotation") is not None)
    if is_crossed(look) and clean_line(text):
        return STRUCK
    if not text.strip():
        if "formula" in cell.attrib and not kind:
            return UNWRITTEN + comment  # was never calculated
        hides = value and look.get("data-style-name")
        number = NUMBER * (kind in _NUMBERS)
        return (HIDDEN if hides else value and f"{number}{value}{UNWRITTEN}") + comment
    if kind == "date":
        text = _dated(cell.get("date-value", ""), text, look, file)
    is_bold = look.get("font-weight", "normal") not in ("normal", "400")
    marks = BOLD * is_bold + NUMBER * (kind in _NUMBERS)
    return marks + text + DATE * (kind == "time") + comment


def _dated(day: str, text: str, look: Look, file: _File) -> str:
    """Return a date in ISO 8601, with a mark; as it is shown if that is no day."""
    form = file.styles.named("date-style", look.get("data-style-name", ""))
    parts = set() if form is None else {part.tag for part in form}
    if {STRUCK, HIDDEN} & set(text) or not re.match(r"\d{4}-\d\d-\d\d", day):
        return text + DATED
    if parts & {"hours", "minutes"} and not parts & {"day", "month", "year"}:
        return text + DATE
    clock = f" {day[11:16]}" if "hours" in parts else ""
    shown = day[:7] if "month" in parts and "day" not in parts else day[:10]
    return shown + clock + (DATE if "year" in parts else DATED)
