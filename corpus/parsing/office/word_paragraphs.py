"""Write a paragraph of a Word file as one text of HTML with what is on the page.

Tracked insertions but no deletions, no hidden or struck words, the number of its list or heading.
Source: ECMA-376, part 1, 17.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from xml.etree.ElementTree import Element, SubElement

from corpus.parsing.clean import clean_line
from corpus.parsing.lists import is_bullet, list_marker, whole_number
from corpus.parsing.office.word_lists import Look, ParagraphLooks, is_on, value_of
from corpus.parsing.published.xml_text import COMMENT, HIDDEN, STRUCK, flat, in_font

INSIDE = frozenset(
    "sdt sdtContent ins moveTo smartTag customXml hyperlink fldSimple dir bdo oMathPara".split()
)
DELETED = frozenset("del moveFrom".split())
_DRAWN = frozenset("drawing pict object AlternateContent".split())  # whose boxes are read apart
_BLANKS = frozenset("tab ptab br cr".split())
# Tags of HTML that were typed as text; the words between them are part of the guideline.
_TYPED = re.compile(
    r"</?(?:table|thead|tbody|tr|t[dh]|div|span|br|[ou]l|li|h[1-6]|font|center|strong|em|[pbiu])"
    r"(?:\s+[\w-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s<>\"']+))*\s*/?>",
    re.I,
)


class Paragraphs:
    """Writes paragraphs, in their order, since their numbers continue."""

    def __init__(
        self, looks: ParagraphLooks, notes: dict[str, dict[str, Element]], *, has_title: bool
    ) -> None:
        self._looks = looks
        self._notes = notes
        self._shift = int(has_title)
        self._numbers = count(1)
        self._below: list[Element] = []

    def take_notes(self) -> list[Element]:
        """Return the notes since the last call, which stand below their paragraph or table."""
        notes, self._below = self._below, []
        return notes

    def write(self, element: Element, to: Element, *, below_table: bool = False) -> None:
        """Append a paragraph to HTML, unless it is a line of a table of contents."""
        properties = element.find("pPr")
        if self._looks.is_contents(properties):
            return
        look = self._looks.look(properties)
        parts = list(self._parts(element))
        if parts and self._looks.is_struck(properties, "pStyle"):
            parts = [STRUCK]
        elif parts and self._looks.is_hidden(properties, "pStyle"):
            parts = [HIDDEN]
        elif is_on(None if properties is None else properties.find("rPr/del")):
            parts.append(STRUCK)
        holder = _holder(look, self._shift, to)
        _write(parts, holder)
        holder.text = _TYPED.sub(" ", holder.text or "")
        for inner in holder:
            inner.tail = _TYPED.sub(" ", inner.tail or "")
        if look.marker and holder.tag != "li" and clean_line(flat(holder)):
            holder.text = f"{look.marker} {holder.text}"
        elif look.marker is None and holder.tag == "p":
            _as_point(holder, to, below_table)

    def _parts(self, element: Element) -> Iterator[str | Element]:
        """Yield the text and the HTML elements of a paragraph, in order."""
        for child in element:
            if child.tag == "r":
                yield from self._run(child)
            elif child.tag == "commentRangeStart":
                yield COMMENT
            elif child.tag in INSIDE:
                yield from self._parts(child)
            elif child.tag in DELETED and clean_line("".join(child.itertext())):
                yield STRUCK
            elif child.tag == "oMath":
                formula = Element("math")
                _write_math(child, formula)
                yield formula
            elif child.tag == "AlternateContent":  # two versions, for newer and older programs
                yield from self._parts(next(iter(child), child))
            elif child.tag not in _DRAWN and any(t.text for t in child.iter("t")):
                yield HIDDEN

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
        elif self._is_hidden(properties):
            yield HIDDEN
        elif script:
            raised = Element(script)
            _write(parts, raised)
            yield raised
        else:
            yield from (_shown(part, properties) for part in parts)

    def _is_hidden(self, properties: Element) -> bool:
        own = properties.find("vanish")
        return self._looks.is_hidden(properties) if own is None else is_on(own)

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
        elif child.tag == "commentReference":
            yield COMMENT
        elif child.tag in self._notes:
            yield from self._note(self._notes[child.tag].get(child.get("id", "")))
        elif child.tag == "fldChar":
            yield _chosen(child.find("ffData/ddList"))
        elif child.tag == "ruby":  # with the reading of words above them
            yield from (part for base in child.iter("rubyBase") for part in self._parts(base))
        elif child.tag not in _DRAWN and any(t.text for t in child.iter("t")):
            yield HIDDEN

    def _note(self, note: Element | None) -> Iterator[Element]:
        if note is None:
            return
        mark = Element("sup")
        mark.text = str(next(self._numbers))
        yield mark
        below = Element("fn")
        SubElement(below, "label").text = mark.text
        for paragraph in note.iter("p"):
            self.write(paragraph, below)
        self._below.append(below)


def _chosen(choice: Element | None) -> str:
    """Return what is chosen in a drop-down field, whose words are nowhere else."""
    entries = [] if choice is None else [entry.get("val", "") for entry in choice.iter("listEntry")]
    at = whole_number(value_of(choice, "result") or value_of(choice, "default"), 0)
    return entries[at] if at < len(entries) else ""


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
