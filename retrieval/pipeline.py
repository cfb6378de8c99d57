"""`retrieve()`: the one way from a question to its evidence."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from django.db import connection
from django.db.models.expressions import RawSQL

from corpus.encoders.registry import active_encoders
from corpus.models import Chunk
from retrieval.analysis import spelled_out
from retrieval.config import RetrievalConfig
from retrieval.configured import site_config
from retrieval.context import surroundings
from retrieval.dense import cosines, search_dense
from retrieval.fusion import fuse
from retrieval.lexical import AskedLexeme, asked_lexemes, search_lexical, searched_names
from retrieval.twins import others_that_say_it
from retrieval.types import AlsoIn, Evidence, Hit, Query, Ranked, Ranking, Span, Trace

T = TypeVar("T")

_OCR_SQL = """
(SELECT min(p.ocr_confidence) FROM corpus_page p
 WHERE p.document_id = corpus_chunk.document_id AND p.number BETWEEN corpus_chunk.page
       AND coalesce((corpus_chunk.spans -> -1 ->> 0)::int, corpus_chunk.page))
"""

_COVERAGE_SQL = """
SELECT c.id, array(SELECT v.lexeme FROM unnest(c.search_vector) AS v(lexeme, p, w)
                   WHERE v.lexeme = ANY(%s) ORDER BY v.lexeme)
FROM corpus_chunk c WHERE c.id = ANY(%s)
"""


def retrieve(query: Query, config: RetrievalConfig | None = None) -> Evidence:
    """The best `config.k` passages in the query's scope, best first, with the whole trace.

    Empty where nothing is indexed in that scope. The same query on the same corpus gives the
    same evidence. At most eleven queries and
    three for each encoder beside the first, none of them per hit.
    """
    config = config or site_config()
    encoders = active_encoders(config.encoders)
    clock = _Clock()
    lexemes = clock.time("analysis", lambda: asked_lexemes(query.text))
    asked = [spelled_out(query.text)]
    vectors = clock.time(
        "embedding", lambda: [e.embedder.encode_queries(asked)[0].tolist() for e in encoders]
    )
    rankings: list[Ranking] = []
    if config.lexical != "none":
        rankings.append(search_lexical(query, lexemes, config))
    if config.dense:
        for encoder, vector in zip(encoders, vectors, strict=True):
            rankings.append(search_dense(query, vector, config, encoder))
    fused = clock.time("fusion", lambda: fuse(rankings, config))
    kept = fused[: config.k]
    others = clock.time("twins", lambda: others_that_say_it(query, kept))
    ids = [entry.chunk_id for entry in kept]
    near = clock.time("cosines", lambda: cosines(encoders[0], vectors[0], ids))
    hits = clock.time("hits", lambda: _hits(kept, near, lexemes, others))
    durations = clock.durations_ms | {ranking.name: ranking.duration_ms for ranking in rankings}
    trace = Trace(
        query=query.text,
        scope=query.scope,
        on=query.on,
        lexemes=tuple(searched_names(lexemes)),
        rankings=tuple(rankings),
        fused=fused,
        durations_ms=durations,
        fingerprint=config.fingerprint(*(e.embedder.fingerprint for e in encoders)),
        also_in={hit.key: tuple(other.key for other in hit.also_in) for hit in hits if hit.also_in},
        rights=query.rights,
        filters=query.filters,
    )
    around = surroundings(hits, max_chars=config.context_chars)
    return Evidence(query=query, hits=hits, trace=trace, surroundings=around)


class _Clock:
    """Collects how long each step took."""

    def __init__(self) -> None:
        self.durations_ms: dict[str, float] = {}

    def time(self, step: str, work: Callable[[], T]) -> T:
        started = time.perf_counter()
        result = work()
        self.durations_ms[step] = (time.perf_counter() - started) * 1000
        return result


def _hits(
    fused: Sequence[Ranked],
    near: Mapping[int, float],
    lexemes: Sequence[AskedLexeme],
    others: Mapping[str, Sequence[AlsoIn]],
) -> tuple[Hit, ...]:
    ids = [entry.chunk_id for entry in fused]
    scanned = Chunk.objects.annotate(ocr_confidence=RawSQL(_OCR_SQL, []))  # noqa: S611  constant
    chunks = scanned.defer("search_vector").select_related("document__collection").in_bulk(ids)
    coverage = _coverage(ids, lexemes)
    return tuple(
        _hit(
            entry,
            chunks[entry.chunk_id],
            near.get(entry.chunk_id, 0.0),
            coverage.get(entry.chunk_id, 0.0),
            others.get(entry.group, ()),
        )
        for entry in fused
        if entry.chunk_id in chunks
    )


def _coverage(ids: Sequence[int], lexemes: Sequence[AskedLexeme]) -> dict[int, float]:
    """For each chunk the idf-weighted share of the question's lexemes that it holds."""
    total = sum(lexeme.idf for lexeme in lexemes)
    if not ids or not total:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_COVERAGE_SQL, [searched_names(lexemes), list(ids)])
        return {
            chunk_id: sum(lexeme.idf for lexeme in lexemes if lexeme.is_held(set(held))) / total
            for chunk_id, held in cursor.fetchall()
        }


def _hit(
    entry: Ranked, chunk: Chunk, cosine: float, coverage: float, others: Sequence[AlsoIn]
) -> Hit:
    document = chunk.document
    return Hit(
        chunk_id=chunk.pk,
        key=chunk.key,
        index=chunk.index,
        rank=entry.rank,
        score=entry.score,
        cosine=cosine,
        coverage=coverage,
        text=chunk.text,
        context=chunk.context,
        spans=_spans(chunk.spans),
        page=chunk.page,
        section_path=tuple(chunk.section_path),
        document_id=document.pk,
        sha256=document.sha256,
        filename=document.filename,
        title=document.title,
        version=document.version,
        issuer=document.issuer,
        population=document.population,
        lifecycle=document.lifecycle,
        effective_from=document.effective_from,
        review_by=document.review_by,
        collection=document.collection.slug,
        owner_name=document.collection.owner_name,
        owner_contact=document.collection.owner_contact,
        also_in=tuple(other for other in others if other.document_id != document.pk),
        ocr_confidence=getattr(chunk, "ocr_confidence", None),
    )


def _spans(stored: Sequence[Sequence[int]]) -> tuple[Span, ...]:
    """Page spans with their offset in the chunk's text, where newlines join them."""
    spans: list[Span] = []
    offset = 0
    for page, start, end in stored:
        spans.append(Span(page=page, start=start, end=end, offset=offset))
        offset += end - start + 1
    return tuple(spans)
