"""Measure the sheets of an Excel file before they are loaded cell by cell."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from corpus.parsing.types import ParseError

MAX_CELLS = 100_000  # cells with content; reading as many takes about ten seconds
MAX_AREA = 2_000_000  # rows times columns of a sheet, from its first cell to its last
_SHEET = re.compile(r"^xl/worksheets/[^/]+\.xml$")
_PLACE = re.compile(r"^([A-Z]{1,3})([0-9]{1,7})$")
_BLOCK_BYTES = 1024**2
_DAMAGED = (expat.ExpatError, zipfile.BadZipFile, zlib.error, ValueError, EOFError, OSError)


def check_workbook(path: Path) -> bool:
    """Tell whether a formula was saved without its value; reject sheets too large to load.

    Raises ParseError (`sheet_too_large`, `xml_entities`). Sheets that are not well-formed are left
    to the parser.
    """
    cells, uncalculated = 0, False
    with zipfile.ZipFile(path) as archive:
        for name in sorted(filter(_SHEET.match, archive.namelist())):
            sheet = _Sheet()
            try:
                with archive.open(name) as stream:
                    while block := stream.read(_BLOCK_BYTES):
                        sheet.parser.Parse(block, False)
            except _DAMAGED:
                continue
            finally:
                cells += sheet.cells
                uncalculated |= sheet.uncalculated
                if cells > MAX_CELLS or sheet.area > MAX_AREA:
                    raise sheet_too_large()
    return uncalculated


class _Sheet:
    """Counts the cells of a sheet, and the area that they extend over."""

    def __init__(self) -> None:
        self.cells = self._rows = self._columns = 0
        self.uncalculated = self._waits = False
        self._inside = ""
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._refuse

    @property
    def area(self) -> int:
        return self._rows * self._columns

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = self._inside = tag.rpartition(":")[2]
        if name == "c":
            self.cells += 1
            self._reach(attributes.get("r", ""))
            if self.cells > MAX_CELLS:
                raise sheet_too_large()
        elif name == "f":
            self._waits = True  # for its value
        elif name == "mergeCell":
            self._reach(attributes.get("ref", "").rpartition(":")[2])

    def _text(self, text: str) -> None:
        if self._inside == "v":  # some programs write one that is empty
            self._waits = False

    def _end(self, tag: str) -> None:
        self._inside = ""
        if tag.rpartition(":")[2] == "c":
            self.uncalculated |= self._waits
            self._waits = False

    def _reach(self, place: str) -> None:
        if match := _PLACE.match(place):
            column = 0
            for letter in match.group(1):
                column = column * 26 + ord(letter) - 64
            self._columns = max(self._columns, column)
            self._rows = max(self._rows, int(match.group(2)))

    def _refuse(self, *_: object) -> NoReturn:
        raise ParseError(
            "The workbook declares XML entities, which are not read.",
            code="xml_entities",
            hint="Save it again in Excel and upload it.",
        )


def sheet_too_large() -> ParseError:
    """Return the error of a workbook with too many cells, or a table too wide or long."""
    return ParseError(
        f"The workbook has more than {MAX_CELLS:,} cells, or cells very far apart.",
        code="sheet_too_large",
        hint="Keep only the part that is guidance, and upload that.",
    )
