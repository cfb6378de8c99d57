"""The measures of a retrieval run by name, in the semantics of trec_eval. Pure.

A query missing from a run scores 0, as with `trec_eval -c`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evaluation.metrics.ranking import ndcg, recall, success

Scores = dict[str, dict[str, float]]  # metric -> query -> value
_Measure = Callable[[Sequence[str], Mapping[str, int], frozenset[str]], float]


def average_precision(ranking: Sequence[str], relevant: frozenset[str]) -> float:
    """Return the mean of the precisions at the rank of each relevant document, [0, 1].

    Higher is better; a document not found counts 0. `map` of trec_eval. 0 if none is relevant.
    """
    hits = 0
    total = 0.0
    for rank, document in enumerate(ranking, start=1):
        if document in relevant:
            hits += 1
            total += hits / rank
    return total / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], relevant: frozenset[str]) -> float:
    """Return 1 / rank of the first relevant document, else 0; `recip_rank` of trec_eval."""
    return next((1 / rank for rank, d in enumerate(ranking, start=1) if d in relevant), 0.0)


MEASURES: dict[str, _Measure] = {
    "nDCG@10": lambda ranking, gains, relevant: ndcg(ranking, gains, k=10),
    "Recall@5": lambda ranking, gains, relevant: recall(ranking, relevant, k=5),
    "Recall@20": lambda ranking, gains, relevant: recall(ranking, relevant, k=20),
    "Recall@100": lambda ranking, gains, relevant: recall(ranking, relevant, k=100),
    "MAP": lambda ranking, gains, relevant: average_precision(ranking, relevant),
    "MRR": lambda ranking, gains, relevant: reciprocal_rank(ranking, relevant),
    "success@1": lambda ranking, gains, relevant: success(ranking, relevant, k=1),
}


def scored(
    run: Mapping[str, Sequence[str]],
    qrels: Mapping[str, Mapping[str, int]],
    *,
    relevant_from: int = 1,
) -> Scores:
    """Return every measure for every judged query, in the order of the judgements."""
    scores: Scores = {name: {} for name in MEASURES}
    for query, gains in qrels.items():
        relevant = frozenset(d for d, gain in gains.items() if gain >= relevant_from)
        for name, measure in MEASURES.items():
            scores[name][query] = measure(run.get(query, ()), gains, relevant)
    return scores
