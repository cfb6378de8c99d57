"""Pages made to keep the reader busy: one page must not take minutes."""

from __future__ import annotations

import random
import time

from corpus.parsing.drafts import Draft
from corpus.parsing.geometry import PageCells, Rule, Word
from corpus.parsing.layout.doubts import ORDER_LOST
from corpus.parsing.layout.engine import MAX_WORDS, lay_out
from corpus.parsing.layout.ordering import Item, order_items
from corpus.parsing.layout.runs import link_runs, rows_of

SIZE = (595.0, 842.0)
ENOUGH = 20.0  # seconds of a busy machine; each took minutes


def _words(count: int) -> tuple[Word, ...]:
    dice = random.Random(7)
    places = [(dice.uniform(5, 580), dice.uniform(5, 830)) for _ in range(count)]
    return tuple(
        Word(f"w{at}", (x, y, x + 8, y + 6), 6.0, place=at) for at, (x, y) in enumerate(places)
    )


def _rules(count: int) -> tuple[Rule, ...]:
    dice = random.Random(8)
    places = [(dice.uniform(5, 580), dice.uniform(5, 800)) for _ in range(count)]
    return tuple(Rule((x, y, x, y + 10)) for x, y in places)


def test_words_and_rules_are_linked_without_comparing_all() -> None:
    start = time.process_time()
    runs = link_runs(_words(40_000), _rules(10_000))
    rows = rows_of(runs)
    assert time.process_time() - start < ENOUGH
    assert sum(len(run.words) for row in rows for run in row) == 40_000


def test_a_gutter_is_sought_in_one_sweep() -> None:
    start = time.process_time()
    items = [Item(at, word.box) for at, word in enumerate(_words(20_000))]
    assert sum(map(len, order_items(items))) == len(items)
    assert time.process_time() - start < ENOUGH


def test_a_page_too_full_to_be_ordered_is_kept_and_doubted() -> None:
    words = _words(4 * MAX_WORDS)
    start = time.process_time()
    (drafts,) = lay_out([PageCells(1, *SIZE, words, _rules(900))]).pages
    assert time.process_time() - start < ENOUGH
    assert drafts[0].doubts == (ORDER_LOST,)
    said = "".join(draft.text for draft in drafts if isinstance(draft, Draft))
    assert len(said.replace(" ", "")) == sum(len(word.text) for word in words)
