"""Read the XML parts of a Word file, and the relations between them."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from pathlib import Path
from xml.etree.ElementTree import Element

from corpus.parsing.published.xml_text import read_plain
from corpus.parsing.types import ParseError, too_deep

_UNREADABLE = (KeyError, zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError)


class Package:
    """An Office file whose XML parts can be read by their relation to the main part."""

    def __init__(self, path: Path) -> None:
        self._path = path
        main = self._targets("").get("officeDocument")
        if main is None:
            raise damaged()
        self._main = main

    def main(self) -> Element:
        """Return the root of the main part. Raises ParseError (`file_corrupt`, `too_deep`)."""
        return self._read(self._main)

    def beside(self, kind: str) -> Element | None:
        """Return the root of the part that the main one relates to as `kind`, such as `styles`.

        None if it is missing.
        """
        target = self._targets(self._main).get(kind)
        return None if target is None or not self._has(target) else self._read(target)

    def _targets(self, part: str) -> dict[str, str]:
        folder, name = posixpath.split(part)
        relations = posixpath.join(folder, "_rels", f"{name}.rels")
        if not self._has(relations):
            return {}
        return {
            link.get("Type", "").rpartition("/")[2]: posixpath.normpath(
                posixpath.join(folder, link.get("Target", "")).lstrip("/")
            )
            for link in self._read(relations)
            if link.get("TargetMode") != "External"
        }

    def _has(self, name: str) -> bool:
        with zipfile.ZipFile(self._path) as archive:
            return name in archive.namelist()

    def _read(self, name: str) -> Element:
        try:
            with zipfile.ZipFile(self._path) as archive:
                return read_plain(archive.read(name))
        except _UNREADABLE as error:
            raise damaged() from error
        except ParseError as error:
            if error.code == "xml_deep":
                raise too_deep() from error
            raise damaged() if error.code == "xml_corrupt" else error from error


def too_many(count: int, parts: str, limit: int) -> ParseError:
    """Return the error of a file with more `parts` (slides or sheets) than allowed."""
    return ParseError(
        f"The file has {count} {parts}; {limit} are allowed.",
        code="too_many_pages",
        hint="Split it, or ask for a higher limit.",
    )


def damaged() -> ParseError:
    """Return the error of an Office file whose parts can't be read."""
    return ParseError(
        "The file is damaged and can't be read.",
        code="file_corrupt",
        hint="Open it in the program that made it, save it again, and upload that.",
    )
