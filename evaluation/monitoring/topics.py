"""Cluster questions by topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from corpus.encoders.types import Vectors

# The mean cosine distance up to which questions share a topic. With the bundled encoder, 24
# invented questions form the topics that people see from 0.4 to 0.55. Our own choice.
THRESHOLD = 0.5


@dataclass(frozen=True)
class Topic:
    """Questions of one topic, named by the question nearest to all of them."""

    name: str
    asked: int  # repeats counted
    others: tuple[str, ...]  # the other wordings, by text


def topics_of(questions: Sequence[str], encode: Callable[[Sequence[str]], Vectors]) -> list[Topic]:
    """Cluster questions into topics, the most asked first, then by name.

    The result does not depend on the order of questions. Agglomerative, average linkage, on the
    cosine of each wording's vector by `encode`: unit norm, `(n, dimensions)`. `encode` is called
    once, or not at all for fewer than two wordings.
    """
    from sklearn.cluster import AgglomerativeClustering  # late: it takes seconds

    counts = Counter(" ".join(question.split()) for question in questions)
    wordings = sorted(counts)
    if len(wordings) < 2:
        return [Topic(only, counts[only], ()) for only in wordings]
    vectors = encode(wordings).astype(np.float64)
    clustering = AgglomerativeClustering(
        n_clusters=None, metric="cosine", linkage="average", distance_threshold=THRESHOLD
    )
    labels = clustering.fit_predict(vectors)
    nearness = np.round(vectors @ vectors.T, 6)
    topics = []
    for label in range(labels.max() + 1):
        (members,) = np.nonzero(labels == label)
        sums = nearness[np.ix_(members, members)].sum(axis=1).round(5)
        name, *others = (wordings[member] for _, member in sorted(zip(-sums, members, strict=True)))
        count = sum(counts[wording] for wording in (name, *others))
        topics.append(Topic(name, count, tuple(sorted(others))))
    return sorted(topics, key=lambda topic: (-topic.asked, topic.name))
