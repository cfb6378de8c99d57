"""Find and read the files of a data set, packed by gzip or not."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from evaluation.datasets.reading import text_of
from evaluation.datasets.types import DatasetError

T = TypeVar("T")


def found(folder: Path, *names: str) -> Path:
    """Return the first of these files in the folder, with or without `.gz`. Raises DatasetError."""
    for name in names:
        for path in (folder / name, folder / f"{name}.gz"):
            if path.is_file():
                return path
    raise DatasetError(
        f"{folder} holds no {' or '.join(names)}.",
        hint="Give the folder of the data set with --dataset, and its form with --format.",
    )


def lines_of(path: Path) -> Iterator[str]:
    """Iterate over a file's lines without their ends, skipping empty ones. Raises DatasetError."""
    return (line for _, line in numbered_lines_of(path))


def numbered_lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield a file's lines, except empty ones, with their numbers from 1. Raises DatasetError."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise DatasetError(f"{path.name} can't be read.", hint="Download it again.") from error


def records_of(path: Path, *required: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON object of each line. Raises DatasetError with the line if a key is missing."""
    for number, line in numbered_lines_of(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{path.name}, line {number}: no JSON.") from error
        if not isinstance(record, dict) or any(key not in record for key in required):
            raise DatasetError(f"{path.name}, line {number}: {', '.join(required)} are needed.")
        yield record


def texts_of(value: Any, place: str) -> list[str]:
    """Return a list of texts, each as by `text_of`. Raises DatasetError with the place."""
    if not isinstance(value, list):
        raise DatasetError(f"{place}: a list of texts is needed.")
    return [text_of(each, place) for each in value]


def once(pairs: Iterable[tuple[str, T]], place: str) -> dict[str, T]:
    """Return the values by id, in order. Raises DatasetError for a repeated id."""
    by_id: dict[str, T] = {}
    for identifier, value in pairs:
        if identifier in by_id:
            raise DatasetError(
                f"{place}: the id {identifier!r} stands twice.", hint="Nothing was loaded."
            )
        by_id[identifier] = value
    return by_id
