"""Reduce a data set to a part, for a quick look. Pure."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from bench.datasets.types import Dataset

DOCUMENTS_PER_QUERY = 20


def limited(dataset: Dataset, queries: int) -> Dataset:
    """Keep the first queries, all documents judged for them, and other documents up to a limit.

    The limit is DOCUMENTS_PER_QUERY for each query. Far fewer documents compete, so the figures do
    not hold for the whole data set; the name and notes say that it is a part.
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
