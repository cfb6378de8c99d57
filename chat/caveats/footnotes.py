"""Tell the footnotes of a cited row from the row. Pure.

Each is about the cell that has its mark: it says nothing of whom the row as a whole is for.
"""

from __future__ import annotations

from collections.abc import Sequence

from chat.types import DraftClaim, Quote
from core.language.words import CELLS


def footnotes(quotes: Sequence[Quote]) -> list[Quote]:
    """Return the footnotes among the quotes of a row, the row first: those below it, but rows."""
    if not quotes or CELLS not in f" {quotes[0].text}":
        return []
    first, *others = quotes
    below = (quote for quote in others if (quote.page, quote.start) > (first.page, first.start))
    return [quote for quote in below if CELLS not in quote.text]


def text_without_footnotes(claim: DraftClaim) -> str:
    """Return a claim's text without the footnotes of its row."""
    text = claim.text
    for note in footnotes(claim.quotes):
        text = text.replace(f"({' '.join(note.text.split())})", "")
    return text


def without_footnotes(claim: DraftClaim) -> str:
    """Return a claim's text and quotes without the footnotes of its row, one after another."""
    notes = footnotes(claim.quotes)
    quotes = (quote.text for quote in claim.quotes if quote not in notes)
    return " ; ".join([text_without_footnotes(claim), *quotes])
