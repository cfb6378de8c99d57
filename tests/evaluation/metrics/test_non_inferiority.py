"""Non-inferiority by hand: the number of lost items in a resample is binomial."""

import pytest
from scipy.stats import binom

from evaluation.metrics.statistics import Finding, items_needed, non_inferiority


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
