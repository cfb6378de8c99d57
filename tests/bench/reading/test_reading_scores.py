"""Scores of readings, against scores that a person would give."""

from itertools import combinations

import pytest

from bench.reading.judging import Hits, judge
from bench.reading.matching import nearly_same, same_item
from bench.reading.parsed import blocks_of
from bench.reading.placing import count_inverted, places_of
from bench.reading.types import Block, Kind
from corpus.parsing.types import Block as ParsedBlock
from corpus.parsing.types import BlockKind, Page
from evaluation.metrics.statistics import interval_of_ratio
from tests.bench.reading.reading_pages import block, page, table

TEN = "one two three four five six seven eight nine ten"
DOSES = ("Weight | Dose", "Under 50 | 20 mg", "50 and over | 40 mg")


def test_shares_are_those_of_the_formulas() -> None:
    hits = Hits(found=6, true=8, said=12)
    precision, recall = 6 / 12, 6 / 8
    assert (hits.precision, hits.recall) == (precision, recall)
    assert (Hits().precision, Hits().recall) == (0, 0)


def test_a_page_that_was_read_as_it_is_has_no_fault() -> None:
    blocks = (
        block("heading", "1 Dose"),
        block("paragraph", "Give it under the skin, once a day."),
        table(*DOSES),
        block("list_item", "Stop it where platelets fall."),
        block("footnote", "Reassess every day."),
    )
    score = judge(page(*blocks, dropped=("Local guideline", "7")), blocks)
    words = 2 + 8 + 11 + 5 + 3
    assert (score.headings, score.items) == (Hits(1, 1, 1), Hits(1, 1, 1))
    assert score.cells == Hits(6, 6, 6)
    assert score.words == Hits(words, words, words)
    assert (score.placed, score.blocks) == (5, 5)
    assert (score.inverted, score.pairs) == (0, 5 * 4 / 2)
    assert (score.leaked, score.dropped) == (0, 2)


@pytest.mark.parametrize(
    ("said", "same"),
    [
        (TEN, True),
        (TEN.replace("five", "5"), True),
        (f"{TEN} eleven", True),
        (TEN.replace("five six", "5 6"), False),
        (TEN.replace(" ten", ""), True),
    ],
)
def test_one_word_in_ten_may_differ(said: str, same: bool) -> None:
    assert nearly_same(tuple(TEN.split()), tuple(said.split())) is same


def test_an_item_that_was_joined_to_another_or_cut_is_wrong() -> None:
    ends = f"{TEN} eleven", TEN.removesuffix(" ten")
    assert not [end for end in ends if same_item(tuple(TEN.split()), tuple(end.split()))]
    true = page(*(block("list_item", text) for text in ("Stop it.", "Wait a day.", "Call us.")))
    said = [block("list_item", "Stop it. Wait a day."), block("list_item", "Call us.")]
    assert judge(true, said).items == Hits(found=1, true=3, said=2)
    plain = [block("paragraph", text) for text in ("Stop it.", "Wait a day.", "Call us.")]
    assert judge(true, plain).items == Hits(found=0, true=3, said=0)


def test_a_cell_counts_in_its_own_row_and_column_only() -> None:
    swapped = table("Weight | Dose", "Under 50 | 40 mg", "50 and over | 20 mg")
    assert judge(page(table(*DOSES)), [swapped]).cells == Hits(found=4, true=6, said=6)
    shifted = table("| Weight | Dose", "Under 50 | | 20 mg", "| 50 and over | 40 mg")
    assert judge(page(table(*DOSES)), [shifted]).cells == Hits(found=1, true=6, said=6)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ([table(*DOSES), block("heading", "Give it twice.")], False),  # only its kind differs
        ([table(*DOSES), block("paragraph", "Give it twice. Page 7")], False),
        ([table(*DOSES[:2]), block("paragraph", "Give it twice.")], True),
        ([table(*DOSES, "100 | 60 mg"), block("paragraph", "Give it twice.")], True),
        ([table(*DOSES), block("paragraph", "Give it.")], True),
        ([], True),
    ],
)
def test_a_page_is_wrong_where_a_cell_or_a_word_is(said: list[Block], *, wrong: bool) -> None:
    true = page(table(*DOSES), block("paragraph", "Give it twice."))
    assert judge(true, said).is_wrong is wrong


def test_lines_of_a_list_of_contents_are_paragraphs() -> None:
    text = "1 Dose"
    read = Page(1, text, (ParsedBlock(BlockKind.CONTENTS, 0, len(text)),))
    assert [found.kind for found in blocks_of(read, b"key")] == [Kind.PARAGRAPH]


def test_a_table_that_was_read_as_text_and_one_that_is_none_count() -> None:
    flat = [block("paragraph", line.replace("|", " ")) for line in DOSES]
    assert judge(page(table(*DOSES)), flat).cells == Hits(0, 6, 0)
    assert judge(page(*flat), [table(*DOSES)]).cells == Hits(0, 0, 6)


def blocks_in(order: str) -> list[Block]:
    texts = {name: f"begin {name} {name}x {name}y end" for name in order}
    return [block("paragraph", texts[name]) for name in order]


@pytest.mark.parametrize("order", ["abcd", "acbd", "dcba", "badc", "abd", "cd"])
def test_pairs_the_other_way_round_are_counted(order: str) -> None:
    places = places_of(blocks_in("abcd"), blocks_in(order))
    turned = sum(one > other for one, other in combinations(order, 2))
    assert count_inverted(places) == (turned, len(order) * (len(order) - 1) / 2)
    assert [place is None for place in places] == [name not in order for name in "abcd"]


def test_an_interval_of_a_ratio_is_over_items_that_have_a_whole() -> None:
    found = interval_of_ratio([1, 3, 0], [2, 4, 0])
    assert found.n == 2
    assert found.mean == pytest.approx((1 + 3) / (2 + 4))
    assert [found.low, found.high] == pytest.approx([1 / 2, 3 / 4])
    assert interval_of_ratio([], []).n == interval_of_ratio([0], [0]).n == 0
