"""Read published XML safely, and the text of elements with mixed content, with marks in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html.entities import html5
from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from corpus.parsing.clean import UNREADABLE, clean_line, symbol_text
from corpus.parsing.layout.runs import raise_text
from corpus.parsing.types import Doubt, ParseError

# Marks where the number of a cited reference was left out. Private, so no clean text has it.
LEFT_OUT = "\ue000"
_SPACE = r"[\s,;–—-]*"
_EMPTY_BRACKETS = re.compile(rf"\s*[(\[](?:{_SPACE}{LEFT_OUT})+{_SPACE}[)\]]")
_LEFT_OUT_RUN = re.compile(rf"{LEFT_OUT}(?:{_SPACE}{LEFT_OUT})*")
_GAP = re.compile(rf"\s+{LEFT_OUT}(?=[.,;:!?)\]])")
_FIGURES = re.compile(r"^[\s\d.,;–—*-]+$")
_PICTURES = frozenset(("supplementary-material", "inline-graphic", "graphic", "annotation"))
_TEX_BODY = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
_FRACTION_SIGNS = re.compile(r"[\s+−=<>/-]")


def read_plain(source: Path | bytes) -> Element:
    """Return the root with namespace prefixes removed from all names. Raises as `read_xml`."""
    root = read_xml(source)
    for element in root.iter():
        element.tag = element.tag.rpartition(":")[2]
        if any(":" in name for name in element.attrib):
            attributes = {n.rpartition(":")[2]: value for n, value in element.attrib.items()}
            element.attrib.clear()
            element.attrib.update(attributes)
    return root


def the_one(root: Element, tag: str) -> Element:
    """Return the one record in a file. Raises ParseError: `xml_unknown`, `many_records`."""
    records = [root] if root.tag == tag else root.findall(tag)
    if not records:
        raise ParseError(
            "This kind of XML can't be read.",
            code="xml_unknown",
            hint="Convert it to HTML or PDF, or check that the file is complete.",
        )
    if len(records) > 1:
        raise ParseError(
            f"The file holds {len(records)} records; each is a document of its own.",
            code="many_records",
            hint="Import it with manage.py import_corpus, which divides it.",
        )
    return records[0]


def line_of(element: Element | None) -> str:
    """Return the text of an element on one line; empty for None."""
    return "" if element is None else tidy(flat(element))


def tidy(text: str) -> str:
    """Return text on one line, without the brackets and commas of citations that were left out."""
    if LEFT_OUT in text:
        text = _EMPTY_BRACKETS.sub("", text)
        text = _GAP.sub("", _LEFT_OUT_RUN.sub(LEFT_OUT, text))
    return clean_line(text)


def flat(element: Element) -> str:
    """Return the text inside an element, uncleaned and with marks."""
    return "".join(part for _, part in runs(element, frozenset()))


def runs(element: Element, stop: frozenset[str]) -> Iterator[tuple[Element | None, str]]:
    """Yield the text of an element in pieces, and elements with tags in `stop` as themselves.

    Each item is `(None, text)` or `(element, "")`. Such elements are found at any depth.
    """
    yield None, element.text or ""
    for child in element:
        if child.tag in stop:
            yield child, ""
        elif stop and any(below.tag in stop for below in child.iter()):
            yield from runs(child, stop)
        else:
            yield None, _inline(child)
        yield None, child.tail or ""


def _inline(element: Element) -> str:
    tag = element.tag
    if tag in ("sup", "sub"):
        return _script(flat(element), raised=tag == "sup")
    if tag == "xref" and element.get("ref-type") == "bibr":
        text = flat(element)
        return LEFT_OUT if _FIGURES.match(text) else text
    if tag == "math":
        return f" {formula(element)}{FORMULA} "
    if tag == "tex-math":
        text = flat(element)
        body = _TEX_BODY.search(text)
        return f" {body.group(1) if body else text}{FORMULA} "
    if tag == "alternatives":  # versions of one formula: MathML has its meaning, a picture has none
        math = element.find("math")
        chosen = math if math is not None else next(iter(element), None)
        return "" if chosen is None else _inline(chosen)
    if tag in ("break", "br"):
        return " "
    return "" if tag in _PICTURES else flat(element)


def _script(text: str, *, raised: bool) -> str:
    """Return a superscript raised, so that 10⁹ is not read as 109; a subscript as it is."""
    text = tidy(text) if LEFT_OUT not in text else text
    if LEFT_OUT in text:
        rest = _LEFT_OUT_RUN.sub("", text).strip(" ,;–—-[]()")
        return LEFT_OUT if not rest else text
    if not raised:
        return text
    return raise_text(text) or (f"^{text}" if text[:1].isdigit() or text[:1] in "+-−–" else text)


def formula(element: Element) -> str:
    """Return MathML on one line, with fractions as `a/b` and powers as superscripts."""
    parts = [formula(child) for child in element if child.tag not in _PICTURES]
    if element.tag == "mfrac" and len(parts) == 2:
        return f"{_grouped(parts[0])}/{_grouped(parts[1])}"
    if element.tag == "msup" and len(parts) == 2:
        return f"{parts[0]}{_script(parts[1], raised=True)}"
    if element.tag in ("msub", "munder") and len(parts) == 2:
        return f"{parts[0]}_{parts[1]}"
    if element.tag in ("msubsup", "munderover") and len(parts) == 3:
        return f"{parts[0]}_{parts[1]}{_script(parts[2], raised=True)}"
    if element.tag == "msqrt":
        return f"√{_grouped(' '.join(parts))}"
    if element.tag == "mo":
        sign = clean_line(element.text or "")
        return f" {sign} " if sign in {"=", "+", "−", "-", "×", "·", "<", ">", "≤", "≥"} else sign
    if parts:
        return clean_line(("; " if element.tag == "mtable" else "").join(parts))
    return clean_line(element.text or "")


def _grouped(text: str) -> str:
    return f"({text})" if _FRACTION_SIGNS.search(text) else text


MAX_DEPTH = 200


def read_xml(source: Path | bytes) -> Element:
    """Return the root element, without entities declared in the file or anything outside it.

    A document type may be named, as published corpora do, but is never fetched, and it may declare
    nothing; entities that it would have defined are read as HTML's of the same names. Raises
    ParseError: `xml_entities` for declarations in the file or an unknown entity, `xml_corrupt` for
    XML that is not well-formed, `xml_deep` beyond 200 levels.
    """
    reader = _Reader()
    try:
        if isinstance(source, bytes):
            reader.parser.Parse(source, True)
        else:
            with source.open("rb") as stream:
                reader.parser.ParseFile(stream)
        return reader.builder.close()
    except (expat.ExpatError, AssertionError, ValueError, LookupError) as error:
        raise ParseError(
            "The XML is not well-formed.",
            code="xml_corrupt",
            hint="Download or save the file again.",
        ) from error


class _Reader:
    def __init__(self) -> None:
        self.builder = TreeBuilder()
        self.depth = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.builder.data
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.SkippedEntityHandler = self._entity
        self.parser.EntityDeclHandler = self._refuse
        self.parser.ExternalEntityRefHandler = self._refuse

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ParseError(
                "The XML is nested too deeply.", code="xml_deep", hint="Export the file again."
            )
        self.builder.start(tag, attributes)

    def _end(self, tag: str) -> None:
        self.depth -= 1
        self.builder.end(tag)

    def _doctype(self, name: str, system: str | None, public: str | None, declares: bool) -> None:
        if declares:
            self._refuse()

    def _entity(self, name: str, is_parameter: bool) -> None:
        """Read an entity that the file does not define as HTML's: `&ge;` must not be lost."""
        text = html5.get(f"{name};")
        if text is None or is_parameter:
            self._refuse()
        self.builder.data(text)

    def _refuse(self, *_: object) -> NoReturn:
        raise with_entities()


def with_entities() -> ParseError:
    """Return the error of XML that declares entities."""
    return ParseError(
        "The XML declares entities, or uses unknown ones. They can't be read.",
        code="xml_entities",
        hint="Save the file with plain characters in their place, and upload it again.",
    )


# Private characters that mark places of doubt in raw text, such as where a parser left something
# out; cleaning removes them with all private characters.
FORMULA = "\ue002"  # after a formula
STRUCK = "\ue003"  # where words were struck out or deleted
UNKNOWN_SIGN = "\ue004"  # after a sign that only its own font can show
HIDDEN = "\ue005"  # where something hidden was left out
UNWRITTEN = "\ue006"  # after a number that the file may show differently
COMMENT = "\ue00a"  # where somebody commented on the words
DATED = "\ue00b"  # after a date that nothing beside it calls one

COMMENTED = Doubt(
    "comment_left_out",
    "Somebody commented on these words in the file, perhaps to correct them. The comment is left "
    "out: compare with the file.",
)
_DOUBTS = {
    COMMENT: COMMENTED,
    DATED: Doubt(
        "date_unsure",
        "A date stands here where nothing says that there is one, or it is shown without its "
        "year: `1-2` becomes 1 February in a spreadsheet. Compare with the source, and correct it.",
    ),
    FORMULA: Doubt(
        "formula",
        "A formula is written here on one line; compare it with the source before approving.",
    ),
    STRUCK: Doubt(
        "struck_out",
        "Words that the file strikes out or marks as deleted are left out; compare with the file.",
    ),
    UNKNOWN_SIGN: Doubt(
        "symbols_left_out",
        "A sign that only its own font can show is not in the text; compare it with the file.",
    ),
    HIDDEN: Doubt(
        "hidden_left_out",
        "Text, rows, columns or sheets that the file hides are left out; compare with the file.",
    ),
    UNWRITTEN: Doubt(
        "number_format",
        "A number may be shown otherwise in the file, or was never calculated; compare it.",
    ),
}


def in_font(signs: str, font: str) -> str:
    """Return private characters of a symbol font in Unicode, as unreadable if one is unknown."""
    known = symbol_text(signs, font)
    return UNREADABLE + UNKNOWN_SIGN if known is None else known


def doubts_in(raw: str) -> tuple[Doubt, ...]:
    """Return the doubts for the marks in raw text, each once."""
    return tuple(doubt for mark, doubt in _DOUBTS.items() if mark in raw)


def doubts_outside(raw: str, reported: Iterable[Doubt]) -> tuple[Doubt, ...]:
    """Return the doubts for the marks in raw text that are not in `reported`, those of its blocks.

    They remain where all of a block was struck out.
    """
    known = set(reported)
    return tuple(doubt for doubt in doubts_in(raw) if doubt not in known)
