"""Check the zip directory of an Office file or e-book before anything unpacks it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

from corpus.parsing.types import ParseError

MAX_MEMBERS = 2_000
MAX_UNPACKED_BYTES = 200 * 1024 * 1024
MAX_RATIO = 200  # of one member of 1 MB and more; XML packs to about 1:20, and a bomb to 1:1000
_SMALL_BYTES = 1024 * 1024
_ENTRY, _MAX_ENTRIES = b"PK\x01\x02", 10 * MAX_MEMBERS
_MAIN_PART = {"wordprocessingml": "word/", "presentationml": "ppt/", "spreadsheetml": "xl/"}
_NAMED_PART = {"opendocument": "content.xml", "epub": "META-INF/container.xml"}
_MOST_TYPE_BYTES = 200


def check_archive(path: Path, media_type: str) -> None:
    """Reject a zip that is no Office file or e-book of this type, or unsafe to unpack.

    Raises ParseError: `archive_corrupt`, `archive_bomb`, `archive_unsafe`, `archive_encrypted`,
    `type_mismatch`.
    """
    import zipfile  # late: the child that reads a text must not wait for it
    import zlib

    try:
        if _is_directory_long(path):
            raise _too_many()
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            said = _said_type(archive)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError) as error:
        raise ParseError(
            "The file is damaged: its parts can't be listed.",
            code="archive_corrupt",
            hint="Save it again in the program that made it.",
        ) from error
    if len(members) > MAX_MEMBERS:
        raise _too_many()
    if sum(member.file_size for member in members) > MAX_UNPACKED_BYTES:
        raise _bomb(f"unpacks to more than {MAX_UNPACKED_BYTES // 2**20} MB")
    for member in members:
        big = member.file_size > _SMALL_BYTES
        if big and member.file_size > MAX_RATIO * max(1, member.compress_size):
            raise _bomb("unpacks to far more than it holds")
    _check_names(members)
    if any(member.flag_bits & 1 for member in members):
        raise encrypted()
    names = {member.filename for member in members}
    named = next((part for kind, part in _NAMED_PART.items() if kind in media_type), "")
    if named:
        fits = said == media_type and named in names
    else:
        prefix = next(part for kind, part in _MAIN_PART.items() if kind in media_type)
        fits = "[Content_Types].xml" in names and any(name.startswith(prefix) for name in names)
    if not fits:
        raise ParseError(
            "The file's name and its content do not agree.",
            code="type_mismatch",
            hint="Save it again in the program that made it, or give it its right extension.",
        )


def encrypted() -> ParseError:
    """Return the error of a file that only a password or a licence opens."""
    return ParseError(
        "The file is protected by a password, or encrypted.",
        code="archive_encrypted",
        hint="Remove the protection and upload it again.",
    )


def _said_type(archive: ZipFile) -> str:
    """Return the media type that OpenDocument and EPUB files say in their first part."""
    if "mimetype" not in archive.namelist() or archive.getinfo("mimetype").flag_bits & 1:
        return ""
    with archive.open("mimetype") as stream:
        return stream.read(_MOST_TYPE_BYTES).decode("ascii", "replace").strip()


def _is_directory_long(path: Path) -> bool:
    """Tell whether a zip's directory is too long for `ZipFile`, which holds all of it in memory.

    Entries of zips inside it are counted too, so that far more than MAX_MEMBERS are too many.
    """
    found, end = 0, b""
    with path.open("rb") as stream:
        while found <= _MAX_ENTRIES and (block := stream.read(_SMALL_BYTES)):
            found += (end + block).count(_ENTRY)
            end = block[1 - len(_ENTRY) :]
    return found > _MAX_ENTRIES


def _check_names(members: list[ZipInfo]) -> None:
    names = [member.filename for member in members]
    unsafe = any(
        name.startswith(("/", "\\")) or ":" in name or ".." in PurePosixPath(name).parts
        for name in (name.replace("\\", "/") for name in names)
    )
    if unsafe or len(set(names)) != len(names):
        raise ParseError(
            "The file holds parts with names that are not allowed.",
            code="archive_unsafe",
            hint="Save it again in the program that made it.",
        )


def _too_many() -> ParseError:
    return _bomb(f"holds more than {MAX_MEMBERS} parts")


def _bomb(what: str) -> ParseError:
    return ParseError(
        f"The file {what}, so it is not opened.",
        code="archive_bomb",
        hint="Split it, or remove large pictures, and upload it again.",
    )
