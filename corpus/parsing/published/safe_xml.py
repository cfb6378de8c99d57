"""Read XML without entities of its own or anything outside the file.

A document type may be named, as published corpora do, but never fetched, and it may declare
nothing: what it would have defined is read as the characters that HTML has under these names.
"""

from __future__ import annotations

from html.entities import html5
from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from corpus.parsing.types import ParseError

MAX_DEPTH = 200


def read_xml(source: Path | bytes) -> Element:
    """Return the root element.

    Raises ParseError: `xml_entities` for declarations in the file or an entity that nobody knows,
    `xml_corrupt` for what is not well-formed, `xml_deep` beyond 200 levels.
    """
    reader = _Reader()
    try:
        if isinstance(source, bytes):
            reader.parser.Parse(source, True)
        else:
            with source.open("rb") as stream:
                reader.parser.ParseFile(stream)
        return reader.builder.close()
    except (expat.ExpatError, AssertionError, ValueError, LookupError) as error:
        raise ParseError(
            "The XML is not well-formed.",
            code="xml_corrupt",
            hint="Download or save the file again.",
        ) from error


class _Reader:
    def __init__(self) -> None:
        self.builder = TreeBuilder()
        self.depth = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.builder.data
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.SkippedEntityHandler = self._entity
        self.parser.EntityDeclHandler = self._refuse
        self.parser.ExternalEntityRefHandler = self._refuse

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ParseError(
                "The XML is nested too deeply.", code="xml_deep", hint="Export the file again."
            )
        self.builder.start(tag, attributes)

    def _end(self, tag: str) -> None:
        self.depth -= 1
        self.builder.end(tag)

    def _doctype(self, name: str, system: str | None, public: str | None, declares: bool) -> None:
        if declares:
            self._refuse()

    def _entity(self, name: str, is_parameter: bool) -> None:
        """Read one of the document type that is not there: `&ge;` may not go silently."""
        text = html5.get(f"{name};")
        if text is None or is_parameter:
            self._refuse()
        self.builder.data(text)

    def _refuse(self, *_: object) -> NoReturn:
        raise ParseError(
            "The XML declares entities, or uses some that nobody knows; they are not read.",
            code="xml_entities",
            hint="Save the file with plain characters in their place, and upload it again.",
        )
