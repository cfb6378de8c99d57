"""From what was ranked to passages with all that a page, a citation or a gate needs of them."""

from __future__ import annotations

# `held` are the question's lexemes that the passage holds. One row a passage.
_SQL = """
SELECT c.id, c.key, c.index, c.text, c.context, c.spans, c.page, c.section_path,
       d.id AS document_id, d.sha256, d.filename, d.title, d.version, d.issuer, d.population,
       d.authority, d.year, d.lifecycle, d.effective_from, d.review_by, k.slug AS collection,
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
