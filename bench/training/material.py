"""Read training rows from folders, select them by licence, and hold some out for validation.

Rows of one document are kept in one part, see `_parted` for the exception.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.training.types import Row, Task
from core.text.sentences import line_sentence_spans
from evaluation.datasets.reading import id_of, once, records_of
from evaluation.datasets.types import DatasetError

LICENCES = "licences.json"  # source -> licence; public sets in this folder, others in theirs
VALIDATION_PERCENT = 6
_NOT_OPEN = ("not stated", "UNVERIFIED")
_TELLING = 40  # characters: shorter sentences occur in many documents
_GIANT = 0.05  # share of all rows


@dataclass(frozen=True)
class Material:
    """Rows for `training` and `validation` in a fixed order, and their sources' `licences`."""

    training: tuple[Row, ...]
    validation: tuple[Row, ...]
    licences: dict[str, str]
    left_out: dict[str, int]  # by source, for its licence
    digest: str  # over all rows

    def counts(self) -> dict[str, dict[str, int]]:
        """Return by source the numbers of rows for training and for validation."""
        parts = [Counter(r.source for r in part) for part in (self.training, self.validation)]
        return {
            source: {"training": parts[0][source], "validation": parts[1][source]}
            for source in sorted(parts[0] | parts[1])
        }


def read_material(folders: Sequence[Path], task: Task, *, is_open: bool) -> Material:
    """Read the rows of all `*.jsonl` and `*.jsonl.gz`; with `is_open` only those of open licences.

    A file may be given instead of a folder. A folder may state its sources' licences in
    `licences.json`; a source without a stated licence is not open. Raises DatasetError.
    """
    licences = _licences([Path(__file__).with_name(LICENCES), *map(_licences_beside, folders)])
    rows = once(
        ((f"{row.source} {row.id}", row) for folder in folders for row in _rows(folder, task)),
        "--data",
    )
    ordered = sorted(rows.values(), key=lambda row: _hash(row.source, row.id))
    kept = [r for r in ordered if not is_open or _is_open(licences.get(r.source, ""))]
    left_out = Counter(r.source for r in ordered) - Counter(r.source for r in kept)
    parts = _parted(kept)
    if len(set(parts)) < 2:
        raise DatasetError(
            f"--data: {len(kept)} rows are left, too few to train on some and hold out others.",
            hint=f"{sum(left_out.values())} were left out for their licence; see --licence.",
        )
    return Material(
        training=tuple(row for row, is_held in zip(kept, parts, strict=True) if not is_held),
        validation=tuple(row for row, is_held in zip(kept, parts, strict=True) if is_held),
        licences={r.source: licences.get(r.source, "not stated") for r in kept},
        left_out=dict(sorted(left_out.items())),
        digest=_hash(*(json.dumps([r.source, r.record], sort_keys=True) for r in kept)),
    )


def _licences(paths: Iterable[Path]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        if path.is_file():
            try:
                found |= {str(k): str(v) for k, v in json.loads(path.read_text()).items()}
            except (OSError, ValueError, AttributeError) as error:
                raise DatasetError(f"{path} is no JSON of sources and licences.") from error
    return found


def _licences_beside(folder: Path) -> Path:
    return (folder.parent if folder.is_file() else folder) / LICENCES


def _is_open(licence: str) -> bool:
    return bool(licence) and not licence.startswith(_NOT_OPEN)


def _rows(folder: Path, task: Task) -> Iterator[Row]:
    paths = sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")])
    paths = [folder] if folder.is_file() else paths
    if not paths:
        raise DatasetError(f"--data: {folder} holds no .jsonl and no .jsonl.gz.")
    first, second = task.keys
    for path in paths:
        for record in records_of(path, first, second, "id", "source"):
            identifier = id_of(record["id"], path.name)
            place = f"{path.name}, {identifier}"
            if not all(isinstance(record[key], str) and record[key].strip() for key in task.keys):
                raise DatasetError(f"{place}: {first} and {second} must be texts.")
            task.refuse_faulty(record, place)
            yield Row(identifier, _source(record), record[first], record[second], record)


def _source(record: dict[str, Any]) -> str:
    """Return a row's source; for claims with marked sentences, the set that their id names."""
    source = str(record["source"])
    return str(record["id"]).split(":")[0] if source == "claim_rationale" else source


def _parted(rows: Sequence[Row]) -> list[bool]:
    """Tell for each row whether it is held out; connected rows go together.

    Rows are connected by an equal question, text, document or longer sentence. Where sentences were
    recombined, nearly all rows are connected: rows of so large a group are divided by their second
    text alone.
    """
    groups = _Groups()
    for place, row in enumerate(rows):
        for key in _keys(row):
            groups.join(str(place), key)
    found = [groups.of(str(place)) for place in range(len(rows))]
    sizes = Counter(found)
    names: dict[str, str] = {}  # smallest hash of a passage: new rows seldom change it
    for row, group in zip(rows, found, strict=True):
        names[group] = min(names.get(group, "g"), _hash(row.second))
    many = max(_GIANT * len(rows), 100)
    return [
        _is_held(_hash(row.second) if sizes[group] > many else names[group])
        for row, group in zip(rows, found, strict=True)
    ]


def _keys(row: Row) -> Iterator[str]:
    yield f"asked {row.first}"
    yield f"text {row.second}"
    yield from (
        f"document {row.record[key]}" for key in ("title", "document") if row.record.get(key)
    )
    for start, end in line_sentence_spans(row.second):
        if end - start >= _TELLING:
            yield f"sentence {row.second[start:end]}"


class _Groups:
    """Groups of names that were joined, directly or by a chain of joins."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def of(self, name: str) -> str:
        while (above := self._above.setdefault(name, name)) != name:
            self._above[name] = name = self._above[above]
        return name

    def join(self, one: str, other: str) -> None:
        self._above[self.of(one)] = self.of(other)


def _is_held(digest: str) -> bool:
    return int(digest[:8], 16) % 100 < VALIDATION_PERCENT


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
