"""What was found, as JSON: the one form of the command and of the API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from retrieval.types import Hit


def hits_payload(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """The passages in order, best first."""
    return [
        {
            "rank": hit.rank,
            "chunk": hit.key,
            "document": hit.title,
            "page": hit.page,
            "section": hit.section,
            "score": hit.score,
            "text": hit.text,
            "ocr_confidence": hit.ocr_confidence,
            "also_in": [
                {"chunk": other.key, "document": other.title, "page": other.page}
                for other in hit.also_in
            ],
        }
        for hit in hits
    ]
