"""Intervals of a difference of two shares, against the values in Newcombe's paper."""

import math

import pytest

from evaluation.metrics.statistics import newcombe_interval


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
