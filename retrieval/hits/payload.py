"""Serialise search results as JSON, for both the command and the API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from retrieval.types import Hit, Surroundings


def hits_payload(hits: Iterable[Hit], around: Iterable[Surroundings] = ()) -> list[dict[str, Any]]:
    """Return the passages, best first; those in `around` also have `surroundings`."""
    read = {each.key: {"surroundings": _surroundings(each)} for each in around}
    return [
        {
            "rank": hit.rank,
            "chunk": hit.key,
            "document": hit.title,
            "page": hit.page,
            "position": hit.position or None,
            "section": hit.section,
            "section_path": list(hit.section_path),
            "score": hit.score,
            "text": hit.text,
            "ocr_confidence": hit.ocr_confidence,
            "also_in": [
                {
                    "chunk": other.key,
                    "document": other.title,
                    "page": other.page,
                    "position": other.position or None,
                }
                for other in hit.also_in
            ],
            **read.get(hit.key, {}),
        }
        for hit in hits
    ]


def _surroundings(around: Surroundings) -> dict[str, Any]:
    return {"text": around.text, "pages": sorted({span.page for span in around.spans})}
