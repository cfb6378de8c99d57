"""Make citations that don't support their statement."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chat.types import DraftClaim, Quote, Unplaced
from tests.chat.verification.mutations.chance import digest
from tests.chat.verification.mutations.types import Source

_SMALL = set(
    "the a an of to in and or is are for with by at on it be if when that this not do".split()
)


def moved(source: Source, others: Sequence[Source]) -> Iterator[DraftClaim]:
    """Yield the statement with true quotes of other sentences.

    Of the nearest sentence or row of the same document, another row of the same table, and the
    nearest sentence of another document. Nearest: it shares most words, and lacks some.
    """
    own = [other for other in others if other.document == source.document]
    foreign = [other for other in others if other.document != source.document]
    for group in (own, foreign):
        nearest = _nearest(source, group)
        if nearest:
            yield DraftClaim(source.text, nearest.quotes)


def misplaced(source: Source) -> Iterator[DraftClaim]:
    """Yield the right words at a wrong place: another page, other offsets, another passage."""
    first, *rest = source.quotes
    yield _under(source, replace(first, page=first.page + 1), rest)
    yield _under(source, replace(first, start=first.start + 3, end=first.end + 3), rest)
    yield _under(source, replace(first, end=first.end - 2), rest)
    hit = replace(first.hit, text="Other words stand in this passage.", key="other_p1_c0")
    yield _under(source, replace(first, hit=hit), rest)
    absent = replace(first.hit, document_id=first.hit.document_id + 1_000_000)
    yield _under(source, replace(first, hit=absent), rest)
    yield DraftClaim(source.text, (), (Unplaced("p99", first.text, "no such passage"),))
    yield DraftClaim(source.text, ())


def quote_altered(source: Source) -> Iterator[DraftClaim]:
    """Drop, double or replace one word of the quote; leave the statement, or change it too."""
    first, *rest = source.quotes
    words = list(re.finditer(r"[A-Za-z]{3,}", first.text))
    if not words:
        return
    word = words[digest("quote", first.text)[0] % len(words)]
    before, after = first.text[: word.start()], first.text[word.end() :]
    said = word.group()
    for other in ("", f"{said} {said}", "certain", said[0] + said[2:]):
        text = before + other + after
        same_place = replace(first, text=text)
        yield _under(source, same_place, rest)
        yield _under(source, replace(same_place, end=first.start + len(text)), rest)
    text = before + "certain" + after
    yield DraftClaim(text, (replace(first, text=text), *rest))
    yield DraftClaim(source.text, (first, *rest), (Unplaced("p1", text, "quote not there"),))


def _under(source: Source, quote: Quote, rest: Sequence[Quote]) -> DraftClaim:
    return DraftClaim(source.text, (quote, *rest))


def _nearest(source: Source, others: Sequence[Source]) -> Source | None:
    """Return the source that shares most words but lacks at least two; None if there is none."""
    said = _words(source.text)
    candidates = []
    for other in others:
        held = _words(" ".join(quote.text for quote in other.quotes))
        if len(said - held) >= 2 and other.text != source.text:
            candidates.append((-len(said & held), digest(source.text, other.text), other))
    return min(candidates, key=lambda found: found[:2])[2] if candidates else None


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[\w.]+", text.lower()) if word not in _SMALL}
