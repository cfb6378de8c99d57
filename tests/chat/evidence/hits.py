"""Make hits and claims from documents of `tests.corpora`."""

import datetime
from typing import Any

from chat.types import DraftClaim, Quote
from corpus.models import Document
from retrieval.pipeline import retrieve
from retrieval.types import Hit, Query

TODAY = datetime.date(2026, 5, 1)


def hits_for(question: str) -> tuple[Hit, ...]:
    return retrieve(Query(question, on=TODAY)).hits


def made_up_hit(**values: Any) -> Hit:
    """Return a hit without a database."""
    fields: dict[str, Any] = {
        "chunk_id": 1, "key": "a_p1_c0", "index": 0, "rank": 1, "score": 0.03, "cosine": 0.5,
        "coverage": 0.5, "text": "Text.", "context": "Title", "spans": (), "page": 1,
        "section_path": ("Dose",), "document_id": 1, "sha256": "a" * 64, "filename": "a.md",
        "title": "Title", "version": "1", "issuer": "", "population": "adult",
        "lifecycle": "PUBLISHED", "effective_from": None, "review_by": None,
        "collection": "general", "owner_name": "", "owner_contact": "",
    }  # fmt: skip
    return Hit(**(fields | values))


def quote_of(hit: Hit, words: str, *, page: int = 1) -> Quote:
    """Return the quote of `words` at their place on the hit's page."""
    text = Document.objects.get(pk=hit.document_id).pages.get(number=page).text
    start = text.index(words)
    return Quote(hit, page, start, start + len(words), words)


def claim_of(hit: Hit, words: str, *, text: str = "") -> DraftClaim:
    return DraftClaim(text or words, (quote_of(hit, words),))
