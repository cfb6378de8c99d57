"""Measures against formulas by hand, and against trec_eval on an invented run."""

from math import log2

import pytest

from bench.runs.metrics import MEASURES, average_precision, reciprocal_rank, scored
from evaluation.metrics.ranking import ndcg, recall, success

QRELS = {
    "q1": {"a": 3, "b": 1, "c": 2, "d": 0},
    "q2": {"e": 1, "f": 1},
    "q3": {"g": 2},
    "q4": {"h": 1, "i": 3, "j": 1},
    "q5": {"k": 1},  # missing from the run
    "q6": {"m": 2, "n": 1, "o": 3},
}
RUN = {
    "q1": list("xcadb"),
    "q2": list("yzw"),
    "q3": ["g"],
    "q4": list("jxyzhuvwstri"),
    "q6": list("nmxo"),
}
# Of trec_eval 9 by pytrec_eval, on these judgements and this run: relevance level 1, then 2.
GOLDEN = {
    1: {
        "nDCG@10": (0.661235870074349, 0.0, 1.0, 0.3357241323301412, 0.0, 0.7463238207746714),
        "Recall@5": (1.0, 0.0, 1.0, 0.6666666666666666, 0.0, 1.0),
        "Recall@20": (1.0, 0.0, 1.0, 1.0, 0.0, 1.0),
        "Recall@100": (1.0, 0.0, 1.0, 1.0, 0.0, 1.0),
        "MAP": (0.5888888888888889, 0.0, 1.0, 0.5499999999999999, 0.0, 0.9166666666666666),
        "MRR": (0.5, 0.0, 1.0, 1.0, 0.0, 1.0),
        "success@1": (0.0, 0.0, 1.0, 1.0, 0.0, 1.0),
    },
    2: {
        "nDCG@10": (0.661235870074349, 0.0, 1.0, 0.3357241323301412, 0.0, 0.7463238207746714),
        "Recall@5": (1.0, 0.0, 1.0, 0.0, 0.0, 1.0),
        "Recall@20": (1.0, 0.0, 1.0, 1.0, 0.0, 1.0),
        "Recall@100": (1.0, 0.0, 1.0, 1.0, 0.0, 1.0),
        "MAP": (0.5833333333333333, 0.0, 1.0, 0.08333333333333333, 0.0, 0.5),
        "MRR": (0.5, 0.0, 1.0, 0.08333333333333333, 0.0, 0.5),
        "success@1": (0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    },
}


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("measure", list(MEASURES))
def test_agrees_with_trec_eval(level: int, measure: str) -> None:
    scores = scored(RUN, QRELS, relevant_from=level)[measure]
    assert list(scores) == list(QRELS)
    assert tuple(scores.values()) == pytest.approx(GOLDEN[level][measure], abs=1e-12)


def test_ndcg_is_its_formula() -> None:
    gains = {"a": 3, "b": 1, "c": 2}
    ideal = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert ndcg(["x", "c", "a"], gains, k=10) == pytest.approx((2 / log2(3) + 3 / log2(4)) / ideal)
    assert ndcg(["a", "c", "b"], gains, k=10) == 1.0
    assert ndcg(["x", "a"], gains, k=1) == 0.0


def test_ndcg_cuts_the_ideal_too() -> None:
    gains = {str(n): 1 for n in range(20)}
    assert ndcg([str(n) for n in range(10)], gains, k=10) == pytest.approx(1.0)


def test_nothing_relevant_or_nothing_found_scores_0() -> None:
    assert ndcg(["a"], {"a": 0, "b": -1}, k=10) == 0.0
    assert recall(["a"], frozenset(), k=5) == average_precision(["a"], frozenset()) == 0.0
    one = frozenset("a")
    assert reciprocal_rank([], one) == success([], one, k=1) == ndcg([], {"a": 1}, k=10) == 0.0


def test_formulas_of_the_others() -> None:
    relevant = frozenset("abc")
    assert recall(["a", "x", "b"], relevant, k=2) == 1 / 3
    assert average_precision(["a", "x", "b"], relevant) == pytest.approx((1 / 1 + 2 / 3) / 3)
    assert reciprocal_rank(["x", "y", "b"], relevant) == 1 / 3
    assert success(["x", "a"], relevant, k=1) == 0.0
    assert success(["x", "a"], relevant, k=2) == 1.0
