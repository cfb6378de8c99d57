"""A question and statements as the input of a small model, and the odds read from its scores."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpus.encoders.folders import bundled_folder
from corpus.encoders.pair_model import PairModel
from corpus.encoders.pairs import pair_tokenizer, statement_odds, windows_of
from corpus.encoders.types import EncoderUnusable
from tests.corpus.encoders.tiny_models import transformer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("body") / "tiny"
    return pair_tokenizer(transformer(folder, width=64, layers=3, spread=0.1))


def test_windows_hold_each_statement_once_in_order(tokenizer: Any) -> None:
    statements = ["two grams"] * 5 + ["the dose " * 40] + ["\u200b", "a b c"]
    windows = windows_of(tokenizer, "fever", statements, max_tokens=16)
    assert [p.statement for w in windows for p in w.pieces] == [0, 1, 2, 3, 4, 5, 7]
    assert max(len(w.tokens) for w in windows) == 16
    asked_first = [tokenizer.tokenizer.token_to_id(mark) for mark in ("[CLS]", "fever", "[SEP]")]
    for window in windows:
        assert list(window.tokens[: window.second_at]) == asked_first
        assert window.tokens[-1] == tokenizer.tokenizer.token_to_id("[SEP]")
        assert window.pieces[-1].end == len(window.tokens) - 1
    assert windows_of(tokenizer, "fever", []) == []


def test_the_bundled_tokenizer_leaves_the_cutting_to_the_windows() -> None:
    tokenizer = pair_tokenizer(bundled_folder())
    windows = windows_of(tokenizer, "Which dose?", ["one two three four five six " * 20] * 3)
    assert [len(window.tokens) for window in windows] == [246, 126]


def test_of_a_long_question_the_end_is_kept(tokenizer: Any) -> None:
    (window,) = windows_of(tokenizer, "a " * 200 + "dose", ["two"], max_tokens=32)
    assert window.tokens[window.second_at - 3 : window.second_at - 1] == tuple(
        tokenizer.encode(["a dose"])[0]
    )


def test_odds_are_the_mean_of_a_statement_against_none_of_them(tokenizer: Any) -> None:
    (window,) = windows_of(tokenizer, "fever", ["a", "b c", "d"])
    scores = np.zeros((len(window.tokens), 2), dtype=np.float32)
    scores[0, 1] = 0.5  # the score of "none of these"
    for piece, value in zip(window.pieces, (1.0, 2.0, 3.0), strict=True):
        scores[piece.start : piece.end, 0] = value
    assert statement_odds(window, scores) == pytest.approx({0: 0.5, 1: 1.5, 2: 2.5})


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EncoderUnusable, match="no readable model"):
        PairModel(tmp_path)
