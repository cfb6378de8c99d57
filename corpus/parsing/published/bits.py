"""Read a chapter of a book in BITS, as the NCBI Bookshelf publishes StatPearls.

Source of the format: the Book Interchange Tag Set, the extension of JATS to books; the open-access
subset of the Bookshelf comes as an archive of `.nxml` files, one a chapter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from corpus.parsing.drafts import Drafted
from corpus.parsing.published.jats import PARTS, blocks_of
from corpus.parsing.published.markup_blocks import blocks
from corpus.parsing.published.publications import (
    Reader,
    known,
    language_code,
    licence_of,
    no_text,
    one,
    refuse_taken_back,
    year_in,
)
from corpus.parsing.published.xml_text import line_of

_NUMBER = re.compile(r"\bNBK\d+\b")


def _facts(book: Element) -> dict[str, str]:
    part = book.find("book-part")
    if part is None or part.find("body") is None:
        raise no_text("chapter")
    refuse_taken_back(_title(book), marked=False)
    issuer = line_of(book.find("book-meta/book-title-group/book-title"))
    permissions = part.find("book-part-meta/permissions")
    if permissions is None:
        permissions = book.find("book-meta/permissions")
    return known(
        source=issuer or line_of(book.find("book-meta/publisher/publisher-name")),
        year=year_in(_dates(book)),
        source_type="book",
        url=_address(part, issuer),
        language=language_code(part.get("lang") or book.get("lang") or "en"),
        licence=licence_of(permissions),
    )


def _title(book: Element) -> str:
    return line_of(book.find("book-part/book-part-meta/title-group/title"))


def _address(part: Element, issuer: str) -> str:
    for number in part.findall("book-part-meta/book-part-id"):
        match = _NUMBER.search(line_of(number))
        if match:
            return f"https://www.ncbi.nlm.nih.gov/books/{match.group()}/"
    name = str(part.get("id", ""))
    if issuer == "StatPearls" and name.startswith("article-") and name[8:].isdigit():
        return f"https://www.statpearls.com/ArticleLibrary/viewarticle/{name[8:]}"
    return ""


def _dates(book: Element) -> Iterator[str]:
    """Yield the years of the chapter's last revisions, then its other dates, then the book's."""
    paths = ("book-part/book-part-meta/pub-history/date", "book-part/book-part-meta/pub-date")
    dates = [date for path in paths for date in book.findall(path)]
    revised = [date for date in dates if date.get("date-type") in ("revised", "updated")]
    for date in [*revised, *dates, *book.findall("book-meta/pub-date")]:
        yield line_of(date.find("year"))


def _body(book: Element) -> Iterator[Drafted]:
    """Yield sections with their levels, tables and lists."""
    for abstract in book.findall("book-part/book-part-meta/abstract"):
        yield from blocks(abstract, 2)
    for path in PARTS:
        for part in book.findall(f"book-part/{path}"):
            yield from blocks_of(part)


READER = Reader(one("book-part-wrapper"), _facts, _title, _body)
