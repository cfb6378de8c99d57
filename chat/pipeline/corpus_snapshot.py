"""Summarise which documents are in force, to tell later whether that has changed."""

from __future__ import annotations

import datetime
from dataclasses import asdict, dataclass
from typing import Any

from django.db import connection

from retrieval.scope import IN_FORCE

# In the order of the hashes: the same documents give the same digest, whenever they came.
_SQL = f"""
SELECT count(*), encode(sha256(convert_to(coalesce(string_agg(
    jsonb_build_array(d.sha256, d.index_fingerprint, d.collection_id, d.title, d.version, d.issuer,
        d.journal, d.authority, d.population, d.year, d.effective_from, d.review_by)::text,
    ',' ORDER BY d.sha256), ''), 'UTF8')), 'hex'),
    (SELECT encode(sha256(convert_to(coalesce(string_agg(c.key, ',' ORDER BY c.key), ''), 'UTF8')),
        'hex') FROM corpus_chunk c WHERE c.disabled_by_id IS NOT NULL AND c.disabled_at IS NOT NULL)
FROM corpus_document d
WHERE {IN_FORCE}
"""  # noqa: S608


@dataclass(frozen=True)
class Snapshot:
    """The documents in force in all collections, whoever asks."""

    documents: int  # in force
    digest: str  # 64 hex digits over what they are and how they were cut
    disabled: str  # the same over the passages that staff took out of the search

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def corpus_snapshot(on: datetime.date) -> Snapshot:
    """Summarise the documents in force on a day. Runs one query."""
    with connection.cursor() as cursor:
        cursor.execute(_SQL, {"on": on})
        documents, digest, disabled = cursor.fetchone()
    return Snapshot(documents, digest, disabled)
