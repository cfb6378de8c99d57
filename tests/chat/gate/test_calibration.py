"""Test calibration: how the log-odds are scaled, what is guaranteed, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from chat.gate.calibration import LOWEST_THRESHOLD, CalibrationError, Example, Fitted, calibrate
from chat.gate.plot import plot_png
from chat.gate.risk import Bools, Floats, platt, smoothed_targets


def drawn(
    answerable: int, unanswerable: int, *, seed: int = 0, apart: float = 3.0
) -> list[Example]:
    """Draw questions; the log-odds of answerable ones are higher by `apart`."""
    random = np.random.default_rng(seed)
    labels = [number < answerable for number in range(answerable + unanswerable)]
    odds = random.normal(-2.0, 1.0, size=len(labels)) + apart * np.array(labels)
    return [
        Example(f"question {seed}-{number}", round(float(found), 2), label)
        for number, (found, label) in enumerate(zip(odds, labels, strict=True))
    ]


def opened(fitted: Fitted, examples: list[Example]) -> float:
    scale = fitted.scale
    return float(np.mean([scale.probability(e.odds) >= scale.threshold for e in examples]))


def drawn_by(slope: float, intercept: float, *, n: int, seed: int) -> tuple[Floats, Bools]:
    random = np.random.default_rng(seed)
    odds = random.normal(-1.0, 2.0, size=n)
    return odds, random.random(n) < 1 / (1 + np.exp(-(intercept + slope * odds)))


def test_scales_the_log_odds_and_says_what_it_was_made_of() -> None:
    fitted = calibrate(drawn(60, 60), 0.05)
    assert fitted.scale.slope > 0
    assert fitted.scale.threshold >= LOWEST_THRESHOLD
    assert fitted.counts == {"questions": 120, "answerable": 60}
    assert fitted.metrics["auroc"] > 0.9
    assert fitted.metrics["unanswerable_opened"] <= 2 / 60  # floor(0.05 * 61) - 1 may pass
    assert fitted.metrics["ece"] < 0.1


def test_the_same_questions_in_any_order_give_the_same() -> None:
    examples = drawn(40, 40)
    one, other = calibrate(examples, 0.05), calibrate(examples[::-1], 0.05)
    assert (one.scale, one.metrics) == (other.scale, other.metrics)
    numbers = (one.scale.slope, one.scale.intercept, one.scale.threshold)
    assert numbers == tuple(round(number, 6) for number in numbers)


def test_log_odds_that_are_right_already_are_left_as_they_are() -> None:
    odds, labels = drawn_by(1.0, 0.0, n=200_000, seed=1)
    assert platt(odds, labels) == pytest.approx((1.0, 0.0), abs=0.02)


def test_the_fit_agrees_with_another_solver_of_the_same_loss() -> None:
    odds, labels = drawn_by(0.6, 0.8, n=150, seed=2)
    targets = smoothed_targets(labels)

    def loss(beta: Floats) -> float:
        z = beta[1] + odds * beta[0]
        return float((np.logaddexp(0, z) - targets * z).sum())

    other = minimize(loss, np.zeros(2), method="BFGS").x
    assert platt(odds, labels) == pytest.approx(other, abs=1e-4)


def test_targets_are_smoothed_by_the_number_of_each_kind() -> None:
    targets = smoothed_targets(np.array([True] * 3 + [False] * 8))
    assert targets[:3] == pytest.approx([(3 + 1) / (3 + 2)] * 3)
    assert targets[3:] == pytest.approx([1 / (8 + 2)] * 8)


def test_kinds_that_do_not_overlap_give_a_finite_slope() -> None:
    odds = np.array([float(x) for x in range(20)])
    slope, intercept = platt(odds, odds > 9.5)
    assert math.isfinite(slope) and math.isfinite(intercept) and slope > 0
    said = 1 / (1 + np.exp(-(intercept + slope * odds)))
    assert 0.001 < said.min() < said.max() < 0.999


def test_the_whole_way_keeps_its_promise_in_simulation() -> None:
    """Calibrated on 25 + 25 overlapping questions; risk measured on 400 new unanswerable ones."""
    risks = [
        opened(
            calibrate(drawn(25, 25, seed=trial, apart=1.0), 0.05),
            drawn(0, 400, seed=10_000 + trial),
        )
        for trial in range(200)
    ]
    assert np.mean(risks) <= 0.05 + 3 * float(np.std(risks)) / math.sqrt(len(risks))


def test_what_is_likelier_no_answer_stays_shut_whatever_the_risk_allows() -> None:
    assert calibrate(drawn(60, 60, apart=6.0), 0.5).scale.threshold == LOWEST_THRESHOLD


@pytest.mark.parametrize(("unanswerable", "risk"), [(18, 0.05), (9, 0.1), (98, 0.01), (9, 0.5)])
def test_too_few_unanswerable_questions_are_refused_with_numbers(
    unanswerable: int, risk: float
) -> None:
    with pytest.raises(CalibrationError) as refused:
        calibrate(drawn(60, unanswerable), risk)
    assert f"that needs {unanswerable + 1}" in refused.value.sentence
    assert "Nothing was changed" in refused.value.sentence
    assert calibrate(drawn(60, unanswerable + 1), risk).scale.threshold <= 1


def test_the_smallest_risk_that_can_be_promised_is_said_and_holds() -> None:
    with pytest.raises(CalibrationError, match=r"none below 0\.083"):
        calibrate(drawn(60, 11), 0.05)
    assert calibrate(drawn(60, 11), 0.084)


SILENT = [Example(f"silent {number}", None, False) for number in range(60)]
WRONG = [replace(e, answerable=not e.answerable) for e in drawn(60, 60)]


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        (drawn(9, 60), "9 answerable questions"),
        ([*drawn(60, 0), *SILENT], "only for answerable"),  # statements of one kind only
        (WRONG, "don't separate"),
    ],
)
def test_what_can_not_be_calibrated_on_is_refused(examples: list[Example], said: str) -> None:
    with pytest.raises(CalibrationError, match=said):
        calibrate(examples, 0.05)


def test_questions_for_which_nothing_is_found_count_as_kept_out() -> None:
    fitted = calibrate([*drawn(60, 60), *SILENT], 0.05)
    assert fitted.probabilities[-60:].max() == 0
    assert fitted.scale.slope == calibrate(drawn(60, 60), 0.05).scale.slope  # not fitted on
    assert fitted.scale.threshold <= calibrate(drawn(60, 60), 0.05).scale.threshold


def test_the_plot_is_a_picture_and_the_same_each_time() -> None:
    fitted = calibrate(drawn(60, 60), 0.05)
    picture = plot_png(fitted, title="Gate")
    assert picture.startswith(b"\x89PNG\r\n\x1a\n") and len(picture) > 5000
    assert picture == plot_png(fitted, title="Gate")
