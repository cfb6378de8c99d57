"""Folders that results are written to. Pure."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from core.errors import MedragError


class FolderError(MedragError):
    """Nothing can be written there, or it does not hold what `evaluate retrieval` writes."""


def refuse_unwritable(out: Path) -> None:
    """Before hours are spent on what could not be written then. Raises FolderError."""
    there = next(path for path in (out.absolute(), *out.absolute().parents) if path.exists())
    if not there.is_dir():
        raise FolderError(f"--out: {there} is not a folder.")
    try:
        tempfile.TemporaryFile(dir=there).close()  # to ask for the right says too little
    except OSError as error:
        raise FolderError(f"--out: nothing can be written in {there}.") from error


def refuse_used(out: Path) -> None:
    """Where anything lies already: results of two commands could not be told apart there.

    Raises FolderError.
    """
    try:
        holds_something = out.is_dir() and any(out.iterdir())
    except OSError as error:
        raise FolderError(f"--out: it can't be seen what {out} holds.") from error
    if holds_something:
        raise FolderError(
            f"--out: {out} is not empty.",
            hint="What it holds was left as it is: name another folder, or move that one away.",
        )


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    part.replace(path)
