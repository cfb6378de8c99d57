"""Load ranked passages with all that pages, citations and the gate need."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.replica import connection
from core.rounding import SUM_DIGITS, rounded_cosine
from corpus.encoders.vectors import literal
from retrieval.lexical.search import AskedLexeme, searched_names
from retrieval.prepared.statements import execute
from retrieval.types import AlsoIn, Hit, Ranked, Span

# `held` are the question's lexemes that the passage holds. One row a passage.
_SQL = """
SELECT c.id AS chunk_id, c.key, c.index, c.text, c.context, c.spans, c.page, c.position,
       c.section_path, coalesce(nullif(c.language, ''), d.language) AS language,
       d.id AS document_id, d.sha256, d.filename, d.title, d.version, d.issuer,
       d.population, d.authority, d.journal, d.year, d.search_configuration, d.lifecycle,
       d.effective_from, d.review_by,
       k.slug AS collection,
       k.owner_name, k.owner_contact,
       1 - (v.embedding::vector <=> %(vector)s::vector) AS cosine,
       array(SELECT u.lexeme FROM unnest(c.search_vector) AS u(lexeme, positions, weights)
             WHERE u.lexeme = ANY(%(lexemes)s)) AS held,
       (SELECT min(p.ocr_confidence) FROM corpus_page p
        WHERE p.document_id = c.document_id AND p.number BETWEEN c.page
              AND coalesce((c.spans -> -1 ->> 0)::int, c.page)) AS ocr_confidence
FROM corpus_chunk c
     JOIN corpus_document d ON d.id = c.document_id
     JOIN corpus_collection k ON k.id = d.collection_id
     LEFT JOIN {vectors} v ON v.chunk_id = c.id
WHERE c.id = ANY(%(ids)s)
"""


def hits_of(
    ranked: Sequence[Ranked],
    lexemes: Sequence[AskedLexeme],
    *,
    vector: Sequence[float],
    vectors: str,
    others: Mapping[str, Sequence[AlsoIn]],
) -> tuple[Hit, ...]:
    """Return the ranked passages in order, without those deleted meanwhile.

    `vectors` is the table of the primary encoder and `vector` the question's vector; a passage
    without a vector has the cosine 0. Runs one query, none for no passages.
    """
    if not ranked:
        return ()
    names = searched_names(lexemes)
    parameters: dict[str, Any] = {
        "vector": literal(vector),
        "lexemes": names,
        "ids": [entry.chunk_id for entry in ranked],
    }
    with connection.cursor() as cursor:
        execute(cursor, _SQL.format(vectors=vectors), parameters)
        columns = [column.name for column in cursor.description]
        rows = {row[0]: dict(zip(columns, row, strict=True)) for row in cursor.fetchall()}
    return tuple(
        _hit(entry, rows[entry.chunk_id], lexemes, others.get(entry.group, ()))
        for entry in ranked
        if entry.chunk_id in rows
    )


def _hit(
    entry: Ranked, row: dict[str, Any], lexemes: Sequence[AskedLexeme], others: Sequence[AlsoIn]
) -> Hit:
    held = set(row.pop("held"))
    total = sum(lexeme.idf for lexeme in lexemes)
    covered = sum(lexeme.idf for lexeme in lexemes if lexeme.is_held(held))
    return Hit(
        **row
        | {
            "rank": entry.rank,
            "score": entry.score,
            "cosine": rounded_cosine(row["cosine"]),
            "coverage": round(covered / total, SUM_DIGITS) if total else 0.0,
            "spans": _spans(json.loads(row["spans"])),
            "section_path": tuple(row["section_path"]),
            "also_in": tuple(o for o in others if o.document_id != row["document_id"]),
        }
    )


def _spans(stored: Sequence[Sequence[int]]) -> tuple[Span, ...]:
    """Add to each page span its offset in the chunk's text, where newlines join the spans."""
    spans: list[Span] = []
    offset = 0
    for page, start, end in stored:
        spans.append(Span(page=page, start=start, end=end, offset=offset))
        offset += end - start + 1
    return tuple(spans)
