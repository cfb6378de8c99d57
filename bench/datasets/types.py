"""A data set for retrieval, whatever form it was published in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from evaluation.datasets.types import MAX_ID_CHARS, DatasetError, SourceDocument

Qrels = Mapping[str, Mapping[str, int]]  # query id -> document id -> gain, 0 for judged and useless


@dataclass(frozen=True)
class Dataset:
    """Documents, queries by id, and judgements; all in the order of their ids.

    Every query has at least one relevant document: others say nothing about a ranking. For measures
    without grades a document is relevant from the gain `relevant_from` on (`trec_eval -l`).
    """

    name: str
    documents: tuple[SourceDocument, ...]
    queries: Mapping[str, str]
    qrels: Qrels
    relevant_from: int = 1
    notes: tuple[str, ...] = field(default=())  # what was chosen or left out, for the report

    @cached_property
    def digest(self) -> str:
        """64 hex digits over the name, documents, queries, judgements and `relevant_from`."""
        judged = {query: dict(sorted(gains.items())) for query, gains in self.qrels.items()}
        rest = [self.name, dict(self.queries), judged, self.relevant_from]
        digest = hashlib.sha256(self.documents_digest.encode())
        digest.update(json.dumps(rest, sort_keys=True, ensure_ascii=False).encode())
        return digest.hexdigest()

    @cached_property
    def documents_digest(self) -> str:
        """64 hex digits over the documents alone, on which an index depends."""
        digest = hashlib.sha256()
        for document in self.documents:
            digest.update(document.sha256.encode())
        return digest.hexdigest()


def dataset_of(
    name: str,
    *,
    documents: list[SourceDocument],
    queries: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, int]],
    relevant_from: int = 1,
    notes: tuple[str, ...] = (),
) -> Dataset:
    """Build a data set in the order of its ids, without what can't be measured.

    Left out are judgements of missing documents, and queries without a text or without a relevant
    document. Raises DatasetError for a repeated document id, for an id that TREC files can't hold
    (empty, or with a blank) or the database can't (too long, or with unprintable characters), and
    when no query is left.
    """
    ids = [document.id for document in documents]
    for identifier in (*ids, *queries):
        _refuse_id(name, identifier)
    if len(set(ids)) != len(ids):
        raise DatasetError(f"{name}: a document's id stands twice.", hint="Nothing was loaded.")
    held = _held(qrels, frozenset(ids))
    kept = sorted(
        query
        for query, gains in held.items()
        if queries.get(query, "").strip() and any(g >= relevant_from for g in gains.values())
    )
    if not kept:
        raise DatasetError(
            f"{name}: no query has a relevant document.",
            hint="Check that queries and judgements name the same ids, and the split.",
        )
    absent = sum(len(qrels[query]) - len(held[query]) for query in kept)
    return Dataset(
        name=name,
        documents=tuple(sorted(documents, key=lambda document: document.id)),
        queries={query: queries[query].strip() for query in kept},
        qrels={query: held[query] for query in kept},
        relevant_from=relevant_from,
        notes=(*notes, *_left_out(queries=len(queries) - len(kept), judgements=absent)),
    )


def _held(qrels: Qrels, known: frozenset[str]) -> dict[str, dict[str, int]]:
    """Return the judgements of documents in `known`, in the order of their ids."""
    return {
        query: {doc: gain for doc, gain in sorted(gains.items()) if doc in known}
        for query, gains in qrels.items()
    }


def _left_out(*, queries: int, judgements: int) -> Iterator[str]:
    if queries:
        yield f"{queries} queries without a relevant document are left out"
    if judgements:
        yield f"{judgements} judgements of documents that are not there are left out"


def _refuse_id(name: str, identifier: str) -> None:
    shown = repr(identifier[:50])
    if not identifier or any(character.isspace() for character in identifier):
        raise DatasetError(
            f"{name}: the id {shown} is empty or has a blank.",
            hint="Runs in TREC's form part their fields by blanks. Nothing was loaded.",
        )
    if not identifier.isprintable() or len(identifier) > MAX_ID_CHARS:
        raise DatasetError(
            f"{name}: the id {shown} is longer than {MAX_ID_CHARS} characters, or has one that "
            "can't be printed.",
            hint="Nothing was loaded.",
        )
