"""Runs and judgements in the files of TREC. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.errors import MedragError

Run = dict[str, tuple[tuple[str, float], ...]]  # query -> (document, score), best first


class RunError(MedragError):
    """An id that the files can't hold."""


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


def _token(identifier: str) -> str:
    """Return the form has no way to write a blank: it would shift every field after it."""
    if not identifier or any(character.isspace() for character in identifier):
        raise RunError(f"An id with a blank can't stand in a file of TREC: {identifier!r}.")
    return identifier
