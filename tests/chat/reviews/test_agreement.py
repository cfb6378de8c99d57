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


@pytest.mark.parametrize(
    ("cells", "agreed", "kappa"),
    [
        ((6, 0, 0, 4), 1, 1),
        # Both say each label half of the time: observed 0.5, by chance 0.25 + 0.25
        ((25, 25, 25, 25), 0.5, 0),
        # Kappa is low: by chance 0.95 x 0.93 + 0.05 x 0.07 = 0.887
        ((89, 6, 4, 1), 0.9, (0.9 - 0.887) / (1 - 0.887)),
    ],
)
def test_kappa_by_hand(cells: tuple[int, int, int, int], agreed: float, kappa: float) -> None:
    found = agreement(answers(*cells))
    assert found.agreed == pytest.approx(agreed)
    assert found.kappa == pytest.approx(kappa)
    assert found.interval is not None
    assert found.interval == (1, 1) if kappa == 1 else found.interval[0] < kappa < found.interval[1]


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
