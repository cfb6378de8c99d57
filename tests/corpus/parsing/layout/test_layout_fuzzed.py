"""Test random pages: the layout engine must not fail, and no word may vanish."""

import random
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from corpus.parsing.drafts import Draft, DraftTable
from corpus.parsing.geometry import PageCells, Rule, Word
from corpus.parsing.layout import engine
from corpus.parsing.layout.doubts import ORDER_LOST
from corpus.parsing.layout.engine import LaidOut, _page_parts, _prepared, lay_out
from corpus.parsing.layout.styles import measure
from corpus.parsing.types import Box, Doubt

WORDS = (
    "5 mg daily 1.2.4 Offer • – Table 3 (a) adults: [2019] ≥ 65 If the A. o 10. Children".split()
)
SIZE = (595.0, 842.0)
SEEDS = range(150)


def _box(dice: random.Random, wide: float, tall: float) -> Box:
    x, y = dice.uniform(0, SIZE[0]), dice.uniform(0, SIZE[1])
    return (x, y, x + dice.choice([0, 0.1, wide]), y + dice.choice([0, tall, tall]))


def _aligned(dice: random.Random, count: int) -> list[Box]:
    """Return boxes on a coarse grid, which makes rows, columns and equal places."""
    step = dice.choice([8, 14, 40])
    boxes = []
    for _ in range(count):
        x, y = step * dice.randrange(2, 14), 12 * dice.randrange(3, 60)
        boxes.append((x, y, x + dice.choice([3, 10, 60, 200]), y + 10))
    return [(float(a), float(b), float(c), float(d)) for a, b, c, d in boxes]


def _page(dice: random.Random, number: int, *, depth: int = 0) -> PageCells:
    count = dice.choice([0, 1, 2, 7, 40, 120])
    boxes = (
        _aligned(dice, count) if dice.random() < 0.7 else [_box(dice, 30, 10) for _ in range(count)]
    )
    words = tuple(
        Word(
            f"{dice.choice(WORDS)}{number}x{at}" if dice.random() < 0.5 else dice.choice(WORDS),
            box,
            dice.choice([1.0, 8.0, 10.0, 10.0, 10.0, 18.0]),
            dice.random() < 0.2,
            dice.choice(["", "Sans", "Serif"]),
            dice.choice([-1, at]),
        )
        for at, box in enumerate(boxes)
    )
    lines = [
        _box(dice, dice.choice([0.5, 300]), dice.choice([0.5, 300]))
        for _ in range(dice.choice([0, 3, 25]))
    ]
    frames = tuple(_box(dice, 150, 60) for _ in range(dice.choice([0, 2, 20])))
    insets = () if depth else (_page(dice, number, depth=1),)
    return PageCells(
        number,
        *SIZE,
        words,
        tuple(map(Rule, lines)),
        drawn=(*frames, *lines),
        frames=frames,
        insets=insets,
    )


def _texts(found: LaidOut) -> str:
    parts = []
    for draft in (draft for page in found.pages for draft in page):
        cells = draft.cells if isinstance(draft, DraftTable) else ()
        parts += [cell.text for cell in cells] if isinstance(draft, DraftTable) else [draft.text]
    return unicodedata.normalize("NFKC", " ".join(parts))  # raised marks are words too


@pytest.mark.parametrize("seed", SEEDS)
def test_no_page_is_too_odd(seed: int) -> None:
    dice = random.Random(seed)
    pages = [_page(dice, number) for number in range(1, dice.choice([2, 4]))]

    for page in pages:
        _page_parts(page, measure([page]))  # the engine itself, not its fallback
        assert _prepared(page)
    found = lay_out(pages)

    assert len(found.pages) == len(pages)
    assert found == lay_out(pages)
    told = Counter(w.text for p in pages for c in (p, *p.insets) for w in c.words if "x" in w.text)
    text = _texts(found)
    lost = [name for name in told if name not in text]
    dropped = [w for w in lost if not _is_marginal(w, pages)]
    assert not dropped


@pytest.mark.parametrize(
    "steps", [("_settled",), ("running_words",), ("_page_parts",), ("link_runs", "lines_of")]
)
def test_a_page_that_fails_costs_its_order_alone(
    steps: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever step fails, even the joining of words to lines."""
    pages = [_page(random.Random(seed), seed) for seed in (3, 4, 5)]
    bad = {id(word) for cells in (pages[1], *pages[1].insets) for word in cells.words}

    def fail(own: Callable[..., Any], looked_at: Any, *rest: Any) -> Any:
        pages = looked_at if isinstance(looked_at, list) else [looked_at]
        words = looked_at if isinstance(looked_at, tuple) else [w for p in pages for w in p.words]
        if any(id(word) in bad for word in words):
            raise IndexError("a defect")
        return own(looked_at, *rest)

    for step in steps:
        monkeypatch.setattr(engine, step, partial(fail, getattr(engine, step)))
    found = lay_out(pages)

    assert [ORDER_LOST in doubts for doubts in map(_doubts, found.pages)] == [False, True, False]
    said = _texts(found)
    assert all(w.text in said for w in pages[1].words if "x" in w.text)


def _doubts(page: tuple[Draft | DraftTable, ...]) -> list[Doubt]:
    return [doubt for draft in page for doubt in draft.doubts]


def _is_marginal(text: str, pages: list[PageCells]) -> bool:
    """Tell whether a word is in the margin, where running headers and footers are left out."""
    places = [w.box[1] for p in pages for c in (p, *p.insets) for w in c.words if w.text == text]
    return any(not 0.12 * SIZE[1] + 12 < y < 0.88 * SIZE[1] - 12 for y in places)
