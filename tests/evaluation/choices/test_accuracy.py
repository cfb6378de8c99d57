"""Accuracy with retrieval, of the model alone, and their difference, computed by hand."""

from dataclasses import asdict

import pytest

from evaluation.choices.accuracy import (
    ALONE,
    FAILED,
    WITH,
    Labelled,
    accuracy_lines,
    read_accuracies,
    set_accuracies,
)


def item(
    part: str, retrieved: float | None, alone: float | None, *, failed: bool = False
) -> Labelled:
    known = {WITH: retrieved, ALONE: alone, FAILED: float(failed)}
    return Labelled(part, {name: value for name, value in known.items() if value is not None})


def test_two_sets_with_their_difference() -> None:
    """medqa: 3 of 4 with retrieval, 1 of 4 alone; mmlu: 1 of 2 and 2 of 2."""
    medqa = [item("medqa", a, b) for a, b in [(1, 1), (1, 0), (1, 0), (0, 0)]]
    mmlu = [item("mmlu", a, b) for a, b in [(1, 1), (0, 1)]]
    whole, first, second = set_accuracies([*medqa, *mmlu])
    assert (whole.name, first.name, second.name) == ("all", "medqa", "mmlu")
    assert whole.alone
    assert first.alone
    assert second.alone
    assert (whole.with_retrieval.mean, whole.alone.mean) == pytest.approx((4 / 6, 3 / 6))
    assert (first.with_retrieval.mean, first.alone.mean) == pytest.approx((3 / 4, 1 / 4))
    assert (second.with_retrieval.mean, second.alone.mean) == pytest.approx((1 / 2, 1))
    differences = [each.difference.mean for each in (whole, first, second) if each.difference]
    assert differences == pytest.approx([1 / 6, 2 / 4, -1 / 2])
    assert whole.difference
    assert (whole.difference.better, whole.difference.worse, whole.difference.n) == (2, 1, 6)
    assert whole.difference.low < 0 < whole.difference.high
    assert [each.left_out for each in (whole, first, second)] == [0, 0, 0]


def test_a_refusal_is_wrong_and_what_failed_is_in_neither() -> None:
    """Items: both right; a refusal (0) and right; a failure; no reply of the model; no label."""
    (whole,) = set_accuracies(
        [
            item("", 1, 1),
            item("", 0, 1),
            item("", 0, 1, failed=True),
            item("", 1, None),
            item("", None, 0),
        ]
    )
    assert whole.alone
    assert whole.difference
    assert (whole.with_retrieval.mean, whole.alone.mean) == pytest.approx((1 / 2, 2 / 2))
    assert whole.difference.mean == pytest.approx(-1 / 2)
    assert whole.difference.n == 2
    assert whole.left_out == 3


def test_ties_have_no_difference_and_nothing_has_no_figure() -> None:
    (tied,) = set_accuracies([item("", 1, 1), item("", 0, 0)])
    assert tied.difference
    assert (tied.difference.mean, tied.difference.low, tied.difference.high) == (0, 0, 0)
    assert tied.difference.p == 1
    assert set_accuracies([]) == ()
    whole, none, _ = set_accuracies([item("a", 1, None), item("b", 1, 1)])
    assert (none.name, none.with_retrieval.n, none.left_out) == ("a", 0, 1)
    assert none.cells == ("a", "-", "-", "-", "-", "-", "0", "1")
    assert whole.left_out == 1


def test_without_the_model_alone_every_answer_counts() -> None:
    (whole,) = set_accuracies(
        [item("", 1, None), item("", 0, None), item("", 0, None, failed=True)]
    )
    assert whole.with_retrieval.mean == pytest.approx(1 / 2)
    assert whole.with_retrieval.n == 2
    assert (whole.alone, whole.difference, whole.left_out) == (None, None, 1)
    assert whole.cells[1:6] == ("0.5000", "-", "-", "-", "-")


def test_it_is_stored_and_written_down() -> None:
    found = set_accuracies([item("a", 1, 0), item("b", 1, 1)])
    assert read_accuracies([asdict(each) for each in found]) == found
    lines = list(accuracy_lines(found))
    assert lines[0].startswith("| set | with retrieval | model alone | difference |")
    assert lines[2].startswith("| all | 1.0000 | 0.5000 | +0.5000 |")
    assert list(accuracy_lines(())) == []
