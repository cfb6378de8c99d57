"""A mean of the items that a judge happened to judge is not shown as that of all."""

import pytest

from evaluation.question_runs.card_words import card_sentence, measure_rows
from evaluation.question_runs.result_card import Row, card_of, read_card

NAME = "ragas_faithfulness"


def row(why: str = "") -> Row:
    scores = {"answered": 1.0} if why else {"answered": 1.0, NAME: 1.0}
    return Row(scores, "uncompared", 1, 0, {NAME: why} if why else {})


@pytest.mark.parametrize("why", ["failed: the judge took too long", "not run: no judge"])
def test_a_mean_with_gaps_says_how_many_were_judged(why: str) -> None:
    card = card_of([row()] * 5 + [row(why=why)] * 5, {"done": 10})
    (cells,) = [cells for cells in measure_rows(read_card(card.as_json())) if "RAGAS" in cells[0]]
    assert (cells[0], cells[1], cells[3]) == (
        "RAGAS faithfulness, of those judged", "1.0000", "5 of 10"
    )  # fmt: skip
    assert "RAGAS faithfulness 1.00 (only 5 of 10 were judged)" in card_sentence(card)


def test_an_item_that_has_no_value_is_no_gap() -> None:
    card = card_of([row()] * 5 + [row(why="the question was refused")] * 5, {"done": 10})
    (cells,) = [cells for cells in measure_rows(card) if "RAGAS" in cells[0]]
    assert (cells[0], cells[3]) == ("RAGAS faithfulness", "5")
    assert "RAGAS faithfulness 1.00." in card_sentence(card)
