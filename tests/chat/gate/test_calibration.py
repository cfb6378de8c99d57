"""Test calibration: how questions are split, what is guaranteed, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from chat.gate.calibration import (
    LOWEST_THRESHOLD,
    CalibrationError,
    Example,
    Fitted,
    Plan,
    calibrate,
    fit,
)
from chat.gate.plot import plot_png
from chat.gate.scorers import logistic


def drawn(
    answerable: int, unanswerable: int, *, seed: int = 0, apart: float = 0.35
) -> list[Example]:
    """Draw questions of three passages; the best of an answerable one is better by `apart`."""
    random = np.random.default_rng(seed)
    examples = []
    for number in range(answerable + unanswerable):
        is_answerable = number < answerable
        passages = random.normal(0.35, 0.12, size=(3, 2))
        passages[0] += apart if is_answerable else 0.0
        features = tuple((float(a), float(b)) for a, b in np.clip(passages, 0, 1))
        examples.append(Example(f"question {seed}-{number}", features, is_answerable))
    return examples


def opened(fitted: Fitted, examples: list[Example]) -> float:
    gate = fitted.calibration
    best = [max(gate.score_at(*pair) for pair in example.features) for example in examples]
    return float(np.mean([gate.probability_at(score) >= gate.threshold for score in best]))


def test_tells_the_kinds_apart_and_says_what_it_was_made_of() -> None:
    fitted = calibrate(drawn(60, 60), Plan())
    gate = fitted.calibration
    assert gate.cosine > 0 and gate.coverage > 0
    assert fitted.method == "platt" and fitted.guarantee == "conformal"
    assert gate.threshold == max(fitted.conformal_threshold, LOWEST_THRESHOLD)
    assert fitted.counts == {
        "questions": 120, "answerable": 60, "judged": 60, "judged_unanswerable": 30
    }  # fmt: skip
    assert fitted.metrics["auroc"] > 0.9
    assert fitted.metrics["unanswerable_opened"] <= 1 / 30


def test_the_same_questions_in_any_order_give_the_same() -> None:
    examples = drawn(40, 40)
    assert calibrate(examples, Plan()) == calibrate(examples[::-1], Plan())
    assert calibrate(examples, Plan()) != calibrate(examples, Plan(seed=1))


def test_no_question_is_fitted_on_and_judged() -> None:
    """The weights are those of a fit without the judged questions."""
    examples = drawn(60, 60)
    fitted = calibrate(examples, Plan())
    judged = {entry.question for entry in fitted.judged}
    rest = [example for example in examples if example.question not in judged]
    alone, _ = fit(rest, "platt")
    gate = fitted.calibration
    assert (alone.intercept, alone.cosine, alone.coverage) == pytest.approx(
        (gate.intercept, gate.cosine, gate.coverage), abs=1e-6
    )
    assert len(rest) + len(judged) == len(examples)


def test_a_second_look_goes_where_its_question_goes_and_is_not_judged() -> None:
    examples = drawn(60, 60)
    extra = [replace(e, is_extra=True, answerable=True) for e in examples if not e.answerable]
    fitted = calibrate([*examples, *extra], Plan())
    assert fitted.counts == calibrate(examples, Plan()).counts
    assert len({entry.question for entry in fitted.judged}) == len(fitted.judged)
    assert fitted.calibration != calibrate(examples, Plan()).calibration


def test_the_whole_way_keeps_its_promise_in_simulation() -> None:
    """Calibrated on 25 + 35 overlapping questions; risk measured on 400 new unanswerable ones."""
    risks = [
        opened(
            calibrate(drawn(25, 35, seed=trial, apart=0.15), Plan()),
            drawn(0, 400, seed=10_000 + trial),
        )
        for trial in range(100)
    ]
    assert np.mean(risks) <= 0.05 + 3 * float(np.std(risks)) / math.sqrt(len(risks))


def test_what_is_likelier_no_answer_stays_shut_whatever_the_risk_allows() -> None:
    fitted = calibrate(drawn(60, 60, apart=0.6), Plan(risk=0.5))
    assert fitted.conformal_threshold < LOWEST_THRESHOLD
    assert fitted.calibration.threshold == LOWEST_THRESHOLD


# Too few


@pytest.mark.parametrize(("unanswerable", "risk"), [(28, 0.05), (18, 0.1), (108, 0.01)])
def test_too_few_unanswerable_questions_are_refused_with_numbers(
    unanswerable: int, risk: float
) -> None:
    with pytest.raises(CalibrationError) as refused:
        calibrate(drawn(60, unanswerable), Plan(risk=risk))
    assert f"that needs {unanswerable + 1}" in refused.value.sentence
    assert "Nothing was changed" in refused.value.sentence
    assert calibrate(drawn(60, unanswerable + 1), Plan(risk=risk)).guarantee == "conformal"


def test_the_smallest_risk_that_can_be_promised_is_said_and_holds() -> None:
    with pytest.raises(CalibrationError, match=r"no guarantee below 0\.083"):
        calibrate(drawn(60, 21), Plan())
    assert calibrate(drawn(60, 21), Plan(risk=0.084))


def test_too_few_answerable_questions_are_refused() -> None:
    with pytest.raises(CalibrationError, match="10 answerable questions are too few"):
        calibrate(drawn(10, 60), Plan())


def test_questions_for_which_nothing_is_found_count_as_kept_out() -> None:
    silent = [Example(f"silent {number}", (), False) for number in range(30)]
    fitted = calibrate([*drawn(60, 60), *silent], Plan())
    assert {e.probability for e in fitted.judged if e.question.startswith("silent")} == {0.0}
    assert fitted.counts["judged_unanswerable"] == 45


def test_passages_of_one_kind_only_are_refused() -> None:
    silent = [Example(f"silent {number}", (), False) for number in range(60)]
    with pytest.raises(CalibrationError, match="only for answerable or only for unanswerable"):
        calibrate([*drawn(60, 0), *silent], Plan())


def test_labels_against_the_features_are_refused() -> None:
    wrong = [replace(e, answerable=not e.answerable) for e in drawn(60, 60, apart=0.6)]
    with pytest.raises(CalibrationError, match="Neither cosine nor coverage"):
        calibrate(wrong, Plan())


# Cross-fitting


def test_cross_fitting_judges_every_question_and_promises_nothing() -> None:
    examples = drawn(30, 25)
    fitted = calibrate(examples, Plan(folds=5))
    assert fitted.guarantee == "none"
    assert len(fitted.judged) == 55
    whole, _ = fit(examples, "platt")
    assert fitted.calibration.cosine == pytest.approx(whole.cosine, abs=1e-6)


def test_cross_fitting_judges_by_weights_of_the_other_folds() -> None:
    examples = drawn(30, 25)
    fitted = calibrate(examples, Plan(folds=5))
    gate = fitted.calibration
    own = {e.question: max(gate.score_at(*pair) for pair in e.features) for e in examples}
    same = [
        math.isclose(entry.probability, logistic(own[entry.question])) for entry in fitted.judged
    ]
    assert not any(same)


def test_cross_fitting_needs_enough_too() -> None:
    with pytest.raises(CalibrationError, match="that needs 19"):
        calibrate(drawn(60, 18), Plan(folds=5))
    with pytest.raises(CalibrationError, match="that needs 13"):
        calibrate(drawn(60, 12), Plan(folds=5, risk=0.2))
    assert calibrate(drawn(60, 13), Plan(folds=5, risk=0.2))


# Isotonic regression


def test_isotonic_is_taken_where_there_is_enough_and_refused_where_not() -> None:
    large = drawn(1200, 1200, apart=0.15)
    fitted = calibrate(large, Plan())
    assert fitted.method == "isotonic"
    knots = fitted.calibration.knots
    assert all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(knots))
    assert calibrate(large, Plan(method="platt")).calibration.knots == ()
    with pytest.raises(CalibrationError, match="overfits on 60 examples"):
        calibrate(drawn(60, 60), Plan(method="isotonic"))


@pytest.mark.parametrize(
    ("answerable", "unanswerable", "method"),
    [(900, 100, "isotonic"), (100, 900, "isotonic"), (901, 99, "platt"), (899, 100, "platt")],
)
def test_enough_is_a_thousand_questions_and_a_hundred_of_the_rarer_kind(
    answerable: int, unanswerable: int, method: str
) -> None:
    assert fit(drawn(answerable, unanswerable), "auto")[1] == method


def test_the_plot_is_a_picture_and_the_same_each_time() -> None:
    fitted = calibrate(drawn(60, 60), Plan())
    picture = plot_png(fitted, title="Gate")
    assert picture.startswith(b"\x89PNG\r\n\x1a\n") and len(picture) > 5000
    assert picture == plot_png(fitted, title="Gate")
