"""Open Office files that lack parts, and the errors of those that can't be read."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from corpus.parsing.published.xml_text import read_plain
from corpus.parsing.types import ParseError, too_deep

_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"


def part_of(source: bytes) -> Element:
    """Return the root of a part. Raises ParseError (`file_corrupt`, `too_deep`, `xml_entities`)."""
    try:
        return read_plain(source)
    except ParseError as error:
        if error.code == "xml_deep":
            raise too_deep() from error
        raise damaged() if error.code == "xml_corrupt" else error from error


def without_lost_links(path: Path) -> Path | BytesIO:
    """Return an Office file without relations to parts that it lacks, which libraries refuse."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        parts = {name: archive.read(name) for name in names if name.endswith(".rels")}
        mended = {name: _mended(name, part, names) for name, part in parts.items()}
        if not any(mended.values()):
            return path
        whole = BytesIO()
        with zipfile.ZipFile(whole, "w") as made:
            for name in archive.namelist():
                made.writestr(name, mended.get(name) or archive.read(name))
    return BytesIO(whole.getvalue())


def _mended(name: str, part: bytes, names: set[str]) -> bytes:
    """Return a part without its lost relations; empty if it has none."""
    folder = posixpath.dirname(posixpath.dirname(name))
    kept = Element("Relationships", xmlns=_RELATIONS)
    links = list(part_of(part))
    for link in links:
        target = posixpath.normpath(posixpath.join("/", folder, link.get("Target", "")))
        if link.get("TargetMode") == "External" or target.lstrip("/") in names:
            SubElement(kept, "Relationship", link.attrib)
    return tostring(kept) if len(kept) < len(links) else b""


@contextmanager
def read_or_damaged() -> Iterator[None]:
    """Raise ParseError (`file_corrupt`, `too_deep`) for errors of the libraries that read a file.

    Its own errors, and those of memory and depth, pass as they are.
    """
    try:
        yield
    except (MemoryError, RecursionError, ParseError):
        raise
    except Exception as error:  # whatever the libraries and those below them raise
        if isinstance(cause := error.__cause__, MemoryError | RecursionError):
            raise cause from error
        if "Excessive depth" in str(cause):  # as lxml calls it
            raise too_deep() from error
        raise damaged() from error


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
