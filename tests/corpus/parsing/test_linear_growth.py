"""Test the steps of reading and cutting at n, 2n and 4n.

A step is a Python instruction, or a character given to the tokenizer. The cost of one call of C is
not seen here: `bad_files` has files whose words are glued together or never end, which are read
under a limit of CPU time.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from core.language.en.sentences import sentence_spans
from core.language.en.statements.meaning import meaning_label
from corpus.chunking import ChunkSettings, split
from corpus.parsing import sniff
from corpus.parsing.drafts import text_draft, write_page
from corpus.parsing.geometry import PageCells, Word
from corpus.parsing.layout.engine import MAX_WORDS, lay_out
from corpus.parsing.layout.joining import Vocabulary
from corpus.parsing.registry import Request, parse_file
from corpus.parsing.selfcheck.areas import Area, words_by_area
from corpus.parsing.selfcheck.printed import PrintedWord
from corpus.parsing.types import Block, BlockKind, Page
from corpus.positions import positions_of
from corpus.review.versions import signature

WORDS = "give gentamicin five mg per kilogram once daily and check its level".split()
MOST_GROWTH = 2.35  # from n to 2n: n log n is the most for any step
Work = Callable[[], object]


class Steps:
    """Count steps within a `with` block."""

    def __init__(self) -> None:
        self.count = 0

    def tokens(self, text: str) -> int:
        self.count += len(text)
        return len(text.split())

    def __enter__(self) -> Steps:
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, _: Any) -> Any:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._stepped

    def _stepped(self, frame: FrameType, event: str, _: Any) -> Any:
        self.count += event == "opcode"
        return self._stepped


def steps_of(make: Callable[[int, Steps], Work], n: int) -> int:
    counter = Steps()
    work = make(n, counter)
    with counter:
        work()
    return counter.count


def words(count: int) -> str:
    dice = random.Random(count)
    return " ".join(dice.choice(WORDS) for _ in range(count))


def page_of(*texts: str, kind: BlockKind = BlockKind.PARAGRAPH, number: int = 1) -> Page:
    return write_page(Page(number, "", (), 0.0, 0.0), [text_draft(kind, text) for text in texts])


def table_page(rows: int) -> Page:
    cells = "".join(f"<tr><td>drug {n}<td>{n} mg" for n in range(rows))
    return parsed("html", f"<h1>Doses</h1><table>{cells}</table>")()


_FOLDER: list[Path] = []


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> None:
    _FOLDER[:] = [tmp_path]


def parsed(extension: str, text: str) -> Callable[[], Page]:
    path = _FOLDER[0] / f"made.{extension}"
    path.write_text(text, encoding="utf-8")
    media_type = sniff.media_type_of(path, path.name)
    request = Request(path, media_type, _FOLDER[0], 1_000, lambda done, total: None)
    return lambda: parse_file(request).pages[0]


def cut(pages: tuple[Page, ...], steps: Steps) -> Work:
    return lambda: split(
        pages,
        title="Guide",
        population="adults",
        sha256="f" * 64,
        settings=ChunkSettings(),
        count_tokens=steps.tokens,
    )


def over_pages(n: int) -> tuple[Page, ...]:
    """Return a sentence that goes on over all pages."""
    pages = [page_of(words(20), number=number) for number in range(1, n + 1)]
    return tuple(
        Page(
            number=page.number,
            text=page.text,
            blocks=tuple(
                Block(block.kind, block.start, block.end, continues=page.number > 1)
                for block in page.blocks
            ),
        )
        for page in pages
    )


def headed(n: int) -> tuple[Page, ...]:
    """Return a heading of n words above n sections."""
    drafts = [text_draft(BlockKind.HEADING, words(n), 1)]
    for number in range(n):
        drafts.append(text_draft(BlockKind.HEADING, f"Part {number}", 2))
        drafts.append(text_draft(BlockKind.PARAGRAPH, "Give it."))
    return (write_page(Page(1, "", (), 0.0, 0.0), drafts),)


def positions(page: Page, size: int) -> Work:
    blocks = [asdict(block) for block in page.blocks]
    spans = [(at, min(at + size, len(page.text))) for at in range(0, len(page.text), size)]
    return lambda: positions_of(blocks, spans)


def printed(n: int, *, spread: bool) -> Work:
    dice = random.Random(n)
    side = int(n**0.5) + 1
    areas, here = [], []
    for at in range(n):
        x, y = (at % side * 9.0, at // side * 3.0) if spread else (dice.random(), dice.random())
        box = (x, y, x + 8.0, y + 2.0)
        areas.append(Area(0, "w", box, False))
        here.append(PrintedWord("w", box))
    return lambda: words_by_area(areas, here)


def crowded(n: int) -> Work:
    dice = random.Random(n)
    count = MAX_WORDS + n
    places = [(dice.uniform(5, 580), dice.uniform(5, 830)) for _ in range(count)]
    made = tuple(
        Word(f"w{at}", (x, y, x + 3, y + 2), 2.0, place=at) for at, (x, y) in enumerate(places)
    )
    return lambda: lay_out([PageCells(1, 595.0, 842.0, made, ())])


STAGES: dict[str, tuple[int, Callable[[int, Steps], Work]]] = {
    "a text of one line": (400, lambda n, _: parsed("txt", words(n))),
    "a text of lines": (200, lambda n, _: parsed("txt", "\n".join(["word"] * n))),
    "a page of paragraphs": (100, lambda n, _: parsed("html", "<p>word" * n)),
    "a page of items": (100, lambda n, _: parsed("html", "<html><ol>" + "<li>word" * n)),
    "a column of cells": (50, lambda n, _: parsed("html", "<table>" + "<tr><td>a<td>b" * n)),
    "a row of cells": (100, lambda n, _: parsed("html", "<table><tr>" + "<td>a" * n)),
    "tables": (25, lambda n, _: parsed("html", "<table><tr><td>a<td>b</table>" * n)),
    "tables in a cell": (
        25,
        lambda n, _: parsed("html", "<table><tr><td>x<td>" + "<table><tr><td>a<td>b</table>" * n),
    ),
    "rows of Markdown": (25, lambda n, _: parsed("md", "|a|b|\n|-|-|\n" + "|x|y|\n" * n)),
    "sections": (50, lambda n, _: parsed("html", "<h2>A</h2><p>b" * n)),
    "sentences": (400, lambda n, _: partial(sentence_spans, "Give it. " * n)),
    "full stops": (400, lambda n, _: partial(sentence_spans, "w. " * n)),
    "cutting one line": (2_000, lambda n, steps: cut((page_of(words(n)),), steps)),
    "cutting sentences": (400, lambda n, steps: cut((page_of("Give it now. " * n),), steps)),
    "cutting paragraphs": (200, lambda n, steps: cut((page_of(*[words(9)] * n),), steps)),
    "cutting a word without an end": (40_000, lambda n, steps: cut((page_of("x" * n),), steps)),
    "cutting rows": (200, lambda n, steps: cut((table_page(n),), steps)),
    "cutting over pages": (50, lambda n, steps: cut(over_pages(n), steps)),
    "cutting below a long heading": (100, lambda n, steps: cut(headed(n), steps)),
    "positions among rows": (200, lambda n, _: positions(table_page(n), 40)),
    "positions among paragraphs": (300, lambda n, _: positions(page_of(*["word"] * n), 20)),
    "positions in a paragraph": (300, lambda n, _: positions(page_of(words(9 * n)), 40)),
    "labels": (400, lambda n, _: partial(meaning_label, words(n))),
    "signatures": (400, lambda n, _: partial(signature, [words(n)])),
    "lines side by side": (300, lambda n, _: printed(n, spread=True)),
    "lines over each other": (100, lambda n, _: printed(n, spread=False)),
    "lines of a vocabulary": (300, lambda n, _: partial(Vocabulary, ["well-known"] * n)),
}


# Slow stages: in `make exhaustive`, n is so many times as large.
LONGER = dict.fromkeys(
    ("a column of cells", "a row of cells", "tables", "tables in a cell", "rows of Markdown"), 2
) | {"sections": 2, "cutting below a long heading": 4}


@pytest.mark.parametrize(
    ("stage", "times"),
    [
        *(pytest.param(stage, 1, id=stage) for stage in STAGES),
        *(pytest.param(*longer, marks=pytest.mark.exhaustive) for longer in LONGER.items()),
    ],
)
def test_a_stage_takes_steps_in_proportion_to_what_it_is_given(stage: str, times: int) -> None:
    n, make = STAGES[stage]
    n *= times
    once, twice, four_times = (steps_of(make, factor * n) for factor in (1, 2, 4))
    assert once > n / 2  # steps were counted at all
    assert twice < MOST_GROWTH * once, (once, twice, four_times)
    assert four_times < MOST_GROWTH * twice, (once, twice, four_times)


def test_no_text_is_given_to_the_tokenizer_more_than_a_few_times() -> None:
    """Once for each halving would be more, the longer a line is."""
    given = 0

    def count(text: str) -> int:
        nonlocal given
        given += len(text)
        return len(text.split())

    page = page_of(words(100_000))
    found = split(
        (page,),
        title="Guide",
        population="adults",
        sha256="f" * 64,
        settings=ChunkSettings(),
        count_tokens=count,
    )
    assert "".join(draft.text for draft in found).replace(" ", "") == page.text.replace(" ", "")
    assert given < 6 * len(page.text)


@pytest.mark.exhaustive
def test_a_page_with_too_many_words_is_laid_out_in_proportion_to_them() -> None:
    few, many = (steps_of(lambda n, _: crowded(n), extra) for extra in (1, MAX_WORDS + 2))
    assert many < MOST_GROWTH * few, (few, many)


def test_what_is_counted_grows_where_the_work_does() -> None:
    def comparing_all(n: int, _: Steps) -> Work:
        return lambda: [a < b for a in range(n) for b in range(n)]

    assert steps_of(comparing_all, 200) > 3 * steps_of(comparing_all, 100)
