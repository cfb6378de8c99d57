"""List what stands in a watched folder."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from core.errors import MedragError
from corpus.intake.folders import files_below
from corpus.sources.specs import MAX_REF_CHARS

FEW = 3  # files of which any number may go at once
SETTLED_S = 60.0  # a file changed since may still be being written


class SourceFault(MedragError):
    """A source can't be looked at, or not be trusted. Nothing of it was changed."""


class SourceAway(SourceFault):
    """Nothing of a source can be read now: the look ends, and the next goes on from there."""


@dataclass(frozen=True)
class FoundFile:
    """A file as it stood when the folder was listed; `stamp` changes whenever it is written."""

    path: Path
    stamp: str
    size_bytes: int
    is_settled: bool


def files_in(folder: Path) -> dict[str, FoundFile]:
    """Return the files below a folder by their relative path, in order.

    Raises SourceFault where any part of it can't be read: what is only out of reach is not gone.
    """
    try:
        os.scandir(folder).close()
        paths = files_below(folder, on_error=_refuse).files
        found = [(ref_of(path.relative_to(folder)), file_at(path)) for path in paths]
    except OSError as error:
        raise SourceFault(
            f"{error.filename or folder} can't be read: {error.strerror}.",
            hint="Nothing was changed. Is the share mounted, and may the worker's user read it?",
        ) from error
    return {ref: file for ref, file in found if file is not None}


def refuse_many_missing(missing: int, present: int, where: str, *, none_found: bool) -> None:
    """Raise SourceFault if so many files are missing that the place may not be what it was."""
    if present and (none_found or (present > FEW and 2 * missing > present)):
        raise SourceFault(
            f"{missing} of {present} files are no longer {where}, so nothing was "
            "changed. Is the share mounted, or was a permission taken away?",
            hint="If they were moved on purpose, give the source a new name in MEDRAG_SOURCES.",
        )


def ref_of(relative: Path) -> str:
    """Return a path as text that a database takes: bytes that are no text as `\\udcff`."""
    ref = relative.as_posix().encode("utf-8", "backslashreplace").decode()
    if len(ref) <= MAX_REF_CHARS:
        return ref
    digest = hashlib.sha256(ref.encode()).hexdigest()
    return f"{ref[: MAX_REF_CHARS - len(digest) - 1]} {digest}"


def has_left(folder: Path, ref: str) -> bool:
    """Tell whether nothing stands at a path any more, not even a link or what can't be read."""
    try:
        os.lstat(folder / ref)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def file_at(path: Path) -> FoundFile | None:
    """Return a file as it stands now; None for one that went since it was listed."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    settled = abs(time.time() - stat.st_mtime) >= SETTLED_S  # clocks may differ by a little
    return FoundFile(path, f"{stat.st_size} {stat.st_mtime_ns}", stat.st_size, settled)


def _refuse(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):  # a folder that went while it was listed
        raise error
