"""Where a quote stands in a text, and on which pages that is. Pure.

White space and Unicode forms are levelled as in `chat.verification.texts.normalised`, nothing else.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Iterator, Sequence

from chat.verification.texts import normalised
from retrieval.types import Span

Range = tuple[int, int]  # half-open


def occurrences(quote: str, text: str) -> tuple[Range, ...]:
    """Ranges of `text` that read as the quote, in order; none for a blank one.

    A quote that begins or ends inside a word or a number is not there: `5 mg` is not in `15 mg`.
    """
    needle = normalised(quote)
    if not needle:
        return ()
    words = [(match.start(), match.group()) for match in re.finditer(r"\S+", text)]
    levelled, begins = _levelled([word for _, word in words])
    found = []
    for start in _positions(needle, levelled):
        end = start + len(needle)
        if _is_whole(levelled, start, end):
            first, last = (bisect.bisect_right(begins, at) - 1 for at in (start, end - 1))
            found.append(
                (
                    _outer(words[first], start - begins[first], is_end=False),
                    _outer(words[last], end - begins[last], is_end=True),
                )
            )
    return tuple(found)


def page_ranges(spans: Sequence[Span], found: Range) -> tuple[tuple[int, int, int], ...]:
    """`(page, start, end)` of a range of a passage's text, one for each span that it touches."""
    ranges = []
    for span in spans:
        start = max(found[0], span.offset)
        end = min(found[1], span.offset + span.end - span.start)
        if start < end:
            shift = span.start - span.offset
            ranges.append((span.page, start + shift, end + shift))
    return tuple(ranges)


def _levelled(words: Sequence[str]) -> tuple[str, list[int]]:
    """The words in NFC with a space between them, and where each begins."""
    composed = [unicodedata.normalize("NFC", word) for word in words]
    begins, at = [], 0
    for word in composed:
        begins.append(at)
        at += len(word) + 1
    return " ".join(composed), begins


def _positions(needle: str, text: str) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1)


def _is_whole(text: str, start: int, end: int) -> bool:
    return not (_is_joined(text, start) or _is_joined(text, end))


def _is_joined(text: str, at: int) -> bool:
    """Whether a word or a number goes on over this place."""
    before, after = text[max(0, at - 1) : at], text[at : at + 1]
    if after and unicodedata.combining(after):
        return True
    if before.isalnum() and after.isalnum():
        return True
    number = text[max(0, at - 2) : at + 2]
    return bool(re.search(r"\d[.,]\d", number))


def _outer(word: tuple[int, str], inside: int, *, is_end: bool) -> int:
    """The place in the text; the word's own end where composing it has moved its letters."""
    start, text = word
    if unicodedata.normalize("NFC", text) == text:
        return start + inside
    return start + len(text) if is_end else start
