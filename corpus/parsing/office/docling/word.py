"""Read Word files by docling: one page, since a Word file has no pages until it is printed.

docling reads the blocks and tables around the paragraphs, each of which becomes one text of HTML
before (`word_paragraphs`). It would quote struck words and number lists and headings wrongly, and
leave out cells beyond the declared grid and tables that it can't read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element, tostring

from docling.backend.msword_backend import MsWordDocumentBackend
from docling.datamodel.base_models import InputFormat
from docling_core.types.doc.document import DoclingDocument

from core.language.words import CELLS
from corpus.parsing.clean import clean_line
from corpus.parsing.lists import whole_number
from corpus.parsing.office.docling.documents import AS_IT_IS, LABEL, html_of, opened
from corpus.parsing.office.docling.word_looks import hide_white
from corpus.parsing.office.html_tree import html_tree
from corpus.parsing.office.markup import document_of, inserted_blocks
from corpus.parsing.office.package import part_of, read_or_damaged, without_lost_links
from corpus.parsing.office.parts import doubt_parts
from corpus.parsing.office.word_lists import is_on, looks_of
from corpus.parsing.office.word_paragraphs import DELETED, INSIDE, Paragraphs
from corpus.parsing.published.xml_text import HIDDEN, STRUCK
from corpus.parsing.registry import Request
from corpus.parsing.types import ParsedDocument

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MAX_COLUMNS = 1_000  # Word allows 63
_WRAPPERS = INSIDE | {"AlternateContent"}


def parse_docx(request: Request) -> ParsedDocument:
    """Return one page. Running headers and footers are kept apart from its text."""
    request.on_page(0, 1)
    with read_or_damaged():
        reader = opened(Word, without_lost_links(request.path))
        running = tuple(dict.fromkeys(_running_lines(reader.docx_obj.part)))
        chunks = mark_word(reader)
        document = reader.convert()
        html = html_of(document.body, document)
        read = document_of(request, [html_tree(html)])
        read = replace(read, pages=(replace(read.pages[0], running_lines=running),))
        return doubt_parts(read, request.path, read=chunks)


def _running_lines(part: Any) -> Iterator[str]:
    """Yield the lines of headers and footers that a section of the file uses.

    A row of a table is one line.
    """
    for reference in part.element.body.iter(f"{_W}headerReference", f"{_W}footerReference"):
        rel = part.rels.get(reference.get(_RELATION, ""))
        if rel is None or rel.is_external:
            continue
        for block in part_of(rel.target_part.blob):
            for row in block.findall("tr") or [block]:
                cells = (clean_line(_text(cell)) for cell in row.findall("tc") or [row])
                if line := CELLS.join(filter(None, cells)):
                    yield line


def _text(element: Element) -> str:
    """Return the words of an element that are shown, a blank between paragraphs and at tabs."""
    shown = (inner for inner in element.iter() if inner.tag in ("t", "p", "tab", "br"))
    return "".join((inner.text or "") if inner.tag == "t" else " " for inner in shown)


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


def mark_word(reader: Any) -> set[str]:
    """Mark all paragraphs of a file that docling has opened, and write inserted files in them.

    Return the parts that were inserted.
    """
    part = reader.docx_obj.part
    main = part_of(part.blob)
    parts = {rel.reltype.rpartition("/")[2]: rel for rel in part.rels.values()}
    plain = {
        kind: part_of(parts[kind].target_part.blob)
        for kind in ("styles", "numbering", "footnotes", "endnotes")
        if kind in parts and not parts[kind].is_external
    }
    notes = {}
    for kind in ("footnote", "endnote"):
        elements = plain.get(f"{kind}s", Element(kind)).findall(kind)
        notes[f"{kind}Reference"] = {note.get("id", ""): note for note in elements}
    looks = looks_of(plain.get("styles"), plain.get("numbering"))
    for root in (main, *(note for kind in notes.values() for note in kind.values())):
        hide_white(root, looks)
    has_title = any(looks.is_title(paragraph.find("pPr")) for paragraph in main.iter("p"))
    texts = dict(zip(part.element.iter("{*}p"), main.iter("p"), strict=True))
    chunks = {
        id: rel.target_part
        for id, rel in part.rels.items()
        if rel.reltype.endswith("/aFChunk") and not rel.is_external
    }
    marker = _Marker(Paragraphs(looks, notes, has_title=has_title), texts, chunks)
    marker.blocks(part.element.body)
    for paragraph in texts:  # docling may find a way to those that are not shown
        if paragraph not in marker.marked:
            del paragraph[:]
    return marker.inserted


class _Marker:
    def __init__(
        self, paragraphs: Paragraphs, texts: dict[Any, Element], chunks: dict[str, Any]
    ) -> None:
        self._paragraphs = paragraphs
        self._texts = texts
        self._chunks = chunks
        self.inserted: set[str] = set()
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
            if name == "altChunk":
                self._insert(child)
            child = following

    def _paragraph(self, paragraph: Any) -> None:
        element, to = self._texts[paragraph], Element("body")
        for box in reversed(_boxes(paragraph)):
            _unwrap(box)
            for block in reversed(box):
                paragraph.addnext(block)
        self._paragraphs.write(element, to, below_table=self._below_table)
        self._below_table = False
        if not self._tables:
            to.extend(self._paragraphs.take_notes())
        self._replace(paragraph, to)

    def _insert(self, place: Any) -> None:
        """Write the words of a file of HTML or text in the place where it is inserted."""
        part = self._chunks.get(place.get(_RELATION, ""))
        blocks = [] if part is None else inserted_blocks(part.blob, part.content_type)
        if part is not None and blocks:
            place.addprevious(paragraph := place.makeelement(_W + "p"))
            self._replace(paragraph, blocks)
            self.inserted.add(part.partname.lstrip("/"))

    def _replace(self, paragraph: Any, blocks: Iterable[Element] = ()) -> None:
        del paragraph[:]
        html = "".join(tostring(block, "unicode") for block in blocks)
        paragraph.add_r().add_t(f"{AS_IT_IS}{html}")
        self.marked.add(paragraph)

    def _table(self, table: Any) -> None:
        self._tables += 1
        _unwrap(table)
        rows = list(table.iterchildren(_W + "tr"))
        gone = {row: mark for row in rows if (mark := _gone(row))}
        for row in gone:
            table.remove(row)
            rows.remove(row)
        over: set[int] = set()  # columns with a cell that spans rows
        width = max([self._row(row, over) for row in rows], default=0)
        self._tables -= 1
        self._below_table = True
        marked = [paragraph for paragraph in table.iter(_W + "p") if paragraph in self.marked]
        if gone and not marked:
            table.addprevious(above := table.makeelement(_W + "p"))
            self._replace(above)
            marked = [above]
        if gone:
            marked[0][0][0].text += "".join(sorted(set(gone.values())))
        if not self._tables and (notes := self._paragraphs.take_notes()):
            table.addnext(below := table.makeelement(_W + "p"))
            self._replace(below, notes)
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
        is_label, width = is_on(row.find(f"{_W}trPr/{_W}tblHeader"), _W + "val"), 0
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
            if cell.find(f"{_W}tcPr/{_W}cellDel") is not None or _is_crossed(cell):
                cell.clear_content()
                self._replace(gone := cell.add_p())
                gone[0][0].text += STRUCK
            self._below_table = False
            self.blocks(cell)
            if is_label:
                for paragraph in cell.iterchildren(_W + "p"):
                    paragraph[0][0].text += LABEL
        return width


def _gone(row: Any) -> str:
    """Return the mark of a row that is deleted or hidden; empty for any other."""
    if row.find(f"{_W}trPr/{_W}del") is not None:
        return STRUCK
    return HIDDEN if is_on(row.find(f"{_W}trPr/{_W}hidden"), _W + "val") else ""


def _is_crossed(cell: Any) -> bool:
    """Tell whether both diagonals of a cell are drawn."""
    ways = (cell.find(f"{_W}tcPr/{_W}tcBorders/{_W}{way}") for way in ("tl2br", "tr2bl"))
    return all(way is not None and way.get(_W + "val") not in ("nil", "none") for way in ways)


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
    child = element.find(f"{_W}{properties}/{_W}{name}")
    raw = "" if child is None else child.get(_W + "val", "")
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
    return name in DELETED or (name == "Fallback" and element.getprevious() is not None)
