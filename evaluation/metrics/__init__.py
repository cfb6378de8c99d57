"""The measures of a ranking by name, in the semantics of trec_eval. Pure.

A ranking is a sequence of distinct document ids, best first, with ties already decided. A query
missing from a run scores 0, as with `trec_eval -c`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evaluation.metrics.ranking import average_precision, ndcg, recall, reciprocal_rank, success

Scores = dict[str, dict[str, float]]  # metric -> query -> value
_Measure = Callable[[Sequence[str], Mapping[str, int], frozenset[str]], float]

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
