"""Read Markdown by docling: CommonMark with tables, strikethrough and HTML.

docling drops HTML inside a paragraph, the blanks between bold words, tables in list items, and what
is struck out with a tilde in it, and moves what follows a list in its item behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape, unescape
from io import BytesIO
from typing import Any

import marko
from docling.backend.md_backend import MarkdownDocumentBackend
from docling.datamodel.base_models import InputFormat
from docling_core.types.doc.document import DoclingDocument
from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from marko import block, inline
from marko.ext.gfm import elements as tables
from marko.ext.gfm.renderer import GFMRendererMixin
from marko.helpers import MarkoExtension

from corpus.parsing.clean import clean_line, clean_text
from corpus.parsing.office.docling.documents import AS_IT_IS, html_of, opened
from corpus.parsing.office.html_tree import html_tree
from corpus.parsing.office.markdown_marks import plain_marks
from corpus.parsing.office.markup import decode, document_of
from corpus.parsing.published.xml_text import line_of
from corpus.parsing.registry import Request
from corpus.parsing.types import ParsedDocument

# Metadata between two rules in front of Markdown, as in Jekyll.
_FRONT_MATTER = re.compile(
    r"\A---[^\S\n]*\n((?:\w[\w-]*:.*\n|[^\S\n]+.*\n|-.*\n|#.*\n|\n)*?)---\s*\n"
)
_STANDING = re.compile(
    r"^((?:status|state|draft|deprecated|archived|withdrawn|superseded)[\w-]*:"
    r"(?!\s*(?:false|no|\[\]|[\"']{2})?\s*$).*)$",
    re.M | re.I,
)
_FRONT_TITLE = re.compile(r"^title:[^\S\n]*[\"']?(.*?)[\"']?[^\S\n]*$", re.M)


def parse_markdown(request: Request) -> ParsedDocument:
    """Return one page."""
    text = clean_text(decode(request.path.read_bytes()))
    front = _FRONT_MATTER.match(text)
    title = _FRONT_TITLE.search(front.group(1)) if front else None
    body = text[front.end() :] if front else text
    reader = opened(Markdown, BytesIO(plain_marks(body).encode()))
    document = reader.convert_tree(marked_markdown(reader.markdown))
    tree = html_tree(html_of(document.body, document))
    for image in [image for image in tree.iter("img") if not image.get("alt")]:
        del image.attrib["alt"]  # in Markdown it does not say that the picture is an ornament
    for row in tree.iter("tr"):
        # A bold cell alone in its row spans the row, which Markdown can't express.
        first, *others = list(row) or [row]
        bold = [below for below in first if below.tag in ("strong", "b")]
        alone = len(bold) == 1 and line_of(bold[0]) == line_of(first) != ""
        if alone and others and not any(line_of(cell) for cell in others):
            first.set("colspan", str(1 + len(others)))
            row[:] = [first]
    read = document_of(request, [tree], clean_line(title.group(1)) if title else "")
    said = "; ".join(map(clean_line, _STANDING.findall(front.group(1)))) if front else ""
    return replace(read, metadata={"status": said[:500]} if said else {})


class Markdown(MarkdownDocumentBackend):
    """docling's reader of Markdown, for a tree of Marko whose texts are HTML already.

    So it does not read HTML blocks again by its reader of HTML, which takes four times as long.
    """

    KIND = InputFormat.MD

    def convert_tree(self, tree: Any) -> DoclingDocument:
        document = DoclingDocument(name="file")
        state: dict[str, Any] = {
            f"list_{what}_by_ref": {}
            for what in ("ordered_flag", "start", "item_counter", "last_item")
        }
        state |= {"depth": 0, "visited": set(), "creation_stack": [], "parent_item": None}
        self._iterate_elements(element=tree, doc=document, **state)
        return document


_HEAD_OF_TABLE = re.compile(r".*\|.*\n[ |:-]*-[ |:-]*(?:\n|$)")


class Paragraph(block.Paragraph):
    """A paragraph that a table ends; in a list item Marko takes a table for one."""

    override = True

    def __init__(self, lines: list[str]) -> None:
        super().__init__(lines)
        self.raw = "".join(lines)

    @classmethod
    def break_paragraph(cls, source: Any, lazy: bool = False) -> bool:
        if super().break_paragraph(source, lazy):
            return True
        before = source.match  # without which the next line is lost, as in docling's own
        is_table = bool(tables.Table.match(source))  # type: ignore[no-untyped-call]
        if is_table:
            source.reset()
        source.match = before
        return is_table


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
    for item in _holders(tree):
        for at, child in enumerate(item.children):
            is_in_item = isinstance(item, block.ListItem) and isinstance(child, Paragraph)
            if is_in_item and _HEAD_OF_TABLE.match(child.raw):
                item.children[at : at + 1] = reader.parse(child.raw).children
    for parent in _holders(tree):
        for at, child in enumerate(parent.children):
            if isinstance(child, block.HTMLBlock) or _is_mixed(child):  # docling has no place for
                html = escape(AS_IT_IS + reader.renderer.render(child).strip())
                parent.children[at] = made = block.Paragraph([])
                made.children = [inline.RawText(html)]
    return tree


def _holders(parent: Any) -> Iterator[Any]:
    """Yield an element, then all below it that hold blocks, as they are when they are reached."""
    yield parent
    for child in parent.children:
        if isinstance(child, block.List | block.ListItem | block.Quote):
            yield from _holders(child)


def _is_mixed(element: Any) -> bool:
    """Tell whether a list has an item with more than a paragraph and one list below it.

    docling moves what follows in an item behind that list.
    """
    items: Any = element.children if isinstance(element, block.List) else []
    between = (block.BlankLine, block.LinkRefDef)
    kinds = ([type(c) for c in item.children if not isinstance(c, between)] for item in items)
    return any(kind not in ([], [Paragraph], [Paragraph, block.List]) for kind in kinds)
