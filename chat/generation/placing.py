"""A language model's citation to the quotes of exact page text that it stands for.

What the model quotes must stand in the passage verbatim. What is then cited is the whole sentence,
list item or table row around it, and what that depends on: a quote that leaves out the `not` before
it, or half of a number, brings them back, so that the guards see them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chat.evidence.leads import binds_to_before, leans_on_before
from chat.evidence.page_views import one_line
from chat.generation.locating import Range, occurrences, page_ranges
from chat.types import Quote, Unit, Unplaced
from chat.verification.texts import normalised
from core.text.sentences import sentence_spans
from retrieval.types import Hit

MIN_WORDS = 3  # of a quote that is no whole sentence, item or row
MAX_SENTENCES = 3  # of one citation; more would bear out whatever is put together from them
MAX_ROWS = 1
MAX_KEPT_CHARS = 300  # of what can't be placed, for the trace
CELLS = " | "  # between the cells of a row

UNKNOWN_KEY = "unknown passage"
NOT_THERE = "quote not in the passage"
NO_STATEMENT = "quote holds no whole statement"
CUT = "part of the quote is of no whole statement"
TOO_SHORT = "quote too short"
TOO_LONG = "quote runs over several statements"
AMBIGUOUS = "quote stands in several places"


@dataclass(frozen=True)
class Shown:
    """The passages that a language model was shown."""

    hits: Mapping[str, Hit]  # by the opaque key
    units: Mapping[str, Sequence[Unit]]  # what can be quoted of each, by the hit's own key


@dataclass(frozen=True)
class Placed:
    """What a citation rests on: first the statements that it touches, then what these depend on."""

    quotes: tuple[Quote, ...]
    # The first of the quotes as it can be read alone, with what it depends on around it, such as
    # its lead or the labels of its row; empty where the citation touches several statements.
    alone: str = ""


def placed(key: str, quote: str, shown: Shown) -> Placed | Unplaced:
    """A citation where it stands.

    One that stands in places which say different things is not placed; of places that say the
    same, the first counts. No letter of it is left out: each stands in a statement or in what that
    depends on. Of a table whose ranges decide which row answers, only that row can be cited.
    """
    hit = shown.hits.get(key)
    if hit is None:
        return _unplaced(key, quote, UNKNOWN_KEY)
    found = occurrences(quote, hit.text)
    if not found:
        return _unplaced(key, quote, NOT_THERE)
    places = [touched for at in found if (touched := _touched(hit, at, shown.units[hit.key]))]
    if why := _fault(quote, places):
        return _unplaced(key, quote, why)
    if not all(_is_covered(hit, at, shown.units[hit.key]) for at in found):
        return _unplaced(key, quote, CUT)
    first = [whole for _, whole in places[0]]
    further = [part for unit, _ in places[0] for part in unit.quotes[1:]]
    alone = _alone(*places[0][0]) if len(places[0]) == 1 else ""
    return Placed(tuple(dict.fromkeys([*first, *further])), alone)


def nearness(quotes: Sequence[Quote], claim: str) -> int:
    """How many of a claim's words the first quote holds: the nearest citation is to go first."""
    return len(_words(claim) & _words(quotes[0].text))


def _touched(hit: Hit, at: Range, units: Sequence[Unit]) -> list[tuple[Unit, Quote]]:
    """The units that a range of the passage runs into, each with its sentences or its row."""
    return [
        (unit, _sentences(unit.quotes[0], start, end))
        for page, start, end in page_ranges(hit.spans, at)
        for unit in units
        if unit.quotes[0].page == page and unit.quotes[0].start < end and start < unit.quotes[0].end
    ]


def _alone(unit: Unit, whole: Quote) -> str:
    """A unit as it is shown, with no more of its sentences than `whole`."""
    said = one_line(unit.quotes[0].text)
    if whole == unit.quotes[0] or not unit.text.endswith(said):
        return unit.text
    return unit.text.removesuffix(said) + one_line(whole.text)


def _is_covered(hit: Hit, at: Range, units: Sequence[Unit]) -> bool:
    """Whether each letter of a range stands in the units that it runs into."""
    quotes = [part for unit, _ in _touched(hit, at, units) for part in unit.quotes]
    for page, start, end in page_ranges(hit.spans, at):
        here = [(part.start, part.end) for part in quotes if part.page == page]
        shift = _shift(hit, page, start)
        for place in range(start, end):
            is_letter = hit.text[place - shift].isalnum()
            if is_letter and not any(first <= place < last for first, last in here):
                return False
    return True


def _shift(hit: Hit, page: int, place: int) -> int:
    """From places in a passage's text to places on its page."""
    return next(
        span.start - span.offset
        for span in hit.spans
        if span.page == page and span.start <= place < span.end
    )


def _sentences(quote: Quote, start: int, end: int) -> Quote:
    """The sentences of a statement that a range of the page runs into, and those bound to them.

    A row is never parted.
    """
    spans = sentence_spans(quote.text)
    inside = [
        n
        for n, (first, last) in enumerate(spans)
        if quote.start + first < end and start < quote.start + last
    ]
    if CELLS in quote.text or not inside:
        return quote
    said = [quote.text[first:last] for first, last in spans]
    low, high = inside[0], inside[-1]
    while low > 0 and leans_on_before(said[low]):
        low -= 1
    while high + 1 < len(said) and binds_to_before(said[high + 1]):
        high += 1
    first, last = spans[low][0], spans[high][1]
    text = quote.text[first:last]
    return Quote(quote.hit, quote.page, quote.start + first, quote.start + last, text)


def _fault(quote: str, places: Sequence[Sequence[tuple[Unit, Quote]]]) -> str:
    """Why a citation is not to be placed at these places; empty where it is."""
    if not places:
        return NO_STATEMENT
    if len({tuple(whole.text for _, whole in place) for place in places}) > 1:
        return AMBIGUOUS
    wholes = [whole for _, whole in places[0]]
    if len(quote.split()) < MIN_WORDS and not _is_one_of(quote, places[0]):
        return TOO_SHORT
    rows = sum(CELLS in whole.text for whole in wholes)
    sentences = sum(len(sentence_spans(whole.text)) for whole in wholes if CELLS not in whole.text)
    return TOO_LONG if rows > MAX_ROWS or sentences > MAX_SENTENCES else ""


def _is_one_of(quote: str, place: Sequence[tuple[Unit, Quote]]) -> bool:
    """Whether a quote is a whole sentence, item or row, however short."""
    wholes = [part.text for unit, whole in place for part in (unit.quotes[0], whole)]
    return any(normalised(quote) == normalised(whole) for whole in wholes)


def _unplaced(key: str, quote: str, why: str) -> Unplaced:
    return Unplaced(key[:MAX_KEPT_CHARS], quote[:MAX_KEPT_CHARS], why)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
