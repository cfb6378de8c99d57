"""Test kappa against hand-computed values and scikit-learn."""

import random

import pytest
from sklearn.metrics import cohen_kappa_score

from chat.reviews.statistics import agreement

A, B = "supported", "unsafe"


def answers(both_a: int, a_b: int, b_a: int, both_b: int) -> list[list[tuple[str, str]]]:
    """Return answers of one statement each, from the four cells of a table of two labels."""
    pairs = [(A, A)] * both_a + [(A, B)] * a_b + [(B, A)] * b_a + [(B, B)] * both_b
    return [[pair] for pair in pairs]


def test_perfect_agreement() -> None:
    found = agreement(answers(6, 0, 0, 4))
    assert (found.kappa, found.agreed, found.interval) == (1, 1, (1, 1))


def test_agreement_as_by_chance() -> None:
    """Both say each label half of the time: observed 0.5, by chance 0.25 + 0.25."""
    found = agreement(answers(25, 25, 25, 25))
    assert (found.kappa, found.agreed) == (0, 0.5)
    assert found.interval is not None
    assert found.interval[0] < 0 < found.interval[1]


def test_a_skewed_table() -> None:
    """Agreement is 90 % and kappa low: by chance 0.95 x 0.93 + 0.05 x 0.07 = 0.887."""
    found = agreement(answers(89, 6, 4, 1))
    assert found.agreed == pytest.approx(0.9)
    assert found.kappa == pytest.approx((0.9 - 0.887) / (1 - 0.887))


def test_it_is_that_of_scikit_learn() -> None:
    draw = random.Random(1)
    pairs = [[(draw.choice("abcd"), draw.choice("abcd")) for _ in range(3)] for _ in range(40)]
    flat = [pair for each in pairs for pair in each]
    expected = cohen_kappa_score([a for a, _ in flat], [b for _, b in flat])
    found = agreement(pairs)
    assert found.kappa == pytest.approx(expected)
    assert found == agreement(pairs)


def test_where_there_is_none() -> None:
    assert agreement([]).kappa is None
    same = agreement(answers(5, 0, 0, 0))
    assert (same.agreed, same.kappa, same.interval) == (1, None, None)
    one = agreement([[(A, A), (A, B), (B, B)]])
    assert one.kappa == pytest.approx(0.4)  # (2/3 - 4/9) / (1 - 4/9)
    assert one.interval is None  # no interval from one answer
