"""The formats of published corpora by name: how each is split, and what reads a record.

A new one needs a parser in `corpus.parsing` and a line here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from html import escape, unescape
from importlib import import_module
from pathlib import Path
from typing import IO

from corpus.intake.sources import BROKEN, OnBytes, broken, parts_of
from corpus.intake.splitting import Element, Record, elements, lines, whole
from corpus.parsing import sniff
from corpus.parsing.types import ParseError

Split = Callable[[str, IO[bytes], int], Iterator[Record]]
_XML = (".xml", ".nxml")
_LINES = (".jsonl", ".ndjson")
_WIKI = (  # language, name and address
    re.compile(rb"<mediawiki\b[^>]*?\bxml:lang\s*=\s*[\"']([\w-]{1,20})[\"']"),
    re.compile(rb"<sitename>([^<]{1,200})</sitename>"),
    re.compile(rb"<base>([^<]{1,500})</base>"),
)


@dataclass(frozen=True)
class Format:
    """A format; `module`, in `corpus.parsing.published`, reads its records."""

    about: str
    media_type: str
    suffixes: tuple[str, ...]
    split: Split
    module: str  # imported when needed: the parser of wikitext is not for the others

    def inspect(self, content: bytes) -> dict[str, str]:
        """Return a record's metadata. Raises ParseError."""
        module = import_module(f"corpus.parsing.published.{self.module}")
        facts: dict[str, str] = module.READER.inspect(content)
        return facts


def _plain_wrap(tag: str) -> Callable[[bytes, bytes], bytes]:
    """Return a function that wraps a record in a bare tag: a dump's first lines hold its date."""
    opening, closing = f"<{tag}>\n".encode(), f"\n</{tag}>\n".encode()
    return lambda header, record: opening + record + closing


def _wiki_wrap(header: bytes, record: bytes) -> bytes:
    """Wrap a page with the name of its wiki, but not the version of its software."""
    matches = (pattern.search(header) for pattern in _WIKI)
    language, name, base = (
        escape(unescape(match[1].decode("utf-8", "replace"))) if match else "" for match in matches
    )
    opening = f'<mediawiki xml:lang="{language}"><siteinfo><sitename>{name}</sitename>'
    return f"{opening}<base>{base}</base></siteinfo>\n".encode() + record + b"\n</mediawiki>\n"


_PUBMED = Element(
    "PubmedArticle",
    re.compile(rb"<PMID[^>]*>\s*(\d{1,12})\s*<"),
    "PMID-",
    _plain_wrap("PubmedArticleSet"),
)
_TOPIC = Element(
    "health-topic",
    re.compile(rb"<health-topic\b[^>]*?\sid\s*=\s*[\"'](\d{1,12})"),
    "medlineplus-",
    _plain_wrap("health-topics"),
)
_PAGE = Element("page", re.compile(rb"<id>\s*(\d{1,12})\s*<"), "wikipedia-", _wiki_wrap)

FORMATS = {
    "medquad": Format("MedQuAD's XML", sniff.XML, _XML, whole, "medquad"),
    "pubmed": Format(
        "PubMed's XML (baseline, updates, E-utilities)",
        *(sniff.PUBMED, _XML, partial(elements, element=_PUBMED), "pubmed"),
    ),
    "jats": Format("JATS, as PubMed Central has it", sniff.JATS, _XML, whole, "jats"),
    "statpearls": Format(
        "chapters of the NCBI Bookshelf, such as StatPearls", sniff.BITS, _XML, whole, "bits"
    ),
    "medlineplus": Format(
        "MedlinePlus' health topics",
        *(sniff.MEDLINEPLUS, _XML, partial(elements, element=_TOPIC), "medlineplus"),
    ),
    "wikipedia": Format(
        "a dump of Wikipedia's pages",
        *(sniff.WIKIPEDIA, _XML, partial(elements, element=_PAGE), "wikipedia"),
    ),
    "jsonl": Format("JSON lines", sniff.RECORD, _LINES, lines, "records"),
}


def records_of(
    path: Path, *, form: Format, max_bytes: int, on_bytes: OnBytes = lambda count: None
) -> Iterator[Record]:
    """Yield every record below `path`, by file and position.

    An unreadable part becomes a record with an error, and the next file follows.
    """
    for part in parts_of(path, suffixes=form.suffixes, on_bytes=on_bytes):
        if part.stream is None:
            yield Record(part.name, error=part.error)
            continue
        try:
            yield from form.split(part.name, part.stream, max_bytes)
        except BROKEN as error:
            yield Record(part.name, error=broken(error))


def refusal(record: Record, *, form: Format, languages: frozenset[str]) -> ParseError | None:
    """Return why a record is not imported; None if it is. No languages: all of them.

    `LEFT_OUT` has the codes of those left out on purpose.
    """
    if record.error is not None:
        return record.error
    try:
        if sniff.media_type_of(record.content, record.name) != form.media_type:
            return ParseError(
                "The record is of another format.",
                code="other_format",
                hint="Import it in its own format.",
            )
        facts = form.inspect(record.content)
    except ParseError as error:
        return error
    language = facts.get("language", "")
    if languages and language and language not in languages:
        return ParseError(
            "The record is in another language and was not imported.",
            code="other_language",
            hint="Add its language with --language to import it.",
        )
    return None


LEFT_OUT = {
    "no_text": "without text",
    "retracted": "retracted or withdrawn",
    "not_article": "redirects and other pages",
    "other_language": "in another language",
}
