"""Tell what RAGAS's values are made of: the judge's replies, which RAGAS itself drops. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from evaluation.measures.types import Part

Replies = Sequence[Mapping[str, Any]]  # of one schema, in the order of the judge's replies
Vectors = Mapping[str, Sequence[float]]  # of each text that a measure compared, in that order
SIMILAR_TEXTS = "The whole answer and the gold answer"
_CLASSES = {
    "TP": "in the answer and the gold answer",
    "FP": "only in the answer",
    "FN": "only in the gold answer",
}


def parts_of(
    replies: Sequence[tuple[str, Mapping[str, Any]]], vectors: Vectors
) -> tuple[Part, ...]:
    """Return what was judged for one measure; `replies` has the schema of each with its content."""
    return tuple(
        part
        for schema, read in _READ.items()
        for part in read([held for name, held in replies if name == schema], vectors)
    )


def _faithful(replies: Replies, vectors: Vectors) -> Iterator[Part]:
    for statement in (statement for held in replies for statement in held["statements"]):
        finding = "follows from the passages" if statement["verdict"] else "does not follow"
        yield Part(statement["statement"], finding, statement["reason"])


def _recalled(replies: Replies, vectors: Vectors) -> Iterator[Part]:
    for statement in (statement for held in replies for statement in held["classifications"]):
        finding = "follows from the passages" if statement["attributed"] else "does not follow"
        yield Part(statement["statement"], finding, statement["reason"])


def _useful(replies: Replies, vectors: Vectors) -> Iterator[Part]:
    """Yield each passage, and the precision at the rank of each useful one: their mean counts."""
    useful = 0
    for rank, held in enumerate(replies, start=1):
        useful += held["verdict"]
        finding = f"useful, precision here {useful}/{rank}" if held["verdict"] else "not useful"
        yield Part(f"Passage {rank}", finding, held["reason"])


def _asked(replies: Replies, vectors: Vectors) -> Iterator[Part]:
    """Yield each question written for the answer, and its likeness to the one that was asked."""
    question = next(iter(vectors.values()), ())
    for held in replies:
        evasive = "; the answer is evasive" if held["noncommittal"] else ""
        compared = vectors.get(held["question"])
        alike = "not compared" if compared is None else f"cosine {_cosine(question, compared):.2f}"
        yield Part(held["question"], alike + evasive)


def _classified(replies: Replies, vectors: Vectors) -> Iterator[Part]:
    for name, finding in _CLASSES.items():
        for statement in (statement for held in replies for statement in held[name]):
            yield Part(statement["statement"], finding, statement["reason"])
    if replies and len(vectors) == 2:
        yield Part(SIMILAR_TEXTS, f"cosine {_cosine(*vectors.values()):.2f}")


def _cosine(ours: Sequence[float], theirs: Sequence[float]) -> float:
    norms = float(np.linalg.norm(ours) * np.linalg.norm(theirs))
    return float(np.dot(ours, theirs)) / norms if norms else 0.0


_READ: dict[str, Callable[[Replies, Vectors], Iterator[Part]]] = {
    "NLIStatementOutput": _faithful,
    "AnswerRelevanceOutput": _asked,
    "ContextPrecisionOutput": _useful,
    "ContextRecallOutput": _recalled,
    "ClassificationWithReason": _classified,
}
