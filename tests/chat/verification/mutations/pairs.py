"""Make statements of two rows or two sentences, each truly quoted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from chat.types import DraftClaim, Quote
from tests.chat.verification.mutations.types import Source

_NOTE = re.compile(r" \((?:[*†‡]|[a-c] [A-Z]|Dose by)")


def exchanged(sources: Sequence[Source]) -> Iterator[tuple[Source, DraftClaim]]:
    """Yield a row with one value of the next row of its table, quoting both."""
    for one, other in pairwise(sources):
        if not _of_one_table(one, other):
            continue
        cells, others = _cells(one), _cells(other)
        for at in range(1, min(len(cells), len(others))):
            if cells[at] != others[at]:
                text = "; ".join([*cells[:at], others[at], *cells[at + 1 :]])
                yield one, DraftClaim(text, _both(one, other))


def together(sources: Sequence[Source]) -> Iterator[tuple[Source, DraftClaim]]:
    """Yield two rows of a table, or two sentences that follow each other, verbatim."""
    for one, other in pairwise(sources):
        both_sentences = not (one.has_more or other.has_more) and _is_sentence(one)
        if one.document == other.document and (both_sentences or _of_one_table(one, other)):
            joint = "; " if one.is_row else " "
            text = f"{one.text}{joint}{other.text}"
            yield one, DraftClaim(text, _both(one, other))


def _both(one: Source, other: Source) -> tuple[Quote, ...]:
    """Return the quotes as two citations, as a model's answer has them."""
    return (*one.quotes, *(replace(quote, citation=1) for quote in other.quotes))


def _of_one_table(one: Source, other: Source) -> bool:
    same = one.document == other.document and one.is_row and other.is_row
    return same and one.quotes[1:2] == other.quotes[1:2] and one.quotes[0] != other.quotes[0]


def _is_sentence(source: Source) -> bool:
    return source.text[:1].isupper() and source.text.endswith(".")


def _cells(source: Source) -> list[str]:
    """Return `label: value` of each cell, without the footnotes."""
    note = _NOTE.search(source.text)
    return source.text[: note.start() if note else None].split("; ")
