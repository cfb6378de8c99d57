"""Test the drawing of samples, and intervals against published values."""

import math

import pytest

from chat.reviews.statistics import Z_95, drawn, wilson_interval

IDS = [f"turn-{number}" for number in range(200)]


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        # R. G. Newcombe, Statistics in Medicine 17, 1998, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_as_published(hits: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(hits, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_at_the_edges() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(7, 7)[1] == 1.0
    assert wilson_interval(0, 7)[0] == 0.0
    assert wilson_interval(7, 7)[0] == pytest.approx(7 / (7 + Z_95**2))
    low, high = wilson_interval(50, 100)
    assert math.isclose(low + high, 1)


def test_a_sample_is_the_same_in_any_order_and_grows() -> None:
    once = drawn(IDS, percent=10, seed=7)
    assert len(once) == 20
    assert drawn(reversed(IDS), percent=10, seed=7) == once
    assert set(once) <= set(drawn(IDS, percent=30, seed=7))
    assert drawn(IDS, percent=10, seed=8) != once


def test_a_sample_rounds_up_and_holds_each_once() -> None:
    assert len(drawn(IDS[:3], percent=1, seed=0)) == 1
    assert sorted(drawn(IDS + IDS, percent=100, seed=0)) == sorted(IDS)
    assert drawn([], percent=50, seed=0) == []
