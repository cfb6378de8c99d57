"""Runs and judgements in the files of TREC. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from core.errors import MedragError

Run = dict[str, tuple[tuple[str, float], ...]]  # query -> (document, score), best first


class RunError(MedragError):
    """A file is no run, or no judgements."""


def run_lines(run: Mapping[str, Sequence[tuple[str, float]]], *, tag: str) -> Iterator[str]:
    """Yield `query Q0 document rank score tag`, queries in order.

    trec_eval reads scores as 32-bit numbers and breaks ties its own way, so that scores are written
    strictly decreasing as such: one that is not below the one before becomes the next number below.
    """
    for query, entries in run.items():
        scores = strictly_decreasing([score for _, score in entries])
        for rank, ((document, _), score) in enumerate(zip(entries, scores, strict=True), start=1):
            yield f"{_token(query)} Q0 {_token(document)} {rank} {score:.9g} {tag}"


def strictly_decreasing(scores: Sequence[float]) -> list[np.float32]:
    """Return the scores as float32, each at most its own value and below the one before."""
    decreasing: list[np.float32] = []
    bound = np.float32(np.inf)
    for score in scores:
        value = min(np.float32(score), np.nextafter(bound, np.float32(-np.inf)))
        decreasing.append(value)
        bound = value
    return decreasing


def qrels_lines(qrels: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield `query 0 document gain`, in order."""
    for query, gains in qrels.items():
        for document, gain in gains.items():
            yield f"{_token(query)} 0 {_token(document)} {gain}"


def read_run(path: Path) -> Run:
    """By score descending, then document ascending, whatever the order of its lines.

    Raises RunError for a line that is none and for a document that stands twice for a query.
    """
    found: dict[str, dict[str, float]] = {}
    for number, parts in _fields(path, 6):
        try:
            score = float(parts[4])
        except ValueError as error:
            raise RunError(f"{path.name}, line {number}: the score is not a number.") from error
        if parts[2] in found.setdefault(parts[0], {}):
            raise RunError(f"{path.name}, line {number}: the document stands twice.")
        found[parts[0]][parts[2]] = score
    return {
        query: tuple(sorted(scores.items(), key=lambda entry: (-entry[1], entry[0])))
        for query, scores in found.items()
    }


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Raise RunError."""
    qrels: dict[str, dict[str, int]] = {}
    for number, parts in _fields(path, 4):
        try:
            qrels.setdefault(parts[0], {})[parts[2]] = int(parts[3])
        except ValueError as error:
            raise RunError(f"{path.name}, line {number}: the gain is not a number.") from error
    return qrels


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    part.replace(path)


def _fields(path: Path, count: int) -> Iterator[tuple[int, list[str]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{path} can't be read.") from error
    for number, line in enumerate(lines, start=1):
        parts = line.split()
        if parts and len(parts) != count:
            raise RunError(f"{path.name}, line {number}: {count} fields are needed.")
        if parts:
            yield number, parts


def _token(identifier: str) -> str:
    """Return the form has no way to write a blank: it would shift every field after it."""
    if not identifier or any(character.isspace() for character in identifier):
        raise RunError(f"An id with a blank can't stand in a file of TREC: {identifier!r}.")
    return identifier
