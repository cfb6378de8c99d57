"""Read files, folders and archives as byte streams, in a stable order, without unpacking to disk.

Each is read once from front to back, so that memory doesn't depend on its size.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, FileIO
from pathlib import Path, PurePosixPath
from typing import IO, Any

from corpus.intake.folders import files_below
from corpus.parsing.types import ParseError

PACKED = (".gz", ".bz2", ".xz")
ARCHIVES = (".tar", ".tgz", ".tbz2", ".zip")
BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile)
_MAGIC_BYTES = 512
_ENCRYPTED = 1
_PACKED_OTHERWISE = ParseError(
    "This file is packed in a way that can't be read.",
    code="archive_packing",
    hint="Unpack the archive, and import the folder: nothing is imported twice.",
)

_OPENERS: dict[bytes, Callable[[BufferedReader], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}

OnBytes = Callable[[int], None]


@dataclass(frozen=True)
class Part:
    """A file or member of an archive. Read `stream` before asking for the next part.

    `error` takes the place of the stream where there is none.
    """

    name: str
    stream: IO[bytes] | None = None
    error: ParseError | None = None


def parts_of(path: Path, *, suffixes: tuple[str, ...], on_bytes: OnBytes) -> Iterator[Part]:
    """Yield the content of a file or folder; a named file may have any name.

    In folders and archives only names ending in one of `suffixes` count, compressed or not.
    `on_bytes` gets the number of bytes read from disk since its last call.
    """
    for file in files_below(path).files:
        wanted = file == path or _is_wanted(file.name, (*suffixes, *ARCHIVES))
        if wanted:
            yield from _parts_of_file(file, suffixes, on_bytes)


def _parts_of_file(path: Path, suffixes: tuple[str, ...], on_bytes: OnBytes) -> Iterator[Part]:
    try:
        with BufferedReader(_Counted(path, on_bytes), buffer_size=2**18) as stream:
            if stream.peek(4).startswith(b"PK\x03\x04"):
                yield from _members_of_zip(stream, suffixes)
                return
            with _unpacked(stream) as plain:
                if plain.peek(_MAGIC_BYTES)[257:262] == b"ustar":
                    yield from _members_of_tar(plain, suffixes)
                else:
                    yield Part(_plain_name(path.name), plain)
    except BROKEN as error:
        yield Part(path.name, error=broken(error))


def _members_of_tar(stream: BufferedReader, suffixes: tuple[str, ...]) -> Iterator[Part]:
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            name = PurePosixPath(member.name).name
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None and _is_wanted(name, suffixes):
                with _unpacked(content) as plain:
                    yield Part(_plain_name(name), plain)
            archive.members = []  # type: ignore[attr-defined]  # else it remembers them all


def _members_of_zip(stream: IO[bytes], suffixes: tuple[str, ...]) -> Iterator[Part]:
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            name = PurePosixPath(member.filename).name
            if member.is_dir() or not _is_wanted(name, suffixes):
                continue
            if member.flag_bits & _ENCRYPTED:
                yield Part(name, error=broken(RuntimeError()))
                continue
            try:
                packed = archive.open(member)
            except NotImplementedError:  # Deflate64, as Windows packs what is large
                yield Part(name, error=_PACKED_OTHERWISE)
                continue
            with packed, _unpacked(packed) as plain:
                yield Part(_plain_name(name), plain)


class _Counted(FileIO):
    """A file that reports the number of bytes of each read."""

    def __init__(self, path: Path, on_bytes: OnBytes) -> None:
        super().__init__(path)
        self._on_bytes = on_bytes

    def readinto(self, buffer: Any, /) -> int:
        count = super().readinto(buffer) or 0
        self._on_bytes(count)
        return count


@contextmanager
def _unpacked(stream: Any) -> Iterator[BufferedReader]:
    """Yield the stream, decompressed according to its first bytes, not its name."""
    outer = stream if isinstance(stream, BufferedReader) else BufferedReader(stream)
    magic = outer.peek(8)[:8]
    for sign, opener in _OPENERS.items():
        if magic.startswith(sign):
            with opener(outer) as inner:
                yield BufferedReader(inner, buffer_size=2**18)
            return
    yield outer


def _is_wanted(name: str, suffixes: tuple[str, ...]) -> bool:
    return not name.startswith(".") and _plain_name(name).lower().endswith(suffixes)


def _plain_name(name: str) -> str:
    return name.rpartition(".")[0] if name.lower().endswith(PACKED) else name


def broken(error: Exception) -> ParseError:
    if isinstance(error, OSError) and error.strerror and not isinstance(error, gzip.BadGzipFile):
        return ParseError(
            f"The file can't be read: {error.strerror}.",
            code="unreadable",
            hint="Check that it is there and that you may read it.",
        )
    return ParseError(
        "The file or archive is damaged, truncated or locked, so the rest of it was not read.",
        code="archive_corrupt",
        hint="Download it again, and start the import again: nothing is imported twice.",
    )
