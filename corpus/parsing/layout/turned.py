"""Words that run in another direction than their page: labels of a table, or a part by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from corpus.parsing.geometry import PageCells, Word, contains, middle, upright
from corpus.parsing.layout.runs import link_runs
from corpus.parsing.types import Box, Doubt

TURNED = Doubt(
    "text_turned",
    "This text runs in another direction than its page and was read after it. Check where it "
    "belongs.",
)


def settle(page: PageCells, tables: Sequence[Box]) -> PageCells:
    """Return a page whose turned labels in ruled `tables` are words of it, a line as one word."""
    labels: list[Word] = []
    insets: list[PageCells] = []
    for inset in page.insets:
        runs = [
            (run, upright(inset.displayed(run.box), page.displayed_size, page.turn))
            for run in link_runs(inset.words)
        ]
        inside = [(run, box) for run, box in runs if any(contains(t, middle(box)) for t in tables)]
        labels += [
            Word(run.text, box, run.size, run.bold, run.words[0].font) for run, box in inside
        ]
        left = {id(word) for run, _ in inside for word in run.words}
        words = tuple(word for word in inset.words if id(word) not in left)
        insets += [replace(inset, words=words)] if words else []
    return replace(page, words=(*page.words, *labels), insets=tuple(insets))
