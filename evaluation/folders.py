"""Check and write folders of results. Pure."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from core.errors import MedragError


class FolderError(MedragError):
    """The folder can't be written to, or does not hold what `evaluate retrieval` writes."""


def refuse_unwritable(out: Path) -> None:
    """Raise FolderError unless the folder can be written, before hours are spent on its content."""
    there = next(path for path in (out.absolute(), *out.absolute().parents) if path.exists())
    if not there.is_dir():
        raise FolderError(f"--out: {there} is not a folder.")
    try:
        tempfile.TemporaryFile(dir=there).close()  # the access bits alone would not tell
    except OSError as error:
        raise FolderError(f"--out: {there} can't be written to.") from error


def refuse_used(out: Path) -> None:
    """Raise FolderError if the folder is not empty: results of two commands would mix."""
    try:
        holds_something = out.is_dir() and any(out.iterdir())
    except OSError as error:
        raise FolderError(f"--out: {out} can't be read.") from error
    if holds_something:
        raise FolderError(
            f"--out: {out} is not empty.",
            hint="Nothing was written. Name another folder, or move this one away.",
        )


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a text file in one step, so that a partial file is never seen."""
    part = path.with_name(f"{path.name}.part")
    part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    part.replace(path)
