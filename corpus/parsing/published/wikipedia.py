"""Read an article of Wikipedia from a dump of its pages.

Source of the format: the export schema of MediaWiki (`pages-articles.xml`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from urllib.parse import quote, urlsplit
from xml.etree.ElementTree import Element

from corpus.parsing.clean import clean_line
from corpus.parsing.drafts import Draft, Drafted, DraftTable, Piece, text_draft
from corpus.parsing.published.publications import known, language_code, no_text, one_page, year_in
from corpus.parsing.published.wiki_templates import UNKNOWN
from corpus.parsing.published.wikitext import TABLE, Lines, read_wikitext
from corpus.parsing.published.xml_text import FORMULA, line_of, read_plain, the_one
from corpus.parsing.registry import Request
from corpus.parsing.types import BlockKind, Doubt, ParsedDocument, ParseError

LICENCE = "CC BY-SA 4.0"
_HEADING = re.compile(r"^(={1,6})\s(.+?)\s=+$")
_ITEM = re.compile(r"^([*#;:]+)\s*(.*)$")
_REDIRECT = re.compile(r"^\s*#redirect\b", re.IGNORECASE)
_BESIDE = frozenset(
    "references|notes|see also|external links|further reading|bibliography|sources|footnotes|"
    "citations|works cited|notes and references|gallery".split("|")
)
_GAP = "[…]"  # a reader, too, sees that something is missing
_LEFT_OUT = Doubt(
    "template_left_out",
    "Something that Wikipedia fills in by a template is missing here: compare it with the source.",
)
_FORMULA = Doubt("formula", "A formula stands here as it was typed; compare it with the source.")


def parse_wikipedia(request: Request) -> ParsedDocument:
    """Return one page: title, sections with their levels, lists and tables of an article.

    References, notes, pictures and boxes are left out. Raises ParseError: `not_article` for
    redirects and other pages, `xml_unknown`, `many_records`, `no_text`, and those of `read_xml`.
    """
    root = read_plain(request.path)
    page = the_one(root, "page")
    facts = _facts(root, page)
    lines = read_wikitext(_source(page))
    doubts = (_LEFT_OUT,) if any(_is_box(line) for line in lines.text.split("\n")) else ()
    body = _without_beside(list(_drafts(lines)))
    return one_page(request, line_of(page.find("title")), body, facts, doubts)


def inspect_wikipedia(content: Path | bytes) -> dict[str, str]:
    """Return what the page says of itself, or raise what `parse_wikipedia` would of that."""
    root = read_plain(content)
    return _facts(root, the_one(root, "page"))


def _facts(root: Element, page: Element) -> dict[str, str]:
    source = _source(page)
    is_other = line_of(page.find("ns")) not in ("", "0") or page.find("redirect") is not None
    if is_other or _REDIRECT.match(source):
        raise ParseError(
            "The page is a redirect, or belongs to Wikipedia's own affairs.",
            code="not_article",
            hint="It is left out on purpose; nothing needs to be done.",
        )
    if not source.strip():
        raise no_text("text")
    return known(
        source=line_of(root.find("siteinfo/sitename")) or "Wikipedia",
        year=year_in([line_of(page.find("revision/timestamp"))]),
        source_type="reference",
        url=_address(root, page),
        licence=LICENCE,
        language=language_code(root.get("lang") or "en"),
    )


def _source(page: Element) -> str:
    revisions = page.findall("revision")
    text = revisions[-1].find("text") if revisions else None
    return (text.text or "") if text is not None else ""


def _address(root: Element, page: Element) -> str:
    """Return the address of exactly this revision, so that what was imported can be read again."""
    base = urlsplit(line_of(root.find("siteinfo/base")))
    if base.scheme not in ("http", "https"):
        return ""
    number = line_of(page.find("revision/id"))
    if number.isdigit():
        return f"{base.scheme}://{base.netloc}/w/index.php?oldid={number}"
    title = quote(line_of(page.find("title")).replace(" ", "_"))
    return f"{base.scheme}://{base.netloc}/wiki/{title}"


def _drafts(lines: Lines) -> Iterator[Drafted]:
    wrapped: list[str] = []
    number = 0
    for line in [*lines.text.split("\n"), ""]:
        heading, item, table = _HEADING.match(line), _ITEM.match(line), TABLE.match(line.strip())
        if heading or item or table or _is_box(line) or not line.strip():
            yield from _text(BlockKind.PARAGRAPH, " ".join(wrapped))
            wrapped = []
        if heading:
            yield text_draft(BlockKind.HEADING, clean_line(heading.group(2)), len(heading.group(1)))
        elif table:
            caption, cells = lines.tables[int(table.group(1))]
            yield from _text(BlockKind.CAPTION, caption)
            yield DraftTable(cells, caption=clean_line(caption))
        elif item:
            number = number + 1 if item.group(1) == "#" else number * item.group(1).startswith("#")
            yield from _listed(item.group(1), item.group(2), number)
        elif line.strip() and not _is_box(line):
            wrapped.append(line)
        number = number if item else 0


def _is_box(line: str) -> bool:
    """Tell what stands alone and is not known: a box more often than text."""
    return UNKNOWN in line and not line.strip(f"{UNKNOWN} ")


def _listed(mark: str, text: str, number: int) -> Iterator[Draft]:
    """An item; `;` and `:` alone indent a paragraph."""
    kind = BlockKind.LIST_ITEM if mark[0] in "*#" else BlockKind.PARAGRAPH
    yield from _text(kind, f"{number}. {text}" if mark == "#" and text else text)


def _text(kind: BlockKind, raw: str) -> Iterator[Draft]:
    text = clean_line(raw.replace(UNKNOWN, f" {_GAP} "))
    if any(c.isalnum() for c in text):
        doubts = [d for mark, d in ((UNKNOWN, _LEFT_OUT), (FORMULA, _FORMULA)) if mark in raw]
        yield Draft(kind, (Piece(text),), doubts=tuple(doubts))


def _without_beside(drafts: list[Drafted]) -> Iterator[Drafted]:
    """Leave out sections that hold no text of the article, and headings with nothing below."""
    kept: list[Drafted] = []
    within = 0  # level of the section that is left out
    for draft in drafts:
        level = draft.level if isinstance(draft, Draft) else 0
        if level and (not within or level <= within):
            within = level if _is_beside(draft) else 0
        if not within:
            kept.append(draft)
    for draft, after in zip_longest(kept, kept[1:]):
        level = draft.level if isinstance(draft, Draft) else 0
        next_level = after.level if isinstance(after, Draft) else 0
        if level and (after is None or 0 < next_level <= level):
            continue
        yield draft


def _is_beside(draft: Drafted) -> bool:
    return isinstance(draft, Draft) and draft.text.casefold() in _BESIDE
