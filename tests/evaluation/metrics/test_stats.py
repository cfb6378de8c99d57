"""Intervals and tests: seeded, and right where the right answer is known."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from evaluation.metrics.statistics import (
    RESAMPLES,
    Finding,
    difference,
    holm,
    interval,
    items_needed,
    newcombe_interval,
    non_inferiority,
)


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


@pytest.mark.parametrize(
    ("first", "second", "bounds"),
    [  # Newcombe 1998, table II, method 10
        ((48, 80), (56, 70), (0.0524, 0.3339)),
        ((3, 10), (9, 10), (0.1705, 0.8090)),
        ((0, 29), (5, 56), (-0.0381, 0.1926)),
        ((0, 20), (10, 10), (0.6791, 1.0)),
    ],
)
def test_the_examples_of_the_paper(
    first: tuple[int, int], second: tuple[int, int], bounds: tuple[float, float]
) -> None:
    found = newcombe_interval(first, second)
    assert found == pytest.approx(bounds, abs=5e-5)
    low, high = newcombe_interval(second, first)
    assert (-high, -low) == pytest.approx(found)


def test_by_hand() -> None:
    """5 of 10 twice: Wilson's half-width is z / (2 sqrt(10 + z^2)), this one sqrt 2 times that."""
    z = 1.959963984540054
    half = z / (2 * math.sqrt(10 + z * z))
    expected = (-half * math.sqrt(2), half * math.sqrt(2))
    assert newcombe_interval((5, 10), (5, 10)) == pytest.approx(expected)


def test_without_a_case_nothing_is_known() -> None:
    assert newcombe_interval((0, 0), (0, 0)) == (-1.0, 1.0)
    low, high = newcombe_interval((0, 0), (9, 10))
    assert low < 0 < high <= 1


def test_clearly_as_good() -> None:
    """1 of 200 items is lost: resamples lose 0 to 3, less than the margin of 0.05."""
    found = non_inferiority([1.0] * 200, [0.0] + [1.0] * 199, margin=0.05)
    assert found.finding is Finding.AS_GOOD
    assert found.difference.mean == pytest.approx(-1 / 200)
    assert found.difference.low == pytest.approx(-binom.ppf(0.975, 200, 1 / 200) / 200)
    assert found.difference.high == 0


def test_clearly_worse() -> None:
    """40 of 100 are lost: resamples lose 30 to 50, all beyond the margin."""
    found = non_inferiority([1.0] * 100, [0.0] * 40 + [1.0] * 60, margin=0.1)
    assert found.finding is Finding.WORSE
    low, high = binom.ppf([0.025, 0.975], 100, 0.4) / 100
    assert found.difference.high == pytest.approx(-low, abs=0.015)
    assert found.difference.low == pytest.approx(-high, abs=0.015)


def test_too_few_items_to_tell() -> None:
    """1 of 10 is lost: resamples lose 0 to 3, on both sides of the margin of 0.05."""
    found = non_inferiority([1.0] * 10, [0.0] + [1.0] * 9, margin=0.05)
    assert found.finding is Finding.UNCLEAR
    assert found.difference.low == pytest.approx(-0.3)
    assert found.difference.high == 0


def test_without_a_difference_a_few_items_still_tell_nothing() -> None:
    """(1 - 0.05)^72 = 0.0249, but 0.0262 with 71 items, above 0.025."""
    assert items_needed(0.05, 0.95) == 72
    findings = [non_inferiority([1.0] * n, [1.0] * n, margin=0.05).finding for n in (0, 3, 71, 72)]
    assert findings == [Finding.UNCLEAR] * 3 + [Finding.AS_GOOD]


def test_where_lower_is_better_a_rise_is_a_loss() -> None:
    few, many = [0.0] * 100, [1.0] * 40 + [0.0] * 60
    judge = {"margin": 0.1, "is_higher_better": False}
    assert non_inferiority(few, many, **judge).finding is Finding.WORSE  # type: ignore[arg-type]
    assert non_inferiority(many, few, **judge).finding is Finding.AS_GOOD  # type: ignore[arg-type]


def test_more_confidence_asks_for_more() -> None:
    """4 of 100 are lost: resamples lose up to 8 at 0.95, up to 12 at 0.999."""
    first, second = [1.0] * 100, [0.0] * 4 + [1.0] * 96
    found = [
        non_inferiority(first, second, margin=0.1, confidence=c).finding for c in (0.95, 0.999)
    ]
    assert found == [Finding.AS_GOOD, Finding.UNCLEAR]
