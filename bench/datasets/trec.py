"""Write runs and judgements as TREC files. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.errors import MedragError

Run = dict[str, tuple[tuple[str, float], ...]]  # query -> (document, score), best first


class RunError(MedragError):
    """An id that can't be written to a TREC file."""


def run_lines(run: Mapping[str, Sequence[tuple[str, float]]], *, tag: str) -> Iterator[str]:
    """Yield `query Q0 document rank score tag`, queries in order. Raises RunError.

    trec_eval reads scores as 32-bit numbers and breaks ties in its own way, so scores are written
    strictly decreasing as such: one that is not lower than its predecessor becomes the next lower
    float32.
    """
    for query, entries in run.items():
        scores = strictly_decreasing([score for _, score in entries])
        for rank, ((document, _), score) in enumerate(zip(entries, scores, strict=True), start=1):
            yield f"{_token(query)} Q0 {_token(document)} {rank} {score:.9g} {tag}"


def strictly_decreasing(scores: Sequence[float]) -> list[np.float32]:
    """Return the scores as float32, each at most its own value and lower than its predecessor."""
    decreasing: list[np.float32] = []
    bound = np.float32(np.inf)
    for score in scores:
        value = min(np.float32(score), np.nextafter(bound, np.float32(-np.inf)))
        decreasing.append(value)
        bound = value
    return decreasing


def qrels_lines(qrels: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield `query 0 document gain`, in order. Raises RunError."""
    for query, gains in qrels.items():
        for document, gain in gains.items():
            yield f"{_token(query)} 0 {_token(document)} {gain}"


def _token(identifier: str) -> str:
    """Return an id unchanged. Raises RunError if it is empty or has a blank.

    A blank would shift every later field of the line.
    """
    if not identifier or any(character.isspace() for character in identifier):
        raise RunError(f"An id with a blank can't stand in a file of TREC: {identifier!r}.")
    return identifier
