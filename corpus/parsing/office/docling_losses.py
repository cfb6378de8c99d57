"""Write into a file, before docling reads it, what docling would drop.

Each text becomes HTML: raised digits are in `sup`, and what is struck out is not in it at all, only
a mark of it (`xml_text.STRUCK`), so that no later step can quote it.
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any

import marko
from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from marko import block, inline
from marko.ext.gfm import elements as tables
from marko.ext.gfm.renderer import GFMRendererMixin
from marko.helpers import MarkoExtension

from corpus.parsing.clean import clean_line
from corpus.parsing.office.docling_documents import AS_IT_IS
from corpus.parsing.published.xml_text import STRUCK

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_RUN, _FIELD, _BREAK = f"{_A}r", f"{_A}fld", f"{_A}br"
_TEXT, _LOOK = f"{_A}t", f"{_A}rPr"
_BESIDE = (f"{_A}pPr", f"{_A}endParaRPr")  # of the runs of a paragraph
_BULLETS = (f"{_A}buChar", f"{_A}buAutoNum", f"{_A}buBlip")
_NOTHING = "\ue010"  # in an empty cell, so that it is kept; cleaning removes it


def mark_slide(slide: Any) -> None:
    """Mark raised and struck texts of a slide, lists in cells, and empty cells, which may span.

    Text under a merged cell, which is not shown, is removed.
    """
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


_HEAD_OF_TABLE = re.compile(r".*\|.*\n[ |:-]*-[ |:-]*(?:\n|$)")


class Paragraph(block.Paragraph):
    """A paragraph that a table ends; in a list item Marko takes a table for one."""

    override = True

    def __init__(self, lines: list[str]) -> None:
        super().__init__(lines)
        self.raw = "".join(lines)

    @property
    def is_table(self) -> bool:
        return bool(_HEAD_OF_TABLE.match(self.raw))

    @classmethod
    def break_paragraph(cls, source: Any, lazy: bool = False) -> bool:
        if super().break_paragraph(source, lazy):
            return True
        before = source.match  # without which the next line is lost, as in docling's own
        found = bool(tables.Table.match(source))  # type: ignore[no-untyped-call]
        if found:
            source.reset()
        source.match = before
        return found


class _Parser(marko.Parser):
    """Reads blocks by Marko, as docling does, and the text of each by markdown-it, as HTML.

    docling would drop the tags of HTML inside a paragraph, the blanks between bold words, and that
    words with a tilde among them, or after another `~~`, are struck out.
    """

    def _parse_inline(self, text: str, source: Any, positions: Any = None) -> list[Any]:
        links = ((name, link[0]) for name, link in source.root.link_ref_defs.items())
        known = {normalizeReference(name): {"href": to, "title": ""} for name, to in links}
        return [inline.RawText(escape(_INLINE.renderInline(text, {"references": known}).strip()))]


# The library leaves out text beyond its depth; html_tree raises an error for it.
_INLINE = MarkdownIt("commonmark", {"maxNesting": 10_000}).enable("strikethrough")
_ELEMENTS = [Paragraph, tables.Table, tables.TableRow, tables.TableCell]


class _Written(GFMRendererMixin):
    """Writes texts and blocks of HTML as they are; `html_tree` decides what of it is text."""

    def render_raw_text(self, element: Any) -> str:
        return unescape(element.children)

    def render_html_block(self, element: Any) -> str:
        return str(element.body)


def marked_markdown(text: str) -> Any:
    """Return the tree of Markdown; each paragraph, heading and cell in it is one text of HTML."""
    extension = MarkoExtension(elements=_ELEMENTS, renderer_mixins=[_Written])
    reader = marko.Markdown(parser=_Parser, extensions=[extension])
    tree = reader.parse(text)
    _find_tables(tree, reader)
    _mark_blocks(tree, reader.renderer)
    return tree


def _find_tables(parent: Any, reader: marko.Markdown) -> None:
    """Read again each paragraph of a list item that is a table."""
    children = parent.children
    for at, child in enumerate(children):
        if isinstance(child, Paragraph):
            if isinstance(parent, block.ListItem) and child.is_table:
                children[at : at + 1] = reader.parse(child.raw).children
        elif isinstance(child, _HOLDERS):
            _find_tables(child, reader)


def _mark_blocks(parent: Any, renderer: Any) -> None:
    """Mark the blocks below a parent; what docling has no place for becomes HTML as a whole."""
    for at, child in enumerate(parent.children):
        if isinstance(child, block.HTMLBlock) or _is_mixed(child):
            made = block.Paragraph([])
            made.children = [inline.RawText(escape(AS_IT_IS + renderer.render(child).strip()))]
            parent.children[at] = made
        elif isinstance(child, _HOLDERS):
            _mark_blocks(child, renderer)


def _is_mixed(element: Any) -> bool:
    """Tell whether a list has an item with more than a paragraph and one list below it.

    docling moves what follows in an item behind that list.
    """
    items: Any = element.children if isinstance(element, block.List) else []
    for item in items:
        kinds = [type(child) for child in item.children if not isinstance(child, _BETWEEN)]
        if kinds not in ([], [Paragraph], [Paragraph, block.List]):
            return True
    return False


_HOLDERS = (block.List, block.ListItem, block.Quote)
_BETWEEN = (block.BlankLine, block.LinkRefDef)
