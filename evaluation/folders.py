"""Folders that results are written to and compared from. Pure."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

from core.errors import MedragError
from evaluation.metrics import Scores


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


def read_scores(folder: Path) -> Scores:
    """Measure -> query -> value, as `scores.json` has them. Raises FolderError."""
    found = _json(folder, "scores.json")
    if not _are_scores(found):
        raise _not_written(folder, "scores.json")
    return {name: dict(values) for name, values in found.items()}


def read_digest(folder: Path) -> str:
    """Return that of the data set, from `metrics.json`. Raises FolderError."""
    try:
        return str(_json(folder, "metrics.json")["dataset"]["digest"])
    except (KeyError, TypeError) as error:
        raise _not_written(folder, "metrics.json") from error


def read_as_served(folder: Path) -> bool:
    """Tell whether the run was asked as served, from `metrics.json`. Raises FolderError."""
    try:
        return bool(_json(folder, "metrics.json").get("configuration", {}).get("as_served"))
    except AttributeError as error:
        raise _not_written(folder, "metrics.json") from error


def _are_scores(found: Any) -> bool:
    return isinstance(found, dict) and all(
        isinstance(values, dict)
        and bool(values)
        and all(isinstance(v, int | float) and math.isfinite(v) for v in values.values())
        for values in found.values()
    )


def _json(folder: Path, name: str) -> Any:
    try:
        return json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _not_written(folder, name) from error


def _not_written(folder: Path, name: str) -> FolderError:
    return FolderError(f"{folder} holds no {name} of evaluate retrieval.")
