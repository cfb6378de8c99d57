"""Where a quote stands in a text, and on which pages that is. Pure.

A quote is compared by its words, numbers and signs: spaces, dashes, bars, bullets and case are
nothing, and it may leave out some of the text's words or have a few that are not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from chat.verification.texts import placed_tokens, tokens
from retrieval.types import Span

Range = tuple[int, int]  # half-open
NEARLY_ALL = 0.9  # of a quote's words, that the text has in order
SPREAD = 2.0  # times as many words as the quote, in which they stand at most
SPARE = 12  # words more than that, for the cells that a short quote leaves out


def located(quote: str, text: str) -> tuple[Range, ...]:
    """Ranges of `text` that the quote stands for, in order; none for one without words.

    All where it stands word for word; else the one that has nearly all of its words, in order, and
    each of its numbers.
    """
    wanted, found = tokens(quote), placed_tokens(text)
    if not wanted:
        return ()
    words = [word for word, _, _ in found]
    exact = [start for start in range(len(words)) if words[start : start + len(wanted)] == wanted]
    if exact:
        return tuple((found[at][1], found[at + len(wanted) - 1][2]) for at in exact)
    nearest = _nearest(wanted, words)
    return ((found[nearest[0]][1], found[nearest[1] - 1][2]),) if nearest else ()


def page_ranges(spans: Sequence[Span], found: Range) -> tuple[tuple[int, int, int], ...]:
    """Return `(page, start, end)` of a range of a passage, one for each span that it touches."""
    ranges = []
    for span in spans:
        start = max(found[0], span.offset)
        end = min(found[1], span.offset + span.end - span.start)
        if start < end:
            shift = span.start - span.offset
            ranges.append((span.page, start + shift, end + shift))
    return tuple(ranges)


def _nearest(wanted: Sequence[str], words: Sequence[str]) -> Range | None:
    """Return the shortest run with nearly all of the wanted words; the first of equals."""
    width = int(len(wanted) * SPREAD) + SPARE
    best: tuple[float, int, Range] | None = None
    for start, stop in _windows(wanted, words, width):
        matcher = SequenceMatcher(None, wanted, words[start:stop], autojunk=False)
        matched = [
            (block.a + n, block.b + n)
            for block in matcher.get_matching_blocks()
            for n in range(block.size)
        ]
        share = len(matched) / len(wanted)
        missing = set(range(len(wanted))) - {place for place, _ in matched}
        if share < NEARLY_ALL or any(wanted[place][0].isdigit() for place in missing):
            continue
        run = (start + matched[0][1], start + matched[-1][1] + 1)
        candidate = (share, run[0] - run[1], run)
        if best is None or candidate[:2] > best[:2]:
            best = candidate
    return best[2] if best else None


def _windows(wanted: Sequence[str], words: Sequence[str], width: int) -> Iterator[Range]:
    """Run of `width` words that begin where a word does that begins the quote, or nearly."""
    openers = set(wanted[:3])
    last = -width
    for start, word in enumerate(words):
        if word in openers and start - last >= 1:
            last = start
            yield start, min(len(words), start + width)
