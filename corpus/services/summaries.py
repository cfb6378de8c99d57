"""Find sections by a summary, which leads to their passages and is never shown.

A small form of RAPTOR (Sarthi et al., ICLR 2024) whose tree is the document's own headings. A
summary holds the first statements of the passages nearest to the mean of their section (centroids:
Radev et al., Information Processing and Management 40, 2004).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from corpus.chunking import context_line
from corpus.chunking.cutting import Passage
from corpus.encoders import vectors
from corpus.encoders.registry import embedder_of, searched_rows
from corpus.models import Chunk, Document, Encoder, PassageStatement, SectionSummary
from corpus.services.embedding import Made

SUMMARIES_VERSION = "extractive-2"
MIN_CHUNKS = 3  # of a section: fewer are found as well by themselves
LEADS = 5  # statements of a summary: about what the bundled encoder reads
CALL_LIMIT_S = 60.0  # of one summary
_DECIMALS = 5  # of a cosine: below, another batch or machine may round another way

Path = tuple[str, ...]


def sections_of(paths: Sequence[Path]) -> dict[tuple[int, int], Path]:
    """Return the sections of at least MIN_CHUNKS passages at every depth, by first and last index.

    `paths` are the section paths of a document's passages; the empty path is the whole document. A
    section interrupted by another counts as two; of sections with the same passages the innermost
    is kept.
    """
    sections: dict[tuple[int, int], Path] = {}
    for depth in range(max(map(len, paths), default=0) + 1):
        first = 0
        for path, run in groupby(paths, key=lambda p: p[:depth] if len(p) >= depth else None):
            last = first + len(list(run)) - 1
            if path is not None and last - first + 1 >= MIN_CHUNKS:
                sections[first, last] = path
            first = last + 1
    return sections


@dataclass(frozen=True)
class Unsaved:
    """A document's passages with their vectors before they are stored, all in order."""

    chunks: Sequence[Chunk]
    passages: Sequence[Passage]
    made: Made


def summaries_draft(
    document: Document,
    unsaved: Unsaved | None = None,
    *,
    run: Callable[..., Any] = lambda work, *, limit_s: work(),
) -> list[SectionSummary]:
    """Make summaries of embedded passages, unsaved, outside a transaction. Runs four queries.

    Of the stored ones or of `unsaved`. Empty where the site makes none. `run` is
    `corpus.indexing.leases.Lease.run`.
    """
    encoder = _primary()
    if encoder is None:
        return []
    if unsaved is None:
        chunks: Sequence[Chunk] = list(document.chunks.defer("search_vector").order_by("index"))
        kept = vectors.read(encoder, [chunk.pk for chunk in chunks])
        vector_of = [kept[chunk.pk] for chunk in chunks if chunk.pk in kept]
        leads = PassageStatement.objects.filter(chunk__in=chunks, chunk__disabled_at=None, index=0)
        statements = dict(leads.values_list("chunk__index", "text"))
    else:
        chunks = unsaved.chunks
        vector_of = list(dict(unsaved.made.of_rows).get(encoder, ()))
        statements = {
            chunk.index: passage.statements[0].text
            for chunk, passage in zip(chunks, unsaved.passages, strict=True)
            if passage.statements and chunk.disabled_at is None
        }
    if len(vector_of) != len(chunks):
        return []  # another encoder took over since: the caller notices, or `summarise` makes them
    embedder = embedder_of(encoder)
    rows = []
    for (first, last), path in sections_of([tuple(chunk.section_path) for chunk in chunks]).items():
        members = np.stack(vector_of[first : last + 1])
        nearness = np.round(members @ members.mean(axis=0), _DECIMALS)
        by_nearness = first + np.argsort(-nearness, kind="stable")
        nearest = [int(index) for index in by_nearness if index in statements][:LEADS]
        head = context_line(document.title, path, document.population, embedder.count_tokens)
        text = f"{head}\n{' '.join(statements[index] for index in sorted(nearest))}"
        row = SectionSummary(document=document, encoder=encoder, first_index=first, last_index=last)
        row.text = text
        row.embedding = run(partial(embedder.encode, [text]), limit_s=CALL_LIMIT_S)[0].tolist()
        rows.append(row)
    return rows


def summaries_keep(document: Document, rows: Sequence[SectionSummary]) -> None:
    """Replace the document's summaries, in the caller's transaction."""
    document.summaries.all().delete()
    SectionSummary.objects.bulk_create(rows)


def document_summarise(document: Document) -> bool:
    """Make the summaries of an indexed document again; False if it was reindexed meanwhile."""
    rows = summaries_draft(document)
    with transaction.atomic():
        unchanged = Document.objects.select_for_update().filter(
            pk=document.pk, indexed_at=document.indexed_at
        )
        if document.indexed_at is None or not unchanged.exists():
            return False
        summaries_keep(document, rows)
    return True


def documents_to_summarise() -> QuerySet[Document]:
    """Return indexed documents that lack summaries of the first encoder searched.

    Where the site makes none: documents that still have some.
    """
    encoder = _primary()
    own = SectionSummary.objects.filter(document=OuterRef("pk"))
    indexed = Document.objects.filter(indexed_at__isnull=False).order_by("pk")
    if encoder is None:
        return indexed.filter(Exists(own))
    counted = indexed.annotate(passages=Count("chunks")).filter(passages__gte=MIN_CHUNKS)
    return counted.exclude(Exists(own.filter(encoder=encoder)))


def _primary() -> Encoder | None:
    """Return the encoder of summaries; None where the site makes none."""
    return next(iter(searched_rows()), None) if settings.SUMMARIES != "none" else None
