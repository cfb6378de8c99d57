"""Find the sentences of a long evidence that a claim would quote. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from retrieval.rerank.extracts import stems

WINDOW_SENTENCES = 3  # of the 957 sets that SciFact's annotators marked, 956 are no longer


def nearest_run(
    sentences: Sequence[str], claim: str, *, most: int = WINDOW_SENTENCES
) -> tuple[int, int]:
    """Return the half-open run of sentences that shares most stems with the claim.

    Ties go to the shortest run, then the first; `(0, 0)` without sentences. A stem weighs `ln(1 + n
    / df)`, where df of the n sentences contain it.
    """
    if not sentences:
        return 0, 0
    held = [stems(sentence) for sentence in sentences]
    weights = {
        stem: math.log(1 + len(held) / sum(stem in one for one in held))
        for stem in sorted(stems(claim).intersection(*[frozenset().union(*held)]))
    }
    best, best_score = (0, 1), -1.0
    for length in range(1, min(most, len(held)) + 1):
        for first in range(len(held) - length + 1):
            union = frozenset().union(*held[first : first + length])
            score = round(math.fsum(w for stem, w in weights.items() if stem in union), 9)
            if score > best_score:
                best, best_score = (first, first + length), score
    return best
