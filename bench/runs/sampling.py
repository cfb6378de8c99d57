"""A part of a data set, for a quick look. Pure."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from bench.datasets.types import Dataset

DOCUMENTS_PER_QUERY = 20


def limited(dataset: Dataset, queries: int) -> Dataset:
    """Return the first queries, all documents that are judged for them, and the first others.

    Far fewer documents compete, so that its figures say nothing of the whole; its name and notes
    say that it is a part.
    """
    kept = dict(islice(dataset.queries.items(), queries))
    qrels = {query: dataset.qrels[query] for query in kept}
    judged = {document for gains in qrels.values() for document in gains}
    room = max(0, DOCUMENTS_PER_QUERY * len(kept) - len(judged))
    others = islice((d.id for d in dataset.documents if d.id not in judged), room)
    wanted = judged | set(others)
    return replace(
        dataset,
        name=f"{dataset.name}/first-{len(kept)}",
        documents=tuple(d for d in dataset.documents if d.id in wanted),
        queries=kept,
        qrels=qrels,
        notes=(*dataset.notes, f"only a part: {len(kept)} queries, {len(wanted)} documents"),
    )
