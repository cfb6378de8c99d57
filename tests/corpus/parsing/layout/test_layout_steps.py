"""Test that twice as much on a crowded page takes about twice as many steps."""

import random
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from corpus.parsing.drafts import Draft
from corpus.parsing.geometry import PageCells, Rule, Word
from corpus.parsing.layout.doubts import ORDER_LOST
from corpus.parsing.layout.engine import MAX_WORDS, lay_out
from corpus.parsing.layout.ordering import Item, order_items
from corpus.parsing.layout.runs import link_runs, rows_of
from corpus.parsing.types import Box

SIZE = (595.0, 842.0)
ABOUT_TWICE = 2.6  # sorting and a few more neighbours stay below; quadratic steps grow by 4


def _steps(work: Callable[[int], object], size: int) -> int:
    """Count the executed lines of our code, each turn of a loop included."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace if "corpus" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work(size)
    finally:
        sys.settrace(before)
    return count


def _assert_linear(work: Callable[[int], object], count: int) -> None:
    once, twice, four = (_steps(work, n) for n in (count, 2 * count, 4 * count))
    assert twice <= ABOUT_TWICE * once, (once, twice, four)
    assert four <= ABOUT_TWICE * twice, (once, twice, four)


def _words(count: int, *texts: str) -> tuple[Word, ...]:
    texts = texts or ("w{}",)
    dice = random.Random(7)
    places = [(dice.uniform(5, 580), dice.uniform(5, 830)) for _ in range(count)]
    return tuple(
        Word(texts[at % len(texts)].format(at), (x, y, x + 8, y + 6), 6.0, place=at)
        for at, (x, y) in enumerate(places)
    )


def _rules(count: int) -> tuple[Rule, ...]:
    dice = random.Random(8)
    places = [(dice.uniform(5, 580), dice.uniform(5, 800)) for _ in range(count)]
    return tuple(Rule((x, y, x, y + 10)) for x, y in places)


def _frames(count: int) -> tuple[Box, ...]:
    dice = random.Random(9)
    places = [(dice.uniform(5, 500), dice.uniform(5, 700)) for _ in range(count)]
    return tuple((x, y, x + dice.uniform(5, 80), y + dice.uniform(5, 80)) for x, y in places)


def test_words_and_rules_are_linked_without_comparing_all() -> None:
    words, rules = _words(1_600), _rules(400)
    _assert_linear(lambda n: rows_of(link_runs(words[:n], rules[: n // 4])), 400)
    assert sum(len(run.words) for row in rows_of(link_runs(words, rules)) for run in row) == 1_600


def test_a_gutter_is_sought_in_one_sweep() -> None:
    items = [Item(at, word.box) for at, word in enumerate(_words(4_000))]
    _assert_linear(lambda n: order_items(items[:n]), 1_000)
    assert sum(map(len, order_items(items))) == len(items)


TEXTS = ("Figure {}: x", "(a) part {}", "Table {}: x", "w{}")


@pytest.mark.parametrize(
    "texts",
    [TEXTS, *(pytest.param((text,), marks=pytest.mark.exhaustive) for text in TEXTS)],
    ids=", ".join,
)
def test_captions_and_boxes_are_not_all_compared(texts: tuple[str, ...]) -> None:
    """One page with all of them in every run, a page for each in `make exhaustive`."""
    words, frames = _words(1_600, *texts), _frames(1_600)

    def read(n: int) -> object:
        page = PageCells(1, *SIZE, words[:n], drawn=frames[:n], frames=frames[:n])
        return lay_out([page])

    _assert_linear(read, 300)


def test_a_page_too_full_to_be_ordered_is_kept_and_doubted() -> None:
    words = _words(4 * MAX_WORDS)
    (drafts,) = lay_out([PageCells(1, *SIZE, words, _rules(900))]).pages
    assert drafts[0].doubts == (ORDER_LOST,)
    said = "".join(draft.text for draft in drafts if isinstance(draft, Draft))
    assert len(said.replace(" ", "")) == sum(len(word.text) for word in words)
