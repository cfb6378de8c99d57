"""Write runs and judgements as TREC files, whose ids `dataset_of` has checked. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

Run = dict[str, tuple[tuple[str, float], ...]]  # query -> (document, score), best first


def run_lines(run: Mapping[str, Sequence[tuple[str, float]]], *, tag: str) -> Iterator[str]:
    """Yield `query Q0 document rank score tag`, queries in order.

    trec_eval reads scores as 32-bit numbers and breaks ties in its own way, so scores are written
    strictly decreasing as such: one that is not lower than its predecessor becomes the next lower
    float32.
    """
    for query, entries in run.items():
        scores = strictly_decreasing([score for _, score in entries])
        for rank, ((document, _), score) in enumerate(zip(entries, scores, strict=True), start=1):
            yield f"{query} Q0 {document} {rank} {score:.9g} {tag}"


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
    """Yield `query 0 document gain`, in order."""
    for query, gains in qrels.items():
        for document, gain in gains.items():
            yield f"{query} 0 {document} {gain}"
