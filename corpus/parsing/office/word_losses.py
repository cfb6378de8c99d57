"""Write into a Word file, before docling reads it, what docling would drop or read otherwise.

Source: ECMA-376, part 1, 17. Each paragraph becomes one text of HTML with what is on the page:
tracked insertions but no deletions, no hidden or struck words, the number of its list or heading.
docling reads the blocks and tables around these texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from corpus.parsing.clean import clean_line
from corpus.parsing.lists import is_bullet, list_marker, whole_number
from corpus.parsing.office.docling_documents import AS_IT_IS, LABEL
from corpus.parsing.office.package import part_of
from corpus.parsing.office.word_lists import Look, ParagraphLooks, is_on, looks_of, value_of
from corpus.parsing.published.xml_text import HIDDEN, STRUCK, flat, in_font

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MAX_COLUMNS = 1_000  # Word allows 63
_INSIDE = frozenset(
    "sdt sdtContent ins moveTo smartTag customXml hyperlink fldSimple dir bdo oMathPara".split()
)
_WRAPPERS = _INSIDE | {"AlternateContent"}
_DELETED = frozenset("del moveFrom".split())
_BLANKS = frozenset("tab ptab br cr".split())
# Tags of HTML that were typed as text; the words between them are part of the guideline.
_TYPED = re.compile(
    r"</?(?:table|thead|tbody|tr|t[dh]|div|span|br|[ou]l|li|h[1-6]|font|center|strong|em|[pbiu])"
    r"(?:\s+[\w-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s<>\"']+))*\s*/?>",
    re.I,
)


def mark_word(reader: Any) -> None:
    """Mark all paragraphs of a file that docling has opened."""
    part = reader.docx_obj.part
    main = part_of(part.blob)
    beside = {rel.reltype.rpartition("/")[2]: rel for rel in part.rels.values()}
    plain = {
        kind: part_of(beside[kind].target_part.blob)
        for kind in ("styles", "numbering", "footnotes", "endnotes")
        if kind in beside and not beside[kind].is_external
    }
    notes = {}
    for kind in ("footnote", "endnote"):
        found = plain.get(f"{kind}s", Element(kind)).findall(kind)
        notes[f"{kind}Reference"] = {note.get("id", ""): note for note in found}
    texts = dict(zip(part.element.iter("{*}p"), main.iter("p"), strict=True))
    looks = looks_of(plain.get("styles"), plain.get("numbering"))
    marker = _Marker(looks, notes, texts)
    marker.blocks(part.element.body)
    for paragraph in texts:  # docling may find a way to those that are not shown
        if paragraph not in marker.marked:
            del paragraph[:]


class _Marker:
    def __init__(
        self,
        looks: ParagraphLooks,
        notes: dict[str, dict[str, Element]],
        texts: dict[Any, Element],
    ) -> None:
        self._looks = looks
        self._notes = notes
        self._texts = texts
        self._shift = int(any(looks.is_title(p.find("pPr")) for p in texts.values()))
        self._numbers = count(1)
        self._beside: list[Element] = []  # notes, which stand below their paragraph or table
        self._tables = 0  # how many tables are being read, one in another
        self._below_table = False
        self.marked: set[Any] = set()

    def blocks(self, parent: Any) -> None:
        """Mark the paragraphs below an element of the file."""
        _unwrap(parent)
        child = next(iter(parent), None)
        while child is not None:
            name = _name(child)
            if name == "p" and child not in self.marked:
                self._paragraph(child)
            following = child.getnext()  # may be from a text box
            if name == "tbl":
                self._table(child)
            child = following

    def _paragraph(self, paragraph: Any) -> None:
        element, to = self._texts[paragraph], Element("body")
        for box in reversed(_boxes(paragraph)):
            _unwrap(box)
            for block in reversed(box):
                paragraph.addnext(block)
        self._write(element, to, self._below_table)
        self._below_table = False
        if not self._tables:
            to.extend(self._beside)
            self._beside = []
        self._replace(paragraph, to)

    def _replace(self, paragraph: Any, to: Element) -> None:
        del paragraph[:]
        html = "".join(tostring(block, "unicode") for block in to)
        paragraph.add_r().add_t(f"{AS_IT_IS}{html}")
        self.marked.add(paragraph)

    def _write(self, element: Element, to: Element, below_table: bool = False) -> None:
        properties = element.find("pPr")
        if self._looks.is_contents(properties):
            return
        look = self._looks.look(properties)
        parts = list(self._parts(element))
        if parts and self._looks.is_struck(properties, "pStyle"):
            parts = [STRUCK]
        elif is_on(None if properties is None else properties.find("rPr/del")):
            parts.append(STRUCK)
        holder = _holder(look, self._shift, to)
        _write(_without_typed_tags(parts), holder)
        if look.marker and holder.tag != "li" and clean_line(flat(holder)):
            holder.text = f"{look.marker} {holder.text or ''}"
        elif look.marker is None and holder.tag == "p":
            _as_point(holder, to, below_table)

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

    def _note(self, note: Element | None) -> Iterator[Element]:
        if note is None:
            return
        mark = Element("sup")
        mark.text = str(next(self._numbers))
        yield mark
        below = Element("fn")
        SubElement(below, "label").text = mark.text
        for paragraph in note.iter("p"):
            self._write(paragraph, below)
        self._beside.append(below)

    def _table(self, table: Any) -> None:
        self._tables += 1
        _unwrap(table)
        rows, struck = list(table.iterchildren(_W + "tr")), False
        for row in list(rows):
            if row.find(f"{_W}trPr/{_W}del") is not None:
                table.remove(row)
                rows.remove(row)
                struck = True
        over: set[int] = set()  # columns with a cell that spans rows
        width = max([self._row(row, over) for row in rows], default=0)
        self._tables -= 1
        self._below_table = True
        marked = [one for one in table.iter(_W + "p") if one in self.marked]
        if struck and not marked:
            table.addprevious(above := table.makeelement(_W + "p"))
            self._replace(above, Element("body"))
            marked = [above]
        if struck:
            marked[0][0][0].text += STRUCK
        if self._beside and not self._tables:
            to = Element("body")
            to.extend(self._beside)
            self._beside = []
            table.addnext(below := table.makeelement(_W + "p"))
            self._replace(below, to)
        cells = [cell for row in rows for cell in row.iterchildren(_W + "tc")]
        if len(cells) < 2:  # a frame around text, which docling would take out of an outer cell
            for block in [block for cell in cells for block in cell]:
                if _name(block) in ("p", "tbl"):
                    table.addprevious(block)
            table.getparent().remove(table)
            return
        for old in table.findall(_W + "tblGrid"):  # docling leaves out cells beyond it
            table.remove(old)
        table.insert(0, grid := table.makeelement(_W + "tblGrid"))
        grid.extend([grid.makeelement(_W + "gridCol") for _ in range(width)])

    def _row(self, row: Any, over: set[int]) -> int:
        """Mark the cells of a row; return how many columns it has."""
        _unwrap(row)
        header, width = row.find(f"{_W}trPr/{_W}tblHeader"), 0
        is_label = header is not None and header.get(_W + "val", "1") not in ("0", "false", "off")
        if before := _number(row, "trPr", "gridBefore", 0):
            properties = row.find(_W + "trPr")
            properties.addnext(first := row.makeelement(_W + "tc"))
            first.grid_span = before
            row.remove(properties)
        for cell in row.iterchildren(_W + "tc"):
            cell.grid_span = _number(cell, "tcPr", "gridSpan", 1) or 1
            merge = cell.find(f"{_W}tcPr/{_W}vMerge")
            if merge is None:
                over.discard(width)
            else:
                goes_on = merge.get(_W + "val") != "restart" and width in over
                merge.set(_W + "val", "continue" if goes_on else "restart")
                over.add(width)
            width += cell.grid_span
            if merge is not None and merge.get(_W + "val") == "continue":
                continue  # nothing of it is shown
            if cell.find(f"{_W}tcPr/{_W}cellDel") is not None:
                cell.clear_content()
                to = Element("body")
                SubElement(to, "p").text = STRUCK
                self._replace(cell.add_p(), to)
            self._below_table = False
            self.blocks(cell)
            if is_label:
                for paragraph in cell.iterchildren(_W + "p"):
                    paragraph[0][0].text += LABEL
        return width


def _unwrap(parent: Any) -> None:
    """Put what content controls, insertions and the like hold in their place."""
    while wrappers := [child for child in parent if _name(child) in _WRAPPERS]:
        for wrapper in wrappers:
            two_versions = _name(wrapper) == "AlternateContent"  # for newer and older programs
            for inner in list(next(iter(wrapper), wrapper) if two_versions else wrapper):
                wrapper.addprevious(inner)
            parent.remove(wrapper)


def _name(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _number(element: Any, properties: str, name: str, default: int) -> int:
    found = element.find(f"{_W}{properties}/{_W}{name}")
    raw = "" if found is None else found.get(_W + "val", "")
    return min(whole_number(raw, default), _MAX_COLUMNS)


def _boxes(paragraph: Any) -> list[Any]:
    """Return the text boxes of a paragraph, once where there is a version for older programs."""
    return [
        box
        for box in paragraph.iter(_W + "txbxContent")
        if next(box.iterancestors(_W + "p")) is paragraph
        and not any(map(_is_left_out, box.iterancestors()))
    ]


def _is_left_out(element: Any) -> bool:
    name = _name(element)
    return name in _DELETED or (name == "Fallback" and element.getprevious() is not None)


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


def _as_point(paragraph: Element, to: Element, below_table: bool) -> None:
    """Turn a paragraph with a typed list marker into a list item, its depth unknown (0)."""
    text = (paragraph.text or "").lstrip()
    marker = list_marker(text)
    if marker is None or not clean_line(flat(paragraph)[len(marker) :]):
        return
    if marker.strip() == "*" and below_table:
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
