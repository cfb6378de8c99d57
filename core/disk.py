"""Check for disk space before writing something large, and report a full disk in words."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import MedragError

RESERVE_BYTES = 200 * 1024**2  # stays free, so that a database on the same disk goes on
_FULL = (errno.ENOSPC, errno.EDQUOT)


class DiskFull(MedragError):
    """The disk is full. The document is fine: its job continues when there is space."""

    code = "disk_full"
    retryable = True


def refuse_full(folder: Path, needed_bytes: int, *, writing: str) -> None:
    """Raise DiskFull if the disk of `folder` lacks space for so much plus the reserve."""
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
    """Return an error saying what was being written, how much it needs and how much is free."""
    free = shutil.disk_usage(folder).free
    return DiskFull(
        f"Disk full while writing {writing}: {gigabytes(needed_bytes + RESERVE_BYTES)} are needed, "
        f"{gigabytes(free)} are free in {folder}.",
        hint=hint,
    )


@contextmanager
def reporting_full_disk(
    folder: Path, needed_bytes: int, *, writing: str, hint: str
) -> Iterator[None]:
    """Turn the operating system's error for a full disk into DiskFull."""
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        raise disk_full(folder, needed_bytes, writing=writing, hint=hint) from error


def is_full(error: BaseException) -> bool:
    """Tell whether an error means a full disk; libraries wrap it in errors of their own."""
    return isinstance(error, OSError) and error.errno in _FULL


def has_run_out(folder: Path) -> bool:
    """Tell whether so little space is left that any error is likely due to that."""
    return shutil.disk_usage(folder).free < RESERVE_BYTES // 10


def gigabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.2f} GB"
