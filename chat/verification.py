"""Each claim against the spans that it cites. What fails one check is dropped."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chat.types import DraftClaim, Quote
from corpus.models import Page

_FIGURE = re.compile(r"(?<!\d)(?<!\d[.,])(\.?\d+(?:[.,]\d+)*)\s*-?([^\W\d_]+(?:/[^\W\d_]+)*|%)?")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NEGATION = re.compile(
    r"\b(?:not|no|never|nor|neither|none|without|avoid\w*|unless|except\w*|contraindicat\w*|stop\w*"
    r"|withh\w+|cannot|\w+n['’]t|only|until|less|more|below|above|under|over)\b"
)
PageTexts = Mapping[tuple[int, int], str]


@dataclass(frozen=True)
class Verdict:
    """Whether a claim stands, and which check it failed."""

    claim: DraftClaim
    failed: str = ""  # empty: supported

    @property
    def supported(self) -> bool:
        return not self.failed


def verify(claims: Sequence[DraftClaim]) -> tuple[Verdict, ...]:
    """One verdict per claim, in order. One query for the text of the cited pages."""
    texts = _page_texts(claims)
    return tuple(Verdict(claim, _first_failure(claim, texts)) for claim in claims)


def normalised(text: str) -> str:
    """White space and Unicode forms levelled, nothing else: how quotes are compared."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _page_texts(claims: Sequence[DraftClaim]) -> PageTexts:
    quotes = [quote for claim in claims for quote in claim.quotes]
    rows = Page.objects.filter(
        document__in={quote.hit.document_id for quote in quotes},
        number__in={quote.page for quote in quotes},
    ).values_list("document_id", "number", "text")
    return {(document, number): text for document, number, text in rows}


def _first_failure(claim: DraftClaim, texts: PageTexts) -> str:
    if not claim.quotes:
        return "no citation"
    if any(not _stands_on_page(quote, texts) for quote in claim.quotes):
        return "quote not on the page"
    first = claim.quotes[0]
    if normalised(first.text) not in normalised(first.hit.text):
        return "quote not in the passage"
    said, cited = figures(claim.text), set[tuple[str, str]]()
    for quote in claim.quotes:
        cited |= figures(quote.text)
    if not {number for number, _ in said} <= {number for number, _ in cited}:
        return "number not in the quote"
    if not said <= cited:
        return "unit not in the quote"
    quoted = "\n".join(quote.text for quote in claim.quotes)
    if negations(first.text) - negations(claim.text) or negations(claim.text) - negations(quoted):
        return "polarity differs from the quote"
    if not _words(claim.text) <= _words(quoted):
        return "word not in the quote"
    return ""


def _stands_on_page(quote: Quote, texts: PageTexts) -> bool:
    page = texts.get((quote.hit.document_id, quote.page), "")
    return bool(quote.text.strip()) and page[quote.start : quote.end] == quote.text


def figures(text: str) -> set[tuple[str, str]]:
    """Each number with the word or sign that follows it, which is its unit where it has one."""
    return {(number, unit.lower()) for number, unit in _FIGURE.findall(normalised(text))}


def negations(text: str) -> Counter[str]:
    """The words that turn a statement round or bound it, each as often as it stands there."""
    return Counter(_NEGATION.findall(normalised(text).lower()))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(normalised(text).lower()))
