"""Intervals and tests: seeded, and right where the right answer is known."""

import itertools

import numpy as np
import pytest

from evaluation.metrics.statistics import RESAMPLES, difference, holm, interval


def test_an_interval_holds_its_mean_and_is_the_same_each_time() -> None:
    values = list(np.random.default_rng(1).random(80))
    found = interval(values)
    assert found == interval(values)
    assert found.low < found.mean < found.high
    assert found.mean == pytest.approx(np.mean(values))
    assert found.n == 80


def test_its_width_is_that_of_the_normal_approximation() -> None:
    values = np.random.default_rng(2).normal(0.5, 0.1, 400)
    found = interval(list(values))
    error = values.std(ddof=1) / np.sqrt(400)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.05)


def test_nothing_and_one_value() -> None:
    assert interval([]).n == 0
    assert interval([0.25]) == type(interval([]))(0.25, 0.25, 0.25, 1)


def test_p_is_near_that_of_all_permutations() -> None:
    deltas = [0.3, 0.2, -0.1, 0.4, 0.05, -0.02, 0.25, 0.1]
    seen = abs(sum(deltas))
    signs = list(itertools.product((1, -1), repeat=len(deltas)))
    far = [
        abs(sum(s * d for s, d in zip(sign, deltas, strict=True))) >= seen - 1e-12 for sign in signs
    ]
    exact = sum(far) / len(signs)
    assert difference([0.0] * 8, deltas).p == pytest.approx(exact, abs=0.01)


def test_equal_runs_and_runs_far_apart() -> None:
    same = difference([0.1, 0.2], [0.1, 0.2])
    assert (same.mean, same.p, same.better, same.worse) == (0.0, 1.0, 0, 0)
    apart = difference([0.0] * 50, [1.0] * 50)
    assert apart.p == 1 / (RESAMPLES + 1)
    assert (apart.mean, apart.better, apart.worse) == (1.0, 50, 0)
    turned = difference([1.0] * 50, [0.0] * 50)
    assert (turned.mean, turned.p) == (-1.0, apart.p)


def test_values_of_other_queries_are_refused() -> None:
    with pytest.raises(ValueError, match="every query"):
        difference([0.1], [0.1, 0.2])


def test_p_is_uniform_where_nothing_differs() -> None:
    random = np.random.default_rng(3)
    p = [difference(list(random.random(30)), list(random.random(30))).p for _ in range(60)]
    assert 0 <= sum(value < 0.05 for value in p) <= 8


def test_holm() -> None:
    assert holm([]) == []
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([0.02, 0.02]) == pytest.approx([0.04, 0.04])
