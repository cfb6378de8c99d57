"""Files of a data set: found by name, read whole, packed or not."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.datasets.types import DatasetError


def found(folder: Path, *names: str) -> Path:
    """The first of these files in the folder, or the same with `.gz`. Raises DatasetError."""
    for name in names:
        for path in (folder / name, folder / f"{name}.gz"):
            if path.is_file():
                return path
    raise DatasetError(
        f"{folder} holds no {' or '.join(names)}.",
        hint="Give the folder of the data set with --dataset, and its form with --format.",
    )


def lines_of(path: Path) -> Iterator[str]:
    """Its lines without their ends, empty ones left out. Raises DatasetError."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as stream:
            for line in stream:
                if line.strip():
                    yield line.rstrip("\r\n")
    except (OSError, UnicodeDecodeError, EOFError) as error:
        raise DatasetError(f"{path.name} can't be read.", hint="Download it again.") from error


def records_of(path: Path, *required: str) -> Iterator[dict[str, Any]]:
    """One JSON object a line, with all of these keys. Raises DatasetError with the line."""
    for number, line in enumerate(lines_of(path), start=1):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise DatasetError(f"{path.name}, line {number}: no JSON.") from error
        if not isinstance(record, dict) or any(key not in record for key in required):
            raise DatasetError(f"{path.name}, line {number}: {', '.join(required)} are needed.")
        yield record
