"""Resolve a language model's citation to quotes of exact page text.

The model's quote is searched in the passage: word for word or, failing that, as the run of words
that has nearly all of the quote in order. Cited is then the page's own text: the whole sentences,
list items or table rows that the run touches, and the text they depend on. So a `not` before the
model's quote is cited with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from chat.evidence.quotable import Withheld, is_withheld
from chat.evidence.texts import placed_tokens, tokens
from chat.types import Quote, Unit, Unplaced
from core.language.en.sentences import sentence_spans
from core.language.en.statements.leads import binds_to_before, leans_on_before
from core.language.words import CELLS
from corpus.statements.places import one_line
from retrieval.types import Hit, Span

MAX_KEPT_CHARS = 300  # of a citation that can't be placed, for the trace
MAX_TOUCHED = 12  # statements of one citation: more are no evidence for one claim
_GOES_ON = re.compile(r"\b(?:and|or|plus|then|followed by)\W*$", re.IGNORECASE)

UNKNOWN_KEY = "unknown passage"
NOT_THERE = "quote not in the passage"
TOO_LONG = "quote runs over too many statements"
WITHHELD = "quote has a value in doubt"


@dataclass(frozen=True)
class Shown:
    """The passages that a language model was shown."""

    hits: Mapping[str, Hit]  # by the opaque key
    units: Mapping[str, Sequence[Unit]]  # the quotable units of each, by the hit's own key
    withheld: Withheld = field(default_factory=dict)


@dataclass(frozen=True)
class Placed:
    """The quotes of a citation: first the statements that it touches, then what they depend on."""

    quotes: tuple[Quote, ...]
    read_as: str  # the statements as they read alone, such as a row with its labels
    caption: str = ""  # of the table whose row it is


def placed(key: str, quote: str, shown: Shown, *, near: Sequence[Quote] = ()) -> Placed | Unplaced:
    """Resolve a citation to its place in the passage; of several places, the nearest to `near`.

    The first place if `near` is empty.
    """
    hit = shown.hits.get(key)
    if hit is None:
        return _unplaced(key, quote, UNKNOWN_KEY)
    ranges = located(quote, hit.text)
    if not ranges:
        return _unplaced(key, quote, NOT_THERE)
    at = min(ranges, key=lambda place: _distance(hit, place, near))
    units = shown.units[hit.key]
    touched = _with_what_follows(_touched(hit, at, units), units)
    if len(touched) > MAX_TOUCHED:
        return _unplaced(key, quote, TOO_LONG)
    rest = _uncovered(hit, at, touched)
    if any(is_withheld(hit.document_id, [part], shown.withheld) for part in rest):
        return _unplaced(key, quote, WITHHELD)
    first = [whole for _, whole in touched]
    further = [part for unit, _ in touched for part in unit.quotes[1:]]
    texts = [_alone(unit, whole) for unit, whole in touched] + [one_line(q.text) for q in rest]
    quotes = tuple(dict.fromkeys([*first, *rest, *further]))
    caption = next((unit.caption for unit, _ in touched if unit.is_row and unit.caption), "")
    return Placed(quotes, " ".join(texts), caption) if quotes else _unplaced(key, quote, NOT_THERE)


def nearness(quotes: Sequence[Quote], claim: str) -> int:
    """Count the words of a claim that a citation's first quote has, to order citations by."""
    return len(set(tokens(claim)) & set(tokens(quotes[0].text)))


def _distance(hit: Hit, at: Range, near: Sequence[Quote]) -> tuple[int, int]:
    """Return the distance in pages and characters to the nearest of `near` in the same document."""
    here = page_ranges(hit.spans, at)
    gaps = [
        (abs(page - quote.page), abs(start - quote.start))
        for page, start, _ in here
        for quote in near
        if quote.hit.document_id == hit.document_id
    ]
    return min(gaps, default=(0, 0))


def _touched(hit: Hit, at: Range, units: Sequence[Unit]) -> list[tuple[Unit, Quote]]:
    """Return the units that a range of the passage touches, with the touched sentences or row."""
    return [
        (unit, _sentences(unit.quotes[0], start, end))
        for page, start, end in page_ranges(hit.spans, at)
        for unit in units
        if unit.quotes[0].page == page and unit.quotes[0].start < end and start < unit.quotes[0].end
    ]


def _with_what_follows(
    touched: list[tuple[Unit, Quote]], units: Sequence[Unit]
) -> list[tuple[Unit, Quote]]:
    """Add the items after a colon, and the units that continue a sentence ending in `and`."""
    places = {id(unit): place for place, unit in enumerate(units)}
    quoted = list(touched)
    for unit, whole in touched:
        rest = units[places[id(unit)] + 1 :]
        if whole.text.rstrip().endswith(":"):
            quoted += [(each, each.quotes[0]) for each in rest if _stands_under(each, whole)]
        goes_on = bool(_GOES_ON.search(whole.text))
        for following in rest:
            if not goes_on:
                break
            quoted.append((following, following.quotes[0]))
            goes_on = bool(_GOES_ON.search(following.quotes[0].text))
    return list({id(unit): (unit, whole) for unit, whole in reversed(quoted)}.values())[::-1]


def _stands_under(unit: Unit, lead: Quote) -> bool:
    return any(
        part.page == lead.page and part.start < lead.end and lead.start < part.end
        for part in unit.quotes[1:]
    )


def _uncovered(hit: Hit, at: Range, touched: Sequence[tuple[Unit, Quote]]) -> list[Quote]:
    """Quote whole lines of the range that belong to no unit, such as a heading or a boxed text."""
    parts = [part for unit, _ in touched for part in unit.quotes]
    quotes = []
    for page, start, end in page_ranges(hit.spans, at):
        span = next(s for s in hit.spans if s.page == page and s.start <= start < s.end)
        text = hit.text[span.offset : span.offset + span.end - span.start]
        for first, last in _lines(text, start - span.start, end - span.start):
            low, high = first + span.start, last + span.start
            if not any(p.page == page and p.start < high and low < p.end for p in parts):
                quotes.append(Quote(hit, page, low, high, text[first:last]))
    return quotes


def _lines(text: str, start: int, end: int) -> list[Range]:
    """Return the lines of a text that a range touches, without surrounding white space."""
    lines = (match.span() for match in re.finditer(r"\S(?:.*\S)?", text))
    return [(first, last) for first, last in lines if first < end and start < last]


def _alone(unit: Unit, whole: Quote) -> str:
    """Return a unit's text with only the sentences of `whole`."""
    main = one_line(unit.quotes[0].text)
    if whole == unit.quotes[0] or not unit.text.endswith(main):
        return unit.text
    return unit.text.removesuffix(main) + one_line(whole.text)


def _sentences(quote: Quote, start: int, end: int) -> Quote:
    """Return the sentences of a quote that a page range touches, and the sentences bound to them.

    A table row is returned whole.
    """
    spans = sentence_spans(quote.text)
    inside = [
        n
        for n, (first, last) in enumerate(spans)
        if quote.start + first < end and start < quote.start + last
    ]
    if CELLS in quote.text or not inside:
        return quote
    sentences = [quote.text[first:last] for first, last in spans]
    low, high = inside[0], inside[-1]
    while low > 0 and leans_on_before(sentences[low]):
        low -= 1
    while high + 1 < len(sentences) and binds_to_before(sentences[high + 1]):
        high += 1
    first, last = spans[low][0], spans[high][1]
    text = quote.text[first:last]
    return Quote(quote.hit, quote.page, quote.start + first, quote.start + last, text)


def _unplaced(key: str, quote: str, why: str) -> Unplaced:
    return Unplaced(key[:MAX_KEPT_CHARS], quote[:MAX_KEPT_CHARS], why)


Range = tuple[int, int]  # half-open
NEARLY_ALL = 0.9  # share of a quote's words that the text must have in order
SPREAD = 2.0  # the run is at most this many times as long as the quote
SPARE = 12  # and this many words more, for cells that a short quote leaves out


def located(quote: str, text: str) -> tuple[Range, ...]:
    """Return the ranges of `text` that match the quote, in order; none for a quote without words.

    Every exact match; without one, the closest run that has nearly all of the quote's words in
    order, and all of its numbers.
    """
    wanted, placed_words = tokens(quote), placed_tokens(text)
    if not wanted:
        return ()
    words = [word for word, _, _ in placed_words]
    exact = [start for start in range(len(words)) if words[start : start + len(wanted)] == wanted]
    if exact:
        return tuple((placed_words[at][1], placed_words[at + len(wanted) - 1][2]) for at in exact)
    nearest = _nearest(wanted, words)
    return ((placed_words[nearest[0]][1], placed_words[nearest[1] - 1][2]),) if nearest else ()


def page_ranges(spans: Sequence[Span], at: Range) -> tuple[tuple[int, int, int], ...]:
    """Return `(page, start, end)` for each span that a range of a passage touches."""
    ranges = []
    for span in spans:
        start = max(at[0], span.offset)
        end = min(at[1], span.offset + span.end - span.start)
        if start < end:
            shift = span.start - span.offset
            ranges.append((span.page, start + shift, end + shift))
    return tuple(ranges)


def _nearest(wanted: Sequence[str], words: Sequence[str]) -> Range | None:
    """Return the run with the largest share of the wanted words, at least `NEARLY_ALL`, in order.

    Of equal shares the shortest run, then the first. It must have every number.
    """
    width, openers = int(len(wanted) * SPREAD) + SPARE, set(wanted[:3])
    best: tuple[float, int, Range] | None = None
    for start in (place for place, word in enumerate(words) if word in openers):
        matcher = SequenceMatcher(None, wanted, words[start : start + width], autojunk=False)
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
