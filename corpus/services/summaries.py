"""Make the summaries of sections during or after indexing, and store them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet

from corpus.encoders import vectors
from corpus.encoders.registry import embedder_of, searched_rows
from corpus.models import Chunk, Document, Encoder, SectionSummary, SummaryVector
from corpus.summaries import Passages, Run, Summary, made_by, summarise
from corpus.summaries.extractive import MIN_CHUNKS

T = TypeVar("T")


@dataclass(frozen=True)
class Made:
    """A document's unsaved summaries, and the encoder of their vectors."""

    encoder: Encoder | None  # None where the site makes none
    summaries: tuple[Summary, ...]


def summaries_draft(document: Document, *, run: Run) -> Made:
    """Make summaries from embedded passages, outside a transaction. Runs three queries.

    Runs none where the site makes no summaries. Raises LanguageModelUnavailable if a language model
    should write them and doesn't answer.
    """
    encoder = _primary() if settings.SUMMARIES != "none" else None
    if encoder is None:
        return Made(None, ())
    chunks = list(document.chunks.defer("search_vector").order_by("index"))
    passages = _passages(document, chunks, encoder)
    return Made(encoder, summarise(passages, embedder_of(encoder), run) if passages else ())


def summaries_keep(document: Document, made: Made) -> None:
    """Replace the document's summaries, in the caller's transaction."""
    summaries_drop(document)
    rows = SectionSummary.objects.bulk_create(
        SectionSummary(
            document=document,
            section_path=list(one.section.path),
            first_index=one.section.first,
            last_index=one.section.last,
            text=one.text,
            made_by=one.made_by,
        )
        for one in made.summaries
    )
    SummaryVector.objects.bulk_create(
        SummaryVector(
            summary=row,
            encoder=made.encoder,
            key=f"{document.sha256}_s{row.first_index}_{row.last_index}",
            embedding=one.vector.tolist(),
        )
        for row, one in zip(rows, made.summaries, strict=True)
    )


def summaries_drop(document: Document) -> None:
    """Delete the document's summaries, in the transaction that deletes their passages."""
    SectionSummary.objects.filter(document=document).delete()


def document_summarise(document: Document) -> bool:
    """Make the summaries of an indexed document again; False if it was reindexed meanwhile."""
    made = summaries_draft(document, run=_at_once)
    with transaction.atomic():
        unchanged = Document.objects.select_for_update().filter(
            pk=document.pk, indexed_at=document.indexed_at
        )
        if document.indexed_at is None or not unchanged.exists():
            return False
        summaries_keep(document, made)
    return True


def _at_once(work: Callable[[], T], *, limit_s: float) -> T:
    return work()


def documents_to_summarise() -> QuerySet[Document]:
    """Return indexed documents whose summaries are missing or made differently.

    Where the site makes none: documents that still have some.
    """
    encoder = _primary()
    own = SectionSummary.objects.filter(document=OuterRef("pk"))
    indexed = Document.objects.filter(indexed_at__isnull=False).order_by("pk")
    if settings.SUMMARIES == "none" or encoder is None:
        return indexed.filter(Exists(own))
    right = own.filter(made_by=made_by(embedder_of(encoder)), vector__encoder=encoder)
    counted = indexed.annotate(passages=Count("chunks")).filter(passages__gte=MIN_CHUNKS)
    return counted.exclude(Exists(right))


def _primary() -> Encoder | None:
    return next(iter(searched_rows()), None)


def _passages(document: Document, chunks: Sequence[Chunk], encoder: Encoder) -> Passages | None:
    """Return the passages; None where a vector is missing. Disabled ones are not summarised."""
    found = vectors.read(encoder, [chunk.pk for chunk in chunks])
    if not chunks or len(found) != len(chunks):
        return None
    return Passages(
        title=document.title,
        population=document.population,
        texts=tuple("" if chunk.disabled_at else chunk.text for chunk in chunks),
        paths=tuple(tuple(chunk.section_path) for chunk in chunks),
        vectors=np.stack([found[chunk.pk] for chunk in chunks]),
    )
