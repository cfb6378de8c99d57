"""Test the guaranteed threshold and the figures of a calibration against their formulas."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from chat.gate.risk import (
    Bin,
    auroc,
    brier,
    calibration_error,
    conformal_threshold,
    described,
    needed_unanswerable,
    opened_rates,
    reliability,
    risk_coverage,
    smallest_risk,
)

P = np.array([0.1, 0.4, 0.4, 0.8, 1.0])
Y = np.array([False, False, True, True, True])


@pytest.mark.parametrize(
    ("risk", "needed"), [(0.5, 1), (0.2, 4), (0.1, 9), (0.05, 19), (0.02, 49), (0.01, 99)]
)
def test_how_many_unanswerable_questions_a_risk_needs(risk: float, needed: int) -> None:
    assert needed_unanswerable(risk) == needed
    assert smallest_risk(needed) == pytest.approx(risk)
    conformal_threshold([0.5] * needed, risk)
    with pytest.raises(ValueError, match=f"{needed} unanswerable"):
        conformal_threshold([0.5] * (needed - 1), risk)


def test_the_threshold_is_just_above_the_first_score_that_may_not_pass() -> None:
    scores = [number / 100 for number in range(39)]  # floor(0.1 * 40) - 1 = 3 scores may pass
    threshold = conformal_threshold(scores, 0.1)
    assert threshold == math.nextafter(0.35, 1)
    assert sum(score >= threshold for score in scores) == 3
    assert conformal_threshold(scores[::-1], 0.1) == threshold


def test_equal_scores_pass_together_or_not_at_all() -> None:
    assert conformal_threshold([0.7] * 100, 0.1) > 0.7


def test_a_risk_that_allows_all_of_them_opens_the_gate() -> None:
    assert conformal_threshold([0.9], 1.0) == 0.0


@pytest.mark.parametrize(("n", "risk"), [(19, 0.05), (30, 0.05), (45, 0.1), (200, 0.02)])
def test_the_guarantee_holds_in_simulation(n: int, risk: float) -> None:
    """For uniform scores the share above t is 1 - t: the mean true risk of 500 calibrations."""
    random = np.random.default_rng(n)
    risks = [1 - conformal_threshold(random.random(n).tolist(), risk) for _ in range(500)]
    tolerance = 3 * float(np.std(risks)) / math.sqrt(500)
    assert np.mean(risks) <= risk + tolerance
    assert np.mean(risks) >= risk - 1 / (n + 1) - tolerance  # and is no tighter than it must be


def test_the_guarantee_needs_its_plus_one() -> None:
    """The quantile without the correction breaks the guarantee, so the test above can fail."""
    random = np.random.default_rng(7)
    naive = [1 - float(np.quantile(random.random(19), 0.95)) for _ in range(500)]
    assert np.mean(naive) > 0.05 + 3 * float(np.std(naive)) / math.sqrt(500)


def test_auroc_counts_pairs_and_halves_of_ties() -> None:
    pairs = 3 * 2
    above = 2 + 2 + 1 + 0.5  # 0.8 and 1.0 over both, 0.4 over 0.1, and a tie
    assert auroc(P, Y) == pytest.approx(above / pairs)
    random = np.random.default_rng(1)
    p, y = np.round(random.random(200), 1), random.random(200) < 0.4
    assert auroc(p, y) == pytest.approx(roc_auc_score(y, p))
    assert math.isnan(auroc(P, np.ones(5, dtype=bool)))


def test_brier_is_the_mean_squared_distance() -> None:
    assert brier(P, Y) == pytest.approx((0.1**2 + 0.4**2 + 0.6**2 + 0.2**2 + 0) / 5)


def test_bins_are_of_equal_width_and_one_belongs_to_the_last() -> None:
    assert reliability(P, Y) == (
        Bin(1, 0.1, 0.0),
        Bin(2, 0.4, 0.5),
        Bin(1, 0.8, 1.0),
        Bin(1, 1.0, 1.0),
    )


def test_ece_weighs_each_bin_by_its_count() -> None:
    expected = (1 * 0.1 + 2 * abs(0.4 - 0.5) + 1 * 0.2 + 1 * 0.0) / 5
    assert calibration_error(P, Y) == pytest.approx(expected)


def test_rates_at_a_threshold() -> None:
    assert opened_rates(P, Y, 0.4) == {
        "answerable_opened": 1.0,
        "unanswerable_opened": 1 / 2,
        "wrong_among_opened": 1 / 4,
    }
    assert opened_rates(P, Y, 1.01)["wrong_among_opened"] is None


def test_risk_and_coverage_open_equal_probabilities_together() -> None:
    expected = ((1 / 5, 0.0), (2 / 5, 0.0), (4 / 5, 1 / 4), (1.0, 2 / 5))
    assert risk_coverage(P, Y) == expected


def test_what_can_not_be_said_is_none() -> None:
    figures = described(P, np.ones(5, dtype=bool), 0.5)
    assert figures["auroc"] is None and figures["unanswerable_opened"] is None
    assert figures["brier"] == round((0.9**2 + 0.6**2 + 0.6**2 + 0.2**2) / 5, 4)
