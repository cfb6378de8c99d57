"""Room on a disk: asked for before something large is written, and told in words where it lacks."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import MedragError

RESERVE_BYTES = 200 * 1024**2  # stays free, so that the database beside it goes on
_FULL = (errno.ENOSPC, errno.EDQUOT)


class DiskFull(MedragError):
    """Nothing is wrong with the document: it goes on when there is room."""

    code = "disk_full"
    retryable = True


def refuse_full(folder: Path, needed_bytes: int, *, writing: str) -> None:
    """Raise DiskFull where the disk of `folder` has no room for so much and the reserve."""
    free = shutil.disk_usage(folder).free
    if free < needed_bytes + RESERVE_BYTES:
        raise disk_full(folder, needed_bytes, writing=writing)


def disk_full(
    folder: Path,
    needed_bytes: int,
    *,
    writing: str,
    hint: str = "The document goes on when there is room.",
) -> DiskFull:
    """Say what was being written, how much is needed and how much is free."""
    free = shutil.disk_usage(folder).free
    return DiskFull(
        f"Disk full while writing {writing}: {gigabytes(needed_bytes + RESERVE_BYTES)} are needed, "
        f"{gigabytes(free)} are free in {folder}.",
        hint=hint,
    )


@contextmanager
def told_when_full(folder: Path, needed_bytes: int, *, writing: str, hint: str) -> Iterator[None]:
    """Turn the system's error of a full disk into DiskFull."""
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        raise disk_full(folder, needed_bytes, writing=writing, hint=hint) from error


def is_full(error: BaseException) -> bool:
    """Tell whether the system says so; libraries have errors of their own."""
    return isinstance(error, OSError) and error.errno in _FULL


def has_run_out(folder: Path) -> bool:
    """Tell whether so little is free that any error is likely to come of it."""
    return shutil.disk_usage(folder).free < RESERVE_BYTES // 10


def gigabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.2f} GB"
