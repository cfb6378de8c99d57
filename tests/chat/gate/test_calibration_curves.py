"""Test Platt's and isotonic regression against their formulas."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

from chat.gate.risk import Bools, Floats, isotonic, platt, smoothed_targets


def drawn(n: int, *, seed: int, weights: tuple[float, float] = (6.0, 4.0)) -> tuple[Floats, Bools]:
    """Draw features in [0, 1], and labels from a logistic model with intercept -5."""
    random = np.random.default_rng(seed)
    features = random.random((n, 2))
    odds = -5.0 + features @ np.array(weights)
    return features, random.random(n) < 1 / (1 + np.exp(-odds))


def test_targets_are_smoothed_by_the_number_of_each_kind() -> None:
    labels = np.array([True] * 3 + [False] * 8)
    targets = smoothed_targets(labels)
    assert targets[:3] == pytest.approx([(3 + 1) / (3 + 2)] * 3)
    assert targets[3:] == pytest.approx([1 / (8 + 2)] * 8)


def test_recovers_the_weights_that_made_the_labels() -> None:
    features, labels = drawn(200_000, seed=1)
    intercept, weights = platt(features, labels)
    assert intercept == pytest.approx(-5.0, abs=0.1)
    assert weights == pytest.approx([6.0, 4.0], abs=0.15)


def test_agrees_with_another_solver_of_the_same_loss() -> None:
    features, labels = drawn(150, seed=2)
    targets = smoothed_targets(labels)

    def loss(beta: Floats) -> float:
        z = beta[0] + features @ beta[1:]
        return float((np.logaddexp(0, z) - targets * z).sum() + 0.5 / 2 * beta[1:] @ beta[1:])

    other = minimize(loss, np.zeros(3), method="BFGS").x
    intercept, weights = platt(features, labels, l2=0.5)
    assert [intercept, *weights] == pytest.approx(other, abs=1e-4)


def test_kinds_that_do_not_overlap_give_finite_weights() -> None:
    features = np.array([[x / 20, x / 20] for x in range(20)])
    intercept, weights = platt(features, features[:, 0] > 0.5, l2=0.0001)
    assert math.isfinite(intercept)
    assert np.isfinite(weights).all() and (weights > 0).all()
    said = 1 / (1 + np.exp(-(intercept + features @ weights)))
    assert 0.001 < said.min() < said.max() < 0.999


def test_no_weight_is_negative() -> None:
    features, labels = drawn(400, seed=3, weights=(8.0, -6.0))
    intercept, weights = platt(features, labels)
    alone = platt(features[:, :1], labels)
    assert weights[1] == 0.0
    assert (intercept, weights[0]) == pytest.approx((alone[0], alone[1][0]))


def test_features_that_say_nothing_or_the_contrary_get_no_weight() -> None:
    features, labels = drawn(400, seed=4, weights=(8.0, 8.0))
    intercept, weights = platt(1 - features, labels)
    assert not weights.any()
    said = 1 / (1 + math.exp(-intercept))
    assert said == pytest.approx(smoothed_targets(labels).mean(), abs=1e-6)


# Isotonic regression


def test_pools_neighbours_that_fall() -> None:
    labels = np.array([False, True, False, True])
    low, high = 1 / (2 + 2), (2 + 1) / (2 + 2)
    middle = (high + low) / 2
    assert isotonic([1.0, 2.0, 3.0, 4.0], labels) == (
        (1.0, low),
        (2.0, middle),
        (3.0, middle),
        (4.0, high),
    )


def test_equal_scores_are_one_point() -> None:
    labels = np.array([False, True, True])
    low, high = 1 / (1 + 2), (2 + 1) / (2 + 2)
    assert isotonic([0.5, 0.5, 0.7], labels) == ((0.5, (low + high) / 2), (0.7, high))


@pytest.mark.parametrize("seed", range(20))
def test_is_the_isotonic_regression_and_rises(seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = np.round(random.normal(size=300), 1)
    labels = random.random(300) < 1 / (1 + np.exp(-scores))
    knots = isotonic(scores.tolist(), labels)
    assert all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(knots))
    assert all(0 < probability < 1 for _, probability in knots)
    other = IsotonicRegression().fit(scores, smoothed_targets(labels))
    ours = np.interp(scores, [x for x, _ in knots], [y for _, y in knots])
    assert ours == pytest.approx(other.predict(scores), abs=1e-12)


def test_the_order_of_the_examples_does_not_matter() -> None:
    random = np.random.default_rng(5)
    scores, labels = random.random(50), random.random(50) < 0.5
    order = random.permutation(50)
    assert isotonic(scores.tolist(), labels) == isotonic(scores[order].tolist(), labels[order])
