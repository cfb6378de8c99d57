"""Parse HTML and plain text into pages. Nothing is fetched or run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from xml.etree.ElementTree import Element, SubElement

from core.language.en.titles import clean_title, may_name
from corpus.filenames import title_said
from corpus.parsing.clean import clean_line, clean_text
from corpus.parsing.drafts import Draft, Drafted, DraftTable, text_draft, write_page
from corpus.parsing.layout.styles import CAPTION
from corpus.parsing.lists import continues_range, is_bullet, list_marker
from corpus.parsing.mending import mended
from corpus.parsing.office.html_panels import name_panels, sectioned
from corpus.parsing.office.html_tree import html_tree, prune
from corpus.parsing.published.markup_blocks import blocks
from corpus.parsing.published.xml_text import HIDDEN, doubts_outside, line_of
from corpus.parsing.registry import Request, engine_name
from corpus.parsing.tables.notes import Printed, note_places
from corpus.parsing.types import BlockKind, Doubt, Page, ParsedDocument

_HEADING = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+[A-Z][^.;]{2,80}|[A-Z][A-Z0-9 ,/()-]{3,80})$"
)
_TITLE_WORDS = 15  # at most, of a title that is no heading
_FACTS = ("author", "description", "date", "status")  # of the names of `meta`
_CHARSET = re.compile(rb"charset=[\"']?([\w-]{3,20})", re.I)


def parse_html(request: Request) -> ParsedDocument:
    """Return one page, without scripts, hidden parts and navigation."""
    tree = tree_of(decode_html(request.path.read_bytes()))
    metas = {meta.get("name"): meta.get("content", "") for meta in tree.iter("meta")}
    facts = {name: clean_line(metas.get(name, ""))[:500] for name in _FACTS}
    metadata = {name: value for name, value in facts.items() if value}
    return replace(document_of(request, [tree], line_of(tree.find(".//title"))), metadata=metadata)


def decode_html(raw: bytes) -> str:
    """Decode HTML, perhaps by the encoding that it declares."""
    declared = _CHARSET.search(raw[:2048])
    return decode(raw, declared.group(1).decode("ascii") if declared else None)


def tree_of(text: str) -> Element:
    """Return the tree of a page of HTML, for `page_of`."""
    tree = html_tree(text)
    for label in tree.iter("label"):  # a form field's in HTML, an item's number in JATS
        label.tag = "span"
        label.attrib.setdefault("for", "")
    return tree


def inserted_blocks(raw: bytes, content_type: str) -> list[Element]:
    """Return the blocks of HTML, or of plain text, for a document that shows it in its own text.

    They end with a mark if something of it is left out. Empty for other types.
    """
    declared = _CHARSET.search(content_type.encode() + raw[:2048])
    text = decode(raw, declared.group(1).decode("ascii") if declared else None)
    kind = content_type.partition(";")[0].strip().casefold()
    if kind == "text/plain":
        text = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
    elif kind not in ("text/html", "application/xhtml+xml"):
        return []
    tree = html_tree(text)
    for head in [e for e in tree.iter() if e.tag in ("head", "title")]:
        head.tag = "script"  # pruned
    for label in tree.iter("label"):
        label.tag = "span"
    for body in tree.iter("body"):
        body.tag = "div"
    return [_without_hidden(tree)]


def office_tree(html: str) -> Element:
    """Return the tree of a document of an office that was written as HTML, with marks."""
    return _without_hidden(html_tree(html, unseen=HIDDEN))


def _without_hidden(tree: Element) -> Element:
    """Return a tree of HTML without what no reader sees, with a mark if something was left out."""
    if prune(tree):
        SubElement(tree, "p").text = HIDDEN
    return tree


def document_of(request: Request, trees: Iterable[Element], title: str = "") -> ParsedDocument:
    """Return a document with a page for each tree of HTML.

    `title` is what the file says of itself, see `title_of`.
    """
    pages = [page_of(tree, number) for number, tree in enumerate(trees, start=1)]
    return document_with(request, pages, title_of(pages, title_said(title)))


def document_with(request: Request, pages: Sequence[Page], title: str = "") -> ParsedDocument:
    """Return a document with these pages, and report them as read."""
    request.on_page(len(pages), len(pages))
    return ParsedDocument(tuple(pages), engine_name(request.media_type), title)


def page_of(tree: Element, number: int = 1) -> Page:
    """Return what a reader sees of a tree of HTML as one page, with doubts."""
    name_panels(tree)
    left = prune(tree)
    drafts = mended(annotate(sectioned(blocks(tree, 1))))
    doubts = doubts_outside("".join(tree.itertext()), (x for d in drafts for x in d.doubts))
    doubts += (_left_out(left),) if left else ()
    return write_page(Page(number, "", (), doubts=doubts), drafts)


def _left_out(names: Iterable[str]) -> Doubt:
    return Doubt(
        "markup_left_out",
        f"Parts of this page are not in its text: {', '.join(names)}. Open the file, and "
        "compare what is shown there, or can be opened or chosen.",
    )


def title_of(pages: Iterable[Page], said: str = "") -> str:
    """Return the title of a document without geometry; empty if nothing in it can be one.

    The first heading, unless it names only a series, an issuer or a part of any document; else what
    the file says; else the next heading that names something, or the short text that comes first.
    """
    blocks = [(page.text[b.start : b.end], b) for page in pages for b in page.blocks]
    headings = [clean_title(text) for text, b in blocks if b.kind is BlockKind.HEADING]
    if headings and may_name(headings[0]):
        return headings[0]
    named = next(filter(may_name, headings), "")
    text, first = next(iter(blocks), ("", None))
    is_line = first is not None and first.kind is BlockKind.PARAGRAPH and text[-1:] not in ".:;,?"
    is_short = is_line and 1 < len(text.split()) <= _TITLE_WORDS and may_name(text)
    return said or named or (clean_title(text) if is_short else "")


def parse_text(request: Request) -> ParsedDocument:
    """Return one page; blank lines divide paragraphs, and markers begin list items."""
    page = text_page(decode(request.path.read_bytes()))
    return document_with(request, [page], title_of([page]))


def text_page(text: str, above: Sequence[Draft] = ()) -> Page:
    """Return plain text as one page, below the blocks `above`."""
    text = clean_text(text).replace("\f", "\n\n")
    drafts = [draft for part in re.split(r"\n[^\S\n]*\n", text) for draft in _text_drafts(part)]
    return write_page(Page(1, "", ()), mended(annotate([*above, *drafts])))


def _text_drafts(part: str) -> list[Draft]:
    lines = [line for line in (clean_line(raw) for raw in part.split("\n")) if line]
    if len(lines) == 1 and _HEADING.match(lines[0]):
        return [text_draft(BlockKind.HEADING, lines[0], 1)]
    drafts: list[Draft] = []
    for line in lines:
        marker = list_marker(line)
        wrapped = drafts and drafts[-1].kind is BlockKind.PARAGRAPH
        if marker is not None and not (wrapped and continues_range(drafts[-1].text, line)):
            text = line[len(marker) :] if is_bullet(line) else line
            drafts += [text_draft(BlockKind.LIST_ITEM, text)] if text else []
        elif drafts:
            drafts[-1] = text_draft(drafts[-1].kind, f"{drafts[-1].text} {line}")
        else:
            drafts.append(text_draft(BlockKind.PARAGRAPH, line))
    return drafts


def decode(raw: bytes, declared: str | None = None) -> str:
    """Decode bytes by their byte order mark, as UTF-8, as `declared`, else as Windows-1252."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", declared or "cp1252"):
        try:
            return raw.decode(encoding)
        except (UnicodeError, LookupError):
            continue
    return raw.decode("cp1252", "replace")


_NOTE = re.compile(r"^(?:[*†‡§¶#]+|[⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠ]+)\s")


def annotate(drafts: Iterable[Drafted]) -> list[Drafted]:
    """Mark paragraphs that are captions or notes of tables, and give tables their captions."""
    result: list[Drafted] = []
    for draft in drafts:
        above = result[-1] if result else None
        kind = above.kind if isinstance(above, Draft) else None
        if isinstance(draft, Draft) and draft.kind is BlockKind.PARAGRAPH:
            if CAPTION.match(draft.text):
                draft = replace(draft, kind=BlockKind.CAPTION)
            elif isinstance(above, DraftTable) or kind is BlockKind.FOOTNOTE:
                is_note = _NOTE.match(draft.text)
                draft = replace(draft, kind=BlockKind.FOOTNOTE) if is_note else draft
        elif isinstance(draft, DraftTable) and isinstance(above, Draft) and not draft.caption:
            draft = replace(draft, caption=above.text if kind is BlockKind.CAPTION else "")
        result.append(draft)
    notes = set(note_places([_printed(draft) for draft in result]))
    return [
        replace(draft, kind=BlockKind.FOOTNOTE)
        if at in notes and isinstance(draft, Draft)
        else draft
        for at, draft in enumerate(result)
    ]


def _printed(draft: Drafted) -> Printed:
    if isinstance(draft, DraftTable):
        return Printed(BlockKind.TABLE, draft.cell_lines)
    return Printed(draft.kind, draft.text)
