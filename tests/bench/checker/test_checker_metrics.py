"""Measures of labels against scikit-learn and by hand, and their bootstrap."""

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    confusion_matrix,
    f1_score,
    precision_recall_fscore_support,
)

from bench.checker.labels import accuracy, confusion, false_alarm, false_pass, label_f1, macro_f1
from bench.checker.measure import Checked
from bench.datasets.pairs import LABELS, LabelledPair
from chat.evidence.judgements import Judgement, Label
from evaluation.metrics.statistics import interval, interval_of_counts

RANDOM = np.random.default_rng(5)
TRUE = [LABELS[n] for n in RANDOM.integers(0, 3, 200)]
SAID = [t if RANDOM.random() < 0.6 else LABELS[RANDOM.integers(0, 3)] for t in TRUE]
COUNTS = confusion(TRUE, SAID, LABELS)


def test_they_agree_with_scikit_learn() -> None:
    assert (confusion_matrix(TRUE, SAID, labels=LABELS) == COUNTS).all()
    assert accuracy(COUNTS) == pytest.approx(accuracy_score(TRUE, SAID))
    assert macro_f1(COUNTS) == pytest.approx(f1_score(TRUE, SAID, average="macro"))
    _, _, f1, support = precision_recall_fscore_support(TRUE, SAID, labels=LABELS)
    assert label_f1(COUNTS) == pytest.approx(f1)
    assert COUNTS.sum(axis=1) == pytest.approx(support)


def test_alarms_and_passes_by_hand() -> None:
    counts = np.array([[6.0, 1, 3], [2, 5, 1], [0, 0, 2]])
    assert false_alarm(counts, 0) == pytest.approx((1 + 3) / 10)
    assert false_pass(counts, 0) == pytest.approx((2 + 0) / 10)
    assert false_pass(counts[None].repeat(4, axis=0), 0).shape == (4,)
    nothing = np.zeros((3, 3))
    for measure in (accuracy, macro_f1):
        assert measure(nothing) == 0.0
    assert false_alarm(nothing, 0) == false_pass(nothing, 0) == 0.0


def test_the_bootstrap_of_counts_is_that_of_items() -> None:
    right = [float(t == s) for t, s in zip(TRUE, SAID, strict=True)]
    of_items, of_counts = interval(right), interval_of_counts(COUNTS, accuracy)
    assert of_counts.mean == pytest.approx(of_items.mean)
    assert of_counts.low == pytest.approx(of_items.low, abs=0.01)
    assert of_counts.high == pytest.approx(of_items.high, abs=0.01)
    assert of_counts.n == of_items.n == 200
    assert interval_of_counts(COUNTS, accuracy) == of_counts
    assert interval_of_counts(np.zeros((3, 3)), accuracy).n == 0


def checked(rows: list[tuple[str, Judgement | None]], name: str = "made") -> Checked:
    pairs = tuple(LabelledPair(str(n), "c", "e", Label(true)) for n, (true, _) in enumerate(rows))
    return Checked(name, f"{name}-1", pairs, tuple(said for _, said in rows), 2.0)


YES, NO = Judgement(Label.SUPPORTED, 0.9), Judgement(Label.CONTRADICTED, 0.2, 0.7)
UNKNOWN = Judgement(Label.NOT_FOUND, 0.4)
ROWS: list[tuple[str, Judgement | None]] = [
    ("supported", YES), ("supported", UNKNOWN), ("supported", None),
    ("contradicted", NO), ("contradicted", YES), ("not_found", UNKNOWN),
]  # fmt: skip


def test_failures_count_apart() -> None:
    result = checked(ROWS)
    found = result.intervals
    assert found["accuracy"].mean == pytest.approx(3 / 5)
    assert found["accuracy"].n == 5
    assert found["accuracy, failures wrong"].mean == pytest.approx(3 / 6)
    assert found["unsupported passed"].mean == pytest.approx(1 / 3)
    assert found["supported stopped"].mean == pytest.approx(1 / 2)
    assert found["unsupported passed"].n == 3
    assert found["supported stopped"].n == 2
    assert result.ms_a_pair == 2000 / 5


def test_calibration_is_of_the_probability_of_supported() -> None:
    result = checked(ROWS)
    true, said = [1, 1, 0, 0, 0], [0.9, 0.4, 0.2, 0.9, 0.4]
    assert result.intervals["Brier"].mean == pytest.approx(brier_score_loss(true, said))
    expected = (2 * abs(0.9 - 0.5) + 2 * abs(0.4 - 0.5) + 1 * abs(0.2 - 0)) / 5
    assert result.calibration_error == pytest.approx(expected)


def test_an_error_rate_is_drawn_over_its_own_pairs() -> None:
    """One of ten unsupported pairs is wrong, whatever the number of supported pairs."""
    wrong = [("not_found", YES)] + [("not_found", UNKNOWN)] * 9
    few, many = (
        checked([*wrong, *[("supported", YES)] * n]).intervals["unsupported passed"]
        for n in (1, 500)
    )
    assert few == many
    assert few.mean == pytest.approx(0.1)
    assert few.n == 10
