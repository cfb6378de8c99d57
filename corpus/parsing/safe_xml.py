"""Read XML without document types, entities of its own or anything outside the file."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from corpus.parsing.types import ParseError

MAX_DEPTH = 200


def read_xml(path: Path) -> Element:
    """Return the root element.

    Raises ParseError: `xml_entities` for a document type or an entity declaration, `xml_corrupt`
    for what is not well-formed, `xml_deep` beyond 200 levels.
    """
    reader = _Reader()
    try:
        with path.open("rb") as stream:
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
        self.parser.StartDoctypeDeclHandler = self._refuse
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

    def _refuse(self, *_: object) -> NoReturn:
        raise ParseError(
            "The XML declares a document type or entities, which are not read.",
            code="xml_entities",
            hint="Remove the DOCTYPE and upload the file again.",
        )
