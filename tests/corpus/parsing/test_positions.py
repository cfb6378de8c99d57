"""Test the position of a span in a document without pages."""

from dataclasses import asdict

import pytest

from corpus.parsing.drafts import DraftTable, text_draft, write_page
from corpus.parsing.types import BlockKind, Cell, Page
from corpus.positions import place_words, positions_of

TABLE = DraftTable(
    tuple(
        Cell(row, column, text, is_header=row == 0)
        for row, cells in enumerate((("Age", "Dose"), ("1", "60 mg"), ("5", "120 mg")))
        for column, text in enumerate(cells)
    )
)
PAGE = write_page(
    Page(1, "", ()),
    [
        text_draft(BlockKind.PARAGRAPH, "Before all headings."),
        text_draft(BlockKind.HEADING, "Management", 1),
        text_draft(BlockKind.HEADING, "Dosing", 2),
        text_draft(BlockKind.PARAGRAPH, "Give it at once."),
        text_draft(BlockKind.LIST_ITEM, "By mouth."),
        TABLE,
        text_draft(BlockKind.LIST_ITEM, "By rectum."),
        text_draft(BlockKind.HEADING, "Harms", 2),
        text_draft(BlockKind.PARAGRAPH, "Rash."),
    ],
)
BLOCKS = [asdict(block) for block in PAGE.blocks]


def span(first: str, last: str = "") -> tuple[int, int]:
    last = last or first
    return PAGE.text.index(first), PAGE.text.index(last) + len(last)


@pytest.mark.parametrize(
    ("words", "position"),
    [
        (("Before all headings.",), "paragraph 1"),
        (("at once",), "paragraph 1"),
        (("Give it", "mouth."), "paragraphs 1 to 2"),
        (("By rectum.",), "paragraph 3"),
        (("Age | Dose",), "table 1"),
        (("5 | 120 mg",), "table 1, row 2"),
        (("1 | 60 mg", "5 | 120 mg"), "table 1, rows 1 to 2"),
        (("Management",), "heading"),
        (("Rash.",), "paragraph 1"),
    ],
)
def test_a_position_is_counted_below_its_heading(words: tuple[str, ...], position: str) -> None:
    assert positions_of(BLOCKS, [span(*words)]) == [position]


def test_outside_all_blocks_is_nowhere() -> None:
    assert positions_of([], [(0, 5)]) == [""]
    assert positions_of(BLOCKS, [(10_000, 10_001)]) == [""]


@pytest.mark.parametrize(
    ("section", "position", "words"),
    [
        ("Management › Dosing", "paragraph 12", "Management › Dosing, paragraph 12"),
        ("", "paragraph 12", "paragraph 12"),
        ("Management", "", "page 7, Management"),
        ("", "", "page 7"),
    ],
)
def test_a_place_is_told_by_heading_or_page(section: str, position: str, words: str) -> None:
    assert place_words(7, section, position) == words
