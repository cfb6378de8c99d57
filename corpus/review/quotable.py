"""Count which words of a stored document an answer can quote."""

from __future__ import annotations

from corpus.models import Document, PassageStatement
from corpus.statements.share import QuotableWords, words_in


def quotable_words(document: Document) -> QuotableWords:
    """Return what can be quoted of a document, by its passages as they are. Runs two queries."""
    rows = PassageStatement.objects.filter(chunk__document=document).order_by("pk")
    pieces = (piece for each in rows.values_list("pieces", flat=True) for piece in each)
    pages = document.pages.order_by("number").values_list("number", "text", "blocks")
    return words_in(pages, pieces)
