"""Write the text, lists, tables and shapes of OpenDocument as HTML for `html_tree`.

Tracked insertions but no deletions; struck, hidden and white words are left to `html_tree`.
Source: OpenDocument 1.3, part 3, 5 (text), 9 (tables) and 10 (shapes).
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from html import escape
from itertools import count
from urllib.parse import unquote
from xml.etree.ElementTree import Element, tostring

from corpus.parsing.clean import clean_line
from corpus.parsing.lists import whole_number
from corpus.parsing.office.markup import office_tree
from corpus.parsing.office.package import part_of
from corpus.parsing.office.parts import DRAWN_OVER, NAMES, unread
from corpus.parsing.office.sheet_heads import Filled
from corpus.parsing.opendocument.grids import Placed, cells_in
from corpus.parsing.opendocument.styles import Look, Numbers, Styles, is_plain, script_of
from corpus.parsing.pictures import PictureWords, is_ornament
from corpus.parsing.published.xml_text import COMMENT, HIDDEN, STRUCK, flat
from corpus.parsing.types import Doubt

SHAPES = frozenset(
    "frame custom-shape rect line polyline polygon regular-polygon path circle ellipse g caption "
    "connector measure control scene page-thumbnail".split()
)
_WORDLESS = frozenset(  # settings, and lists that repeat what stands elsewhere
    "tracked-changes forms script ruby-text table-of-content illustration-index table-index "
    "annotation-end change-start change-end number event-listeners enhanced-geometry".split()
)
_MAX_HEADING, _DEEPEST = 6, 10


class Writer:
    """Writes the elements of a file in their order, and collects doubts of what it can't read."""

    def __init__(self, archive: zipfile.ZipFile, styles: Styles) -> None:
        self._archive = archive
        self._styles = styles
        self._numbers, self._notes = Numbers(), count(1)
        self._pictures = PictureWords()
        self._boxes: list[str] = []  # to follow their paragraph
        self._below: list[str] = []  # notes, to follow their paragraph or table
        self._tables = 0  # how many are being written, one in another
        self._shift = 0  # of headings below a title
        self._doubts: dict[Doubt, None] = {}

    def take_doubts(self) -> tuple[Doubt, ...]:
        doubts, self._doubts = tuple(self._doubts), {}
        return doubts

    def document(self, body: Element) -> str:
        """Return the text of a document, its headings below its title if it has one."""
        self._shift = int(any(self._is_title(p) for p in body.iter("p")))
        return self.blocks(body)

    def blocks(self, parent: Iterable[Element]) -> str:
        return "".join(map(self._block, parent))

    def _block(self, element: Element) -> str:
        tag = element.tag
        if tag in ("p", "h"):
            return self._paragraph(element)
        if tag == "list":
            return self._list(element, "", 1)
        if tag == "table":
            return self.table(element)
        if tag in SHAPES:
            return self.shape(element)
        mark = _mark(element)
        return self.blocks(element) if mark is None else f"<p>{mark}</p>"

    def _is_title(self, paragraph: Element) -> bool:
        return "is-title" in self._styles.look("paragraph", paragraph.get("style-name", ""))

    def _paragraph(self, element: Element, label: str = "") -> str:
        look = self._styles.look("paragraph", element.get("style-name", ""))
        gone = any(_mark(below) for below in element.iter("hidden-paragraph"))
        tag = "p"
        if element.tag == "h":
            level = max(1, min(whole_number(element.get("outline-level", "1"), 1), _DEEPEST))
            label = label or self._heading_number(element, level)
            tag = f"h{min(level + self._shift, _MAX_HEADING)}"
        elif self._is_title(element):
            tag = "h1"
        outer, self._boxes = self._boxes, []
        inside = HIDDEN if gone else self._inline(element, look)
        inside = f"{escape(label)} {inside}" if label and clean_line(inside) else inside
        boxes, self._boxes = "".join(self._boxes), outer
        return self._styles.marked(tag, look, inside) + boxes + self._take_below()

    def _take_below(self) -> str:
        if self._tables:  # they follow it
            return ""
        below, self._below = "".join(self._below), []
        return below

    def _heading_number(self, heading: Element, level: int) -> str:
        said = heading.findtext("number")
        outline = self._styles.named("outline-style", "Outline")
        if said is not None or outline is None or heading.get("is-list-header") == "true":
            return clean_line(said or "")
        return self._numbers.label(outline, "", level)

    def _list(self, element: Element, outer: str, level: int) -> str:
        name = element.get("style-name") or outer
        style = self._styles.named("list-style", name)
        if element.get("continue-numbering") != "true" and not element.get("continue-list"):
            self._numbers.restart(name, level)
        items = (self._item(item, style, name, level) for item in element)
        return f"<ul>{''.join(items)}</ul>"

    def _item(self, item: Element, style: Element | None, name: str, level: int) -> str:
        is_own = item.tag == "list-item" and len(item) > 0 and item[0].tag != "list"
        label = clean_line(item.findtext("number", ""))
        if is_own and style is not None and item.find("number") is None:
            label = self._numbers.label(style, name, level, item.get("start-value"))
        if is_own and (item.find("h") is not None or is_plain(style, level)):
            return "</ul>" + self._parts_of(item, name, level, label) + "<ul>"
        inside = self._parts_of(item, name, level, "")
        return f"<li><label>{escape(label)}</label>{inside}</li>" if is_own else inside

    def _parts_of(self, item: Element, name: str, level: int, label: str) -> str:
        html = ""
        for child in item:
            if child.tag == "list":
                html += self._list(child, name, level + 1)
            elif child.tag in ("p", "h"):
                html += self._paragraph(child, label)
                label = ""
            else:
                html += self._block(child)
        return html

    def _line(self, paragraphs: Iterable[Element]) -> str:
        """Return paragraphs, and the boxes in them, as one line of HTML."""
        outer, self._boxes = self._boxes, []
        looks = [(p, self._styles.look("paragraph", p.get("style-name", ""))) for p in paragraphs]
        inside = [self._styles.marked("span", look, self._inline(p, look)) for p, look in looks]
        boxes, self._boxes = self._boxes, outer
        return " ".join([*inside, *boxes])

    def _inline(self, element: Element, look: Look) -> str:
        """Return the words inside an element, and queue the boxes and notes among them."""
        parts = [self._shown(element.text, look)]
        for child in element:
            parts += [self._piece(child, look), self._shown(child.tail, look)]
        return "".join(parts)

    def _shown(self, text: str | None, look: Look) -> str:
        """Return text as HTML; private characters of a symbol font as the letters they stand on."""
        if text and self._styles.sign_font(look):
            text = "".join(chr(ord(c) & 0xFF) if 0xF020 <= ord(c) <= 0xF0FF else c for c in text)
        return escape(text or "")

    def _piece(self, element: Element, look: Look) -> str:
        tag = element.tag
        if tag == "span":
            own = self._styles.look("text", element.get("style-name", ""))
            html = self._styles.marked("span", own, self._inline(element, own))
            return f"<{script}>{html}</{script}>" if (script := script_of(own)) else html
        if tag in ("s", "tab"):
            return " "
        if tag == "line-break":
            return "<br>"
        if tag == "note":
            return self._note(element)
        if tag in SHAPES:
            formula = next(filter(None, map(self._formula, element)), "")
            self._boxes += [] if formula else [self.shape(element)]
            return formula
        mark = _mark(element)
        return self._inline(element, look) if mark is None else mark

    def _note(self, note: Element) -> str:
        mark = str(next(self._notes))
        body = note.find("note-body")
        if body is not None:
            inside = self._line(lines_of(body))
            self._below.append(f"<fn><label>{mark}</label><p>{inside}</p></fn>")
        return f"<sup>{mark}</sup>"

    def table(self, table: Element) -> str:
        """Return a table; its first row are heads if it has no others, as docling reads Word's."""
        self._tables += 1
        cells, hidden = cells_in(table, is_bare)
        heads = {cell.row for cell in cells if cell.is_head} or {0}
        places = {(cell.row, cell.column): cell for cell in cells}
        body = ""
        for row, columns in enumerate(open_places(places)):
            tag = "th" if row in heads else "td"
            body += "<tr>" + "".join(self._cell(tag, places.get((row, at))) for at in columns)
        self._tables -= 1
        return f"<table>{body}</table>{f'<p>{HIDDEN}</p>' if hidden else ''}{self._take_below()}"

    def _cell(self, tag: str, placed: Placed | None) -> str:
        if placed is None:
            return f"<{tag}></{tag}>"
        look = self._styles.look("table-cell", placed.style)
        inside = STRUCK if is_crossed(look) else self.blocks(placed.cell)
        spans = f' rowspan="{placed.rows}" colspan="{placed.columns}"'
        return f"<{tag}{spans}>{self._styles.marked('div', look, inside)}</{tag}>"

    def shape(self, shape: Element) -> str:
        """Return what a shape holds: text, a table or a formula. Doubts what can't be read."""
        if shape.tag == "control":
            self.doubt(unread(NAMES["control"]))
        if shape.get("display") in ("none", "printer"):
            return f"<p>{HIDDEN}</p>"
        look = self.look_of(shape)
        held = [child for child in shape if child.tag not in ("title", "desc", "glue-point")]
        words = "".join(map(self._held, held[:1] if shape.tag == "frame" else held))
        is_over = look.get("wrap") == "run-through" and look.get("run-through") != "background"
        if is_over and shape.tag != "frame" and not any(map(clean_line, shape.itertext())):
            self.doubt(unread(DRAWN_OVER))
        return self._styles.marked("div", look, words) if words else ""

    def title(self, shape: Element) -> str:
        words = self._line(lines_of(shape))
        return self._styles.marked("h1", self.look_of(shape), words)

    def look_of(self, shape: Element) -> Look:
        name = shape.get("style-name", "")
        return {**self._styles.look("presentation", name), **self._styles.look("graphic", name)}

    def _held(self, child: Element) -> str:
        """Return what a part of a shape says; a frame's first part is the one that is shown."""
        if child.tag == "image":
            raw = self._linked(child)
            if not raw or not is_ornament(self._pictures.of(raw)):
                self.doubt(unread(NAMES["image"]))
        elif child.tag in ("object", "object-ole", "plugin", "applet", "floating-frame"):
            if formula := self._formula(child):
                return f"<p>{formula}</p>"
            root = self._object(child)
            is_chart = root is not None and root.find("body/chart") is not None
            self.doubt(unread(NAMES["chart" if is_chart else "oleObject"]))
        elif child.tag != "image-map":
            return self._block(child)
        return ""

    def doubt(self, doubt: Doubt) -> None:
        self._doubts[doubt] = None

    def _linked(self, element: Element, below: str = "") -> bytes:
        """Return the part of the file that an element shows; empty if it lies elsewhere."""
        place = posixpath.normpath(posixpath.join(unquote(element.get("href", "")), below))
        return self._archive.read(place) if place in self._archive.namelist() else b""

    def _object(self, element: Element) -> Element | None:
        """Return the root of an object that is part of the file."""
        inside = next((e for e in element if e.tag in ("math", "document")), None)
        raw = self._linked(element, "content.xml") if element.tag == "object" else b""
        return part_of(raw) if inside is None and raw else inside

    def _formula(self, element: Element) -> str:
        root = self._object(element)
        return tostring(root, "unicode") if root is not None and root.tag == "math" else ""

    def words_of(self, cell: Element, look: Look) -> str:
        """Return what a cell of a sheet shows, in one text with marks."""
        paragraphs = [p for p in cell if p.tag == "p"]
        is_plain_text = not any(len(p) or p.attrib for p in paragraphs)
        if is_plain_text and _shows(self._styles.marked("div", look, "x")):
            return " ".join(p.text or "" for p in paragraphs)
        inside = self._line(paragraphs)
        return flat(office_tree(self._styles.marked("div", look, inside)))


@lru_cache(maxsize=1024)
def _shows(html: str) -> bool:
    """Tell whether HTML around an x shows just that."""
    return flat(office_tree(html)) == "x"


def open_places(cells: Mapping[tuple[int, int], Placed | Filled]) -> Iterator[list[int]]:
    """Yield the columns of each row of a table that no cell of another place covers."""
    covered = {
        (row + down, column + across)
        for (row, column), cell in cells.items()
        for down in range(cell.rows)
        for across in range(cell.columns)
        if down or across
    }
    width = max((column + cell.columns for (_, column), cell in cells.items()), default=0)
    for row in range(max((row + cell.rows for (row, _), cell in cells.items()), default=0)):
        yield [column for column in range(width) if (row, column) not in covered]


def lines_of(element: Element) -> Iterator[Element]:
    """Yield the paragraphs of an element, without those in another one."""
    for child in element:
        if child.tag in ("p", "h"):
            yield child
        else:
            yield from lines_of(child)


def is_bare(cell: Element) -> bool:
    """Tell whether a cell of a text holds nothing."""
    is_said = any(map(clean_line, cell.itertext()))
    return not is_said and not any(below.tag in SHAPES for below in cell.iter())


def is_crossed(look: Look) -> bool:
    """Tell whether both diagonals of a cell are drawn."""
    return all(look.get(f"diagonal-{way}", "none") != "none" for way in ("tl-br", "bl-tr"))


def _mark(element: Element) -> str | None:
    """Return what stands for an element without words, or whose words nobody sees; else None."""
    if element.tag in _WORDLESS:
        return ""
    if element.tag in ("annotation", "change"):
        return COMMENT if element.tag == "annotation" else STRUCK
    display, is_off = element.get("display", ""), element.get("is-hidden") == "true"
    is_hidden = element.tag in ("hidden-text", "hidden-paragraph") or display == "condition"
    return HIDDEN if display == "none" or (is_off and is_hidden) else None
