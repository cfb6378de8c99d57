"""Cut passages as windows of words that slide by a stride: usual chunk sizes, for comparison."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from bench.runs.bulk_load import Cut
from bench.runs.configurations import Window
from corpus.chunking import ChunkDraft, CountTokens, context_line
from corpus.chunking.types import Source
from corpus.parsing.types import Page

_WORD = re.compile(r"\S+")


def cut_by(window: Window) -> Cut:
    """Return a function that cuts a page into windows of whole words, with the title as context.

    Sizes are in tokens of the text alone, without the title. An encoder that reads fewer tokens
    ignores the end of a window, which lexical search still finds.
    """

    def cut(page: Page, *, title: str, sha256: str, count_tokens: CountTokens) -> list[ChunkDraft]:
        source = Source({page.number: page.text}, sha256, count_tokens)
        context = context_line(title, (), "", count_tokens)
        words = list(_WORD.finditer(page.text))
        sizes = [count_tokens(word.group()) for word in words]
        return [
            source.draft(
                ((page.number, words[first].start(), words[stop - 1].end()),),
                index=index,
                context=context,
            )
            for index, (first, stop) in enumerate(windows_of(sizes, window))
        ]

    return cut


def windows_of(sizes: Sequence[int], window: Window) -> Iterator[tuple[int, int]]:
    """Yield each window as the index of its first word and the index after its last; never empty.

    `sizes` are the words' tokens. The last window is the first that reaches the end.
    """
    begins = list(accumulate(sizes, initial=0))  # of each word, and of the end
    first = 0
    while first < len(sizes):
        stop = max(first + 1, bisect_right(begins, begins[first] + window.tokens) - 1)
        yield first, stop
        if stop == len(sizes):
            return
        first = min(stop, max(first + 1, bisect_left(begins, begins[first] + window.stride)))
