"""Read the folders that `evaluate retrieval` writes, to compare them. Pure."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from evaluation.folders import FolderError
from evaluation.metrics import Scores


def read_scores(folder: Path) -> Scores:
    """Return measure -> query -> value from `scores.json`. Raises FolderError."""
    found = _json(folder, "scores.json")
    if not _are_scores(found):
        raise _not_written(folder, "scores.json")
    return {name: dict(values) for name, values in found.items()}


def read_digest(folder: Path) -> str:
    """Return the data set's digest from `metrics.json`. Raises FolderError."""
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
