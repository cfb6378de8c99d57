"""Read e-books in EPUB: a page for each chapter, as a page of HTML. Nothing is fetched or run.

Source: EPUB 3.3, 4 (container), 5 (package) and 6.1 (content).
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from dataclasses import replace
from html import unescape
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from corpus.filenames import title_said
from corpus.parsing.clean import clean_line
from corpus.parsing.office.archives import encrypted
from corpus.parsing.office.markup import decode_html, document_with, page_of, title_of, tree_of
from corpus.parsing.office.package import damaged, part_of, read_or_damaged, too_many
from corpus.parsing.office.parts import unread
from corpus.parsing.published.xml_text import with_entities
from corpus.parsing.registry import Request
from corpus.parsing.types import Page, ParsedDocument

_CONTAINER, _ENCRYPTED = "META-INF/container.xml", "META-INF/encryption.xml"
_HIDDEN_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_CHAPTERS = ("application/xhtml+xml", "text/html")
_SHEET = re.compile(r"<link\b[^>]*?\bhref\s*=\s*[\"']([^\"']+\.css)[\"']", re.I)


def parse_epub(request: Request) -> ParsedDocument:
    """Return a page for each chapter in the order of reading."""
    with read_or_damaged(), zipfile.ZipFile(request.path) as archive:
        names = set(archive.namelist())
        if _ENCRYPTED in names:
            ways = part_of(archive.read(_ENCRYPTED)).iter("EncryptionMethod")
            if any(way.get("Algorithm") not in _HIDDEN_FONTS for way in ways):
                raise encrypted()
        place = next(part_of(archive.read(_CONTAINER)).iter("rootfile")).get("full-path", "")
        book = part_of(archive.read(place))
        items = {item.get("id", ""): item for item in book.iter("item")}
        spine = [items[each.get("idref", "")] for each in book.iter("itemref")]
        if len(spine) > request.max_pages:
            raise too_many(len(spine), "chapters", request.max_pages)
        pages = [
            _chapter(archive, names, posixpath.dirname(place), item, number)
            for number, item in enumerate(spine, start=1)
        ]
    said = {
        name: "; ".join(filter(None, (clean_line(e.text or "") for e in book.iter(name))))[:500]
        for name in ("title", "creator", "date", "description")
    }
    title = title_said(said.pop("title").partition(";")[0]) or title_of(pages)
    said["author"] = said.pop("creator")
    metadata = {name: value for name, value in said.items() if value}
    return replace(document_with(request, pages, title), metadata=metadata)


def _chapter(
    archive: zipfile.ZipFile, names: set[str], folder: str, item: Element, number: int
) -> Page:
    place = _place(folder, item.get("href", ""))
    if item.get("media-type") not in _CHAPTERS:
        return Page(number, "", (), doubts=(unread("a chapter that is a picture or a program"),))
    if place not in names:
        raise damaged()
    raw = archive.read(place)
    if b"<!ENTITY" in raw:
        raise with_entities()
    text = decode_html(raw)
    linked = (_place(posixpath.dirname(place), unescape(name)) for name in _SHEET.findall(text))
    sheets = [decode_html(archive.read(name)) for name in dict.fromkeys(linked) if name in names]
    styles = "\n".join(sheets).replace("<", " ")
    return page_of(tree_of(f"<style>{styles}</style>{text}"), number)


def _place(folder: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(href.partition("#")[0])))
