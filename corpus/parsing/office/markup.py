"""HTML and Markdown through docling's backends, and plain text without it."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

from corpus.parsing.clean import clean_line, clean_text
from corpus.parsing.drafts import Draft, Sheet, text_draft, write_page
from corpus.parsing.layout.lists import goes_on_range, is_bullet, list_marker
from corpus.parsing.layout.runs import raise_mark
from corpus.parsing.office.blocks import annotate
from corpus.parsing.office.documents import convert, finish
from corpus.parsing.office.nesting import check_nesting
from corpus.parsing.registry import Request, engine_name
from corpus.parsing.types import BlockKind, ParsedDocument

# Never part of what a reader sees, or not part of what the page says.
_DROPPED_TAGS = frozenset(
    "script style noscript template iframe object embed svg canvas audio video nav dialog del s "
    "strike".split()  # struck out: no longer said
)
_RANKS = "h1 h2 h3 h4 h5 h6".split()
_RUN_TAGS = "b strong i em u s small big mark span font sub sup abbr".split()
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.I)
_HEADING = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+[A-Z][^.;]{2,80}|[A-Z][A-Z0-9 ,/()-]{3,80})$"
)
_CHARSET = re.compile(rb"charset=[\"']?([\w-]{3,20})", re.I)


def parse_html(request: Request) -> ParsedDocument:
    """Return one page. Scripts, hidden parts and navigation are left out; nothing is fetched."""
    request.on_page(0, 1)
    raw = request.path.read_bytes()
    declared = _CHARSET.search(raw[:2048])
    text = decode(raw, declared.group(1).decode("ascii") if declared else None)
    check_nesting(text)
    soup = _visible(text)
    document, _ = convert(BytesIO(str(soup).encode("utf-8")), "html")
    parsed = finish(request, document)
    head = clean_line(soup.title.get_text()) if soup.title else ""
    title = parsed.title or head
    return ParsedDocument(parsed.pages, parsed.engine, title=title, metadata=_metadata(soup))


def _visible(text: str) -> Any:
    """Return the soup of an HTML page without what a reader does not see."""
    from bs4 import BeautifulSoup, Comment  # comes with docling, late like it

    soup = BeautifulSoup(text, "html.parser")
    for found in soup.find_all(string=lambda part: isinstance(part, Comment)):
        found.extract()
    for tag in soup.find_all(True):
        if tag.decomposed:
            continue
        style = str(tag.get("style", ""))
        hidden = tag.has_attr("hidden") or tag.get("aria-hidden") == "true" or _HIDDEN.search(style)
        at_top = tag.parent is not None and tag.parent.name == "body"
        banner = tag.name == "header" and at_top and not tag.find(_RANKS)
        if tag.name in _DROPPED_TAGS or hidden or banner:
            tag.decompose()
    _spell_out_definitions(soup)
    _plain_runs(soup)
    for foot in soup.find_all("tfoot"):  # docling reads no rows but those of head and body
        table = foot.find_parent("table")
        foot.name = "tbody"
        if table is not None:
            table.append(foot.extract())
    for cell in soup.find_all(["td", "th"]):  # docling keeps no list or table inside another
        if not cell.decomposed and cell.find(["ul", "ol", "table"]):
            cell.string = clean_line(cell.get_text(" "))
    for charset in soup.find_all("meta", charset=True):
        charset["charset"] = "utf-8"
    return soup


def _plain_runs(soup: Any) -> None:
    """Take the emphasis off words, which docling would part by a blank; write superscripts as
    such."""
    for tag in soup.find_all("sup"):
        text = clean_line(tag.get_text())
        tag.string = (raise_mark(text) if text else None) or text
    for tag in soup.find_all(_RUN_TAGS):
        tag.unwrap()
    soup.smooth()


def _spell_out_definitions(soup: Any) -> None:
    """Make a paragraph `term: meaning` of each entry of a definition list."""
    for found in soup.find_all("dl"):
        for term in found.find_all("dt"):
            meaning = term.find_next_sibling("dd")
            if meaning is not None:
                term.append(": ")
                term.extend(list(meaning.contents))
                meaning.decompose()
        for entry in found.find_all(["dt", "dd"]):
            entry.name = "p"
        found.name = "div"


def _metadata(soup: Any) -> dict[str, str]:
    facts = {}
    for name in ("author", "description", "date"):
        tag = soup.find("meta", attrs={"name": name})
        value = clean_line(str(tag.get("content", "")))[:500] if tag else ""
        if value:
            facts[name] = value
    return facts


_SCRIPT = re.compile(r"<(sup|sub)>([^<>\n]{1,40})</\1>", re.I)


def _written_script(match: re.Match[str]) -> str:
    text = match.group(2)
    return (raise_mark(text) or text) if match.group(1).lower() == "sup" else text


def parse_markdown(request: Request) -> ParsedDocument:
    """Return one page. Pictures are not fetched."""
    request.on_page(0, 1)
    text = clean_text(decode(request.path.read_bytes()))
    text = _SCRIPT.sub(_written_script, text)
    check_nesting(text)
    document, _ = convert(BytesIO(text.encode("utf-8")), "md")
    return finish(request, document)


def parse_text(request: Request) -> ParsedDocument:
    """Return one page: paragraphs are divided by blank lines, list items by their markers."""
    text = clean_text(decode(request.path.read_bytes())).replace("\f", "\n\n")
    drafts = [draft for part in re.split(r"\n[^\S\n]*\n", text) for draft in _text_drafts(part)]
    page = write_page(Sheet(number=1), annotate([*drafts]))
    request.on_page(1, 1)
    title = drafts[0].text if drafts and drafts[0].kind is BlockKind.HEADING else ""
    return ParsedDocument((page,), engine_name(request.media_type), title=title)


def _text_drafts(part: str) -> list[Draft]:
    lines = [line for line in (clean_line(raw) for raw in part.split("\n")) if line]
    if len(lines) == 1 and _HEADING.match(lines[0]):
        return [text_draft(BlockKind.HEADING, lines[0], 1)]
    drafts: list[Draft] = []
    for line in lines:
        marker = list_marker(line)
        if (
            drafts
            and drafts[-1].kind is BlockKind.PARAGRAPH
            and goes_on_range(drafts[-1].text, line)
        ):
            marker = None
        if marker is not None:
            text = line[len(marker) :] if is_bullet(line) else line
            drafts += [text_draft(BlockKind.LIST_ITEM, text)] if text else []
        elif drafts:
            drafts[-1] = text_draft(drafts[-1].kind, f"{drafts[-1].text} {line}")
        else:
            drafts.append(text_draft(BlockKind.PARAGRAPH, line))
    return drafts


def decode(raw: bytes, declared: str | None = None) -> str:
    """Return text of bytes: by their mark, as UTF-8, as declared, else as Windows-1252."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", declared or "cp1252"):
        try:
            return raw.decode(encoding)
        except (UnicodeError, LookupError):
            continue
    return raw.decode("cp1252", "replace")
