"""Measures of refusal and confidence, by hand and against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from evaluation.measures.selective import loss_of, selective
from evaluation.measures.types import AnsweredItem
from evaluation.metrics.selective import Point, aurc, auroc, risk_coverage


def item(
    confidence: float | None, *, refused: bool = False, answerable: bool | None = True
) -> AnsweredItem:
    return AnsweredItem("?", confidence=confidence, is_refused=refused, is_answerable=answerable)


def test_the_curve_and_its_area_by_hand() -> None:
    confidences, losses = [0.9, 0.5, 0.8, 0.6], [0.0, 1.0, 1.0, 0.0]
    assert risk_coverage(confidences, losses) == [
        Point(0.9, 1 / 4, 0.0),
        Point(0.8, 2 / 4, 1 / 2),
        Point(0.6, 3 / 4, 1 / 3),
        Point(0.5, 4 / 4, 2 / 4),
    ]
    assert aurc(confidences, losses) == pytest.approx((0 + 1 / 2 + 1 / 3 + 2 / 4) / 4)


def test_what_is_tied_is_accepted_together_in_whatever_order() -> None:
    assert risk_coverage([0.5] * 4, [0, 1, 1, 0]) == [Point(0.5, 1.0, 0.5)]
    assert aurc([0.5] * 4, [0, 1, 1, 0]) == aurc([0.5] * 4, [1, 1, 0, 0]) == 0.5
    tied = aurc([0.9, 0.5, 0.5], [0.0, 1.0, 0.0])
    assert tied == pytest.approx((0 + 1 / 3 + 1 / 3) / 3)


def test_a_coverage_is_of_all_items_where_some_are_refused_anyway() -> None:
    assert risk_coverage([0.9, 0.4], [0.0, 1.0], total=4) == [
        Point(0.9, 1 / 4, 0.0),
        Point(0.4, 2 / 4, 0.5),
    ]


@pytest.mark.parametrize("places", [1, 2, 9])
def test_auroc_is_that_of_scikit_learn_with_ties_and_without(places: int) -> None:
    random = np.random.default_rng(places)
    labels = random.random(300) < 0.3
    confidences = (random.random(300) * 0.7 + labels * 0.2).round(places)
    ours = auroc(confidences.tolist(), labels.tolist())
    assert ours == pytest.approx(roc_auc_score(labels, confidences))


def test_auroc_needs_both_kinds() -> None:
    assert auroc([0.1, 0.9], [True, True]) is None


def test_a_run_by_hand() -> None:
    items = [
        item(0.9),
        item(0.8),
        item(0.7, answerable=False),  # wrongly answered
        item(0.6),
        item(0.3, refused=True, answerable=False),
        item(0.55, refused=True),  # wrongly refused
        item(0.65, answerable=None),
        item(None),
    ]
    faithfulness = [1.0, 0.5, 1.0, None, None, None, 1.0, 1.0]
    said = selective(items, faithfulness)
    assert (said.n, said.answered, said.refused) == (8, 6, 2)
    assert (said.wrongly_answered, said.wrongly_refused, said.unlabelled) == (1, 1, 1)
    assert said.judged == 4  # one has no confidence, one no faithfulness
    losses = {0.9: 0.0, 0.8: 0.5, 0.7: 1.0, 0.65: 0.0}
    assert said.aurc == aurc(list(losses), list(losses.values()))
    assert [point.coverage for point in said.curve] == [1 / 8, 2 / 8, 3 / 8, 4 / 8]
    assert said.auroc_right == pytest.approx((2 + 0) / 4)  # 0.9 beats both others, 0.65 none
    # 0.9, 0.8, 0.6 and 0.55 can be answered, 0.7 and 0.3 can't
    assert said.auroc_answerable == pytest.approx((2 + 2 + 1 + 1) / 8)
    half, six, three_quarters = said.thresholds
    assert (half.threshold, half.answered, half.abstention_rate) == (0.50, 5, 1 - 5 / 8)
    assert (half.faithfulness, half.n) == ((1 + 0.5 + 1 + 1) / 4, 4)
    assert (six.answered, six.n) == (5, 4)
    assert (three_quarters.answered, three_quarters.faithfulness) == (2, 0.75)


def test_the_loss_of_an_answer() -> None:
    assert loss_of(item(0.9), 0.75) == 0.25
    assert loss_of(item(0.9, answerable=False), 1.0) == 1.0
    assert loss_of(item(0.9, refused=True, answerable=False), 1.0) is None
    assert loss_of(item(0.9), None) is None


def test_a_run_that_refuses_all() -> None:
    said = selective([item(0.2, refused=True), item(0.9, refused=True)], [None, None])
    assert (said.answered, said.wrongly_refused, said.curve, said.aurc) == (0, 2, (), None)
    assert {(row.abstention_rate, row.faithfulness) for row in said.thresholds} == {(1.0, None)}
