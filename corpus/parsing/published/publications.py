"""Common parts of the readers of published records, and the refusal of retracted publications."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar
from xml.etree.ElementTree import Element

from corpus.parsing.drafts import Drafted, text_draft, write_page
from corpus.parsing.published.xml_text import line_of, read_plain, the_one
from corpus.parsing.registry import Request, engine_name
from corpus.parsing.types import BlockKind, Doubt, Page, ParsedDocument, ParseError

# ISO 639-2 as PubMed writes it, to ISO 639-1; others stay as they are.
_LANGUAGES = dict(
    pair.split("-")
    for pair in "eng-en spa-es fre-fr fra-fr ger-de deu-de ita-it por-pt dut-nl nld-nl rus-ru "
    "chi-zh zho-zh jpn-ja english-en spanish-es".split()
)
_TAKEN_BACK = re.compile(
    r"^\W*(?:(?:article\s+)?(?:retracted|withdrawn)(?:\s+article)?)\s*[:.\]]", re.I
)
_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d|21\d\d)\b")
_LICENCES = re.compile(
    r"creativecommons\.org/(?:licenses/([a-z-]+)/(\d\.\d)|publicdomain/(zero|mark))"
)

CONCERN = Doubt(
    "expression_of_concern",
    "The journal has published an expression of concern about this article: read it first.",
)
ERRATUM = Doubt(
    "erratum", "A correction of this article was published: compare its figures with that first."
)

Record = TypeVar("Record")


@dataclass(frozen=True)
class Reader(Generic[Record]):
    """The reader of one format of records: how to load a file, and what to take from the record.

    `load` and `facts` raise ParseError for a record that is retracted, in another format, or empty.
    """

    load: Callable[[Path | bytes], Record]
    facts: Callable[[Record], dict[str, str]]
    title: Callable[[Record], str]
    body: Callable[[Record], Iterable[Drafted]]
    doubts: Callable[[Record], Iterable[Doubt]] = lambda record: ()

    def inspect(self, content: Path | bytes) -> dict[str, str]:
        """Return the metadata of a record. Raises ParseError."""
        return self.facts(self.load(content))

    def parse(self, request: Request) -> ParsedDocument:
        """Return one page: the title as a heading, then the body. Raises ParseError."""
        record = self.load(request.path)
        facts, title = self.facts(record), self.title(record)
        heading = [text_draft(BlockKind.HEADING, title, 1)] if title else []
        empty = Page(1, "", (), doubts=tuple(self.doubts(record)))
        page = write_page(empty, [*heading, *self.body(record)])
        return ParsedDocument((page,), engine_name(request.media_type), title=title, metadata=facts)


def one(tag: str) -> Callable[[Path | bytes], Element]:
    """Return a function that loads the only element of this tag in a file.

    It raises as `the_one` and `read_xml`.
    """
    return lambda source: the_one(read_plain(source), tag)


def refuse_taken_back(title: str, *, marked: bool) -> None:
    """Raise ParseError (`retracted`) for a retracted publication, `marked` so or by its title.

    Refused on every way of import, since those who search a collection would not see the mark.
    """
    if marked or _TAKEN_BACK.match(title):
        raise ParseError(
            "The publication was retracted or withdrawn, or is a notice of retraction.",
            code="retracted",
            hint="It is left out on purpose; nothing needs to be done.",
        )


def no_text(what: str) -> ParseError:
    return ParseError(
        f"The record has no {what}.",
        code="no_text",
        hint="It was not imported, since it has nothing to search.",
    )


def year_in(texts: Iterable[str]) -> str:
    """Return the first year in the texts; empty if there is none."""
    return next((match.group() for text in texts if (match := _YEAR.search(text))), "")


def language_code(name: str) -> str:
    """Return a language's two-letter code if known: `en` for `eng`, `en-GB` and `EN`."""
    code = name.strip().lower().replace("_", "-").split("-")[0]
    return _LANGUAGES.get(code, code)


def licence_of(permissions: Element | None) -> str:
    """Return the short name of a Creative Commons licence, else the copyright statement or type."""
    if permissions is None:
        return ""
    addresses = [str(a) for e in permissions.iter() for n, a in e.attrib.items() if n == "href"]
    addresses += [line_of(e) for e in permissions.iter("license_ref")]
    for address in addresses:
        match = _LICENCES.search(address)
        if match and match.group(1):
            return f"CC {match.group(1).upper()} {match.group(2)}"
        if match:
            return "CC0 1.0" if match.group(3) == "zero" else "Public domain"
    licence = permissions.find("license")
    return line_of(permissions.find("copyright-statement")) or (
        "" if licence is None else str(licence.get("license-type", ""))
    )


def known(**facts: str) -> dict[str, str]:
    """Return the facts that are not empty."""
    return {key: value for key, value in facts.items() if value}
