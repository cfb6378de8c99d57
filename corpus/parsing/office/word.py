"""Turn a Word file into a tree of HTML, which `xml_blocks` reads.

Source: ECMA-376, part 1, 17. Only what is on the page is read: tracked insertions but no deletions,
no running headers, no hidden or struck words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from xml.etree.ElementTree import Element, SubElement

from corpus.parsing.clean import clean_line
from corpus.parsing.lists import is_bullet, list_marker, whole_number
from corpus.parsing.office.markup import document_of
from corpus.parsing.office.package import Package
from corpus.parsing.office.word_lists import Look, ParagraphLooks, is_on, looks_of, value_of
from corpus.parsing.published.xml_text import HIDDEN, STRUCK, flat, in_font
from corpus.parsing.registry import Request
from corpus.parsing.types import ParsedDocument

_INSIDE = frozenset(
    "sdt sdtContent ins moveTo smartTag customXml hyperlink fldSimple dir bdo oMathPara".split()
)
_DELETED = frozenset("del moveFrom".split())
_BLANKS = frozenset("tab ptab br cr".split())
# Tags of HTML that were typed as text; the words between them are part of the guideline.
_TYPED = re.compile(
    r"</?(?:table|thead|tbody|tr|t[dh]|div|span|br|[ou]l|li|h[1-6]|font|center|strong|em|[pbiu])"
    r"(?:\s+[\w-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s<>\"']+))*\s*/?>",
    re.I,
)


def parse_docx(request: Request) -> ParsedDocument:
    """Return one page, since a Word file has no pages until it is printed.

    Running headers are left out.
    """
    request.on_page(0, 1)
    package = Package(request.path)
    looks = looks_of(package.beside("styles"), package.beside("numbering"))
    notes = {}
    for kind in ("footnote", "endnote"):
        part = package.beside(f"{kind}s")
        found = [] if part is None else part.findall(kind)
        notes[f"{kind}Reference"] = {note.get("id", ""): note for note in found}
    return document_of(request, _Reader(looks, notes).tree(package.main()))


class _Reader:
    def __init__(self, looks: ParagraphLooks, notes: dict[str, dict[str, Element]]) -> None:
        self._looks = looks
        self._notes = notes
        self._numbers = count(1)
        self._beside: list[Element] = []  # text boxes and notes, which stand below their paragraph
        self._below: list[Element] = []  # notes of a table
        self._tables = 0  # how many tables are being read, one in another
        self._shift = 0

    def tree(self, document: Element) -> Element:
        body = document.find("body")
        tree = Element("body")
        if body is not None:
            self._shift = int(any(self._looks.is_title(p.find("pPr")) for p in body.iter("p")))
            self._blocks(body, tree)
        return tree

    def _blocks(self, parent: Element, to: Element) -> None:
        for element in parent:
            if element.tag == "p":
                self._paragraph(element, to)
            elif element.tag == "tbl":
                self._table(element, to)
            elif element.tag in _INSIDE:
                self._blocks(element, to)
            to.extend(self._beside)
            self._beside = []

    def _paragraph(self, element: Element, to: Element) -> None:
        properties = element.find("pPr")
        if self._looks.is_contents(properties):
            return
        look = self._looks.look(properties)
        parts = list(self._parts(element))
        if is_on(None if properties is None else properties.find("rPr/del")):
            parts.append(STRUCK)
        holder = _holder(look, self._shift, to)
        _write(_without_typed_tags(parts), holder)
        if look.marker and holder.tag != "li" and clean_line(flat(holder)):
            holder.text = f"{look.marker} {holder.text or ''}"
        elif look.marker is None and holder.tag == "p":
            _as_point(holder, to)

    def _parts(self, element: Element) -> Iterator[str | Element]:
        """Yield the text and the HTML elements of a paragraph, in order."""
        for child in element:
            if child.tag == "r":
                yield from self._run(child)
            elif child.tag in _INSIDE:
                yield from self._parts(child)
            elif child.tag in _DELETED and clean_line("".join(child.itertext())):
                yield STRUCK
            elif child.tag == "oMath":
                formula = Element("math")
                _write_math(child, formula)
                yield formula
            elif child.tag == "AlternateContent":  # two versions, for newer and older programs
                yield from self._parts(next(iter(child), child))

    def _run(self, run: Element) -> Iterator[str | Element]:
        parts = [part for child in run for part in self._piece(child)]
        properties = run.find("rPr")
        if properties is None or not parts:
            yield from parts
            return
        struck = any(is_on(properties.find(tag)) for tag in ("strike", "dstrike"))
        script = {"superscript": "sup", "subscript": "sub"}.get(value_of(properties, "vertAlign"))
        if struck or self._looks.is_struck(properties):
            yield STRUCK
        elif is_on(properties.find("vanish")):
            yield HIDDEN
        elif script:
            raised = Element(script)
            _write(parts, raised)
            yield raised
        else:
            yield from (_shown(part, properties) for part in parts)

    def _piece(self, child: Element) -> Iterator[str | Element]:
        if child.tag == "t":
            yield child.text or ""
        elif child.tag in _BLANKS:
            yield " "
        elif child.tag == "noBreakHyphen":
            yield "\u2011"
        elif child.tag == "sym":
            raw = child.get("char", "")
            code = int(raw, 16) if re.fullmatch("[0-9A-Fa-f]{1,4}", raw) else 0
            yield in_font(chr(0xF000 | code), child.get("font", ""))
        elif child.tag in self._notes:
            yield from self._note(self._notes[child.tag].get(child.get("id", "")))
        elif child.tag in ("drawing", "pict", "object"):
            self._boxes(child)
        elif child.tag == "AlternateContent":
            self._boxes(next(iter(child), child))

    def _note(self, note: Element | None) -> Iterator[Element]:
        if note is None:
            return
        mark = Element("sup")
        mark.text = str(next(self._numbers))
        yield mark
        below = Element("fn")
        SubElement(below, "label").text = mark.text
        outer, self._beside = self._beside, []
        self._blocks(note, below)
        self._beside = outer
        (self._below if self._tables else self._beside).append(below)

    def _boxes(self, element: Element) -> None:
        for box in element.iter("txbxContent"):
            holder = Element("div")
            outer, self._beside = self._beside, []
            self._blocks(box, holder)
            self._beside = [*outer, holder]

    def _table(self, element: Element, to: Element) -> None:
        table = SubElement(to, "table")
        self._tables += 1
        over: dict[int, Element] = {}  # by column, the cell that spans rows
        for row in _rows(element, "tr"):
            if row.find("trPr/del") is not None:
                table.text = STRUCK
                continue
            tr = SubElement(table, "tr")
            column = whole_number(value_of(row, "trPr/gridBefore"), 0)
            if column:
                SubElement(tr, "td", colspan=str(column))
            is_label = len(table) == 1 or is_on(row.find("trPr/tblHeader"))
            for cell in _rows(row, "tc"):
                span = whole_number(value_of(cell, "tcPr/gridSpan"), 1)
                self._cell(cell, tr, over, (column, span, "th" if is_label else "td"))
                column += span
        self._tables -= 1
        if not self._tables:
            self._beside, self._below = [*self._beside, *self._below], []

    def _cell(
        self, cell: Element, tr: Element, over: dict[int, Element], look: tuple[int, int, str]
    ) -> None:
        column, span, tag = look
        merge = cell.find("tcPr/vMerge")
        if merge is not None and merge.get("val") != "restart" and column in over:
            above = over[column]
            above.set("rowspan", str(int(above.get("rowspan", "1")) + 1))
            return
        made = SubElement(tr, tag, colspan=str(span))
        outer, self._beside = self._beside, []
        if cell.find("tcPr/cellDel") is not None:
            made.text = STRUCK
        else:
            self._blocks(cell, made)
        self._beside = outer
        over.pop(column, None)
        if merge is not None:
            over[column] = made


def _rows(element: Element, tag: str) -> Iterator[Element]:
    """Yield rows or cells, including those inside content controls."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag in _INSIDE:
            yield from _rows(child, tag)


def _holder(look: Look, shift: int, to: Element) -> Element:
    if look.is_title:
        return SubElement(to, "h1")
    if look.rank:
        return SubElement(to, f"h{min(look.rank + shift, 6)}")
    if look.marker is None or look.is_caption:
        return SubElement(to, "figcaption" if look.is_caption else "p")
    item = SubElement(SubElement(to, "ul", depth=str(look.depth)), "li")
    SubElement(item, "label").text = look.marker
    return item


def _write(parts: list[str | Element], to: Element) -> None:
    for part in parts:
        if isinstance(part, Element):
            to.append(part)
        elif len(to):
            to[-1].tail = (to[-1].tail or "") + part
        else:
            to.text = (to.text or "") + part


def _without_typed_tags(parts: list[str | Element]) -> list[str | Element]:
    joined: list[str | Element] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return [_TYPED.sub(" ", part) if isinstance(part, str) else part for part in joined]


def _as_point(paragraph: Element, to: Element) -> None:
    """Turn a paragraph with a typed list marker into a list item, its depth unknown (0)."""
    text = (paragraph.text or "").lstrip()
    marker = list_marker(text)
    if marker is None or not clean_line(flat(paragraph)[len(marker) :]):
        return
    if marker.strip() == "*" and len(to) > 1 and to[-2].tag == "table":
        return  # a note of the table
    paragraph.text = text[len(marker) :] if is_bullet(text) else text
    paragraph.tag = "li"
    to.remove(paragraph)
    SubElement(to, "ul", depth="0").append(paragraph)


def _shown(part: str | Element, properties: Element) -> str | Element:
    """Return text as it is shown: in a symbol font, letters stand for signs."""
    fonts = properties.find("rFonts")
    font = "" if fonts is None else fonts.get("ascii", fonts.get("hAnsi", ""))
    if isinstance(part, Element) or font.casefold() not in ("symbol", "wingdings"):
        return part
    return "".join(in_font(chr(0xF000 | ord(c)) if ord(c) < 256 else c, font) for c in part)


_PARTS = {
    "f": ("mfrac", ("num", "den")),
    "sSup": ("msup", ("e", "sup")),
    "sSub": ("msub", ("e", "sub")),
    "sSubSup": ("msubsup", ("e", "sub", "sup")),
    "rad": ("msqrt", ("e",)),
}
_SIGNS = frozenset("=+−-×·<>≤≥")


def _write_math(element: Element, to: Element) -> None:
    """Write a formula of Word (ECMA-376, part 1, 22.1) as MathML."""
    for child in element:
        name, parts = _PARTS.get(child.tag, ("", ()))
        if name:
            made = SubElement(to, name)
            for part in parts:
                row, inner = SubElement(made, "mrow"), child.find(part)
                if inner is not None:
                    _write_math(inner, row)
        elif child.tag == "t":
            spaced = "".join(f"\0{c}\0" if c in _SIGNS else c for c in child.text or "")
            for text in filter(None, spaced.split("\0")):
                SubElement(to, "mo" if text in _SIGNS else "mi").text = text
        elif child.tag == "d":  # what stands in brackets
            SubElement(to, "mi").text = "("
            _write_math(child, to)
            SubElement(to, "mi").text = ")"
        elif not child.tag.endswith("Pr"):
            _write_math(child, to)
