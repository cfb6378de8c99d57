"""SciFact as published: `corpus.jsonl` and `claims_<split>.jsonl`.

Source of the form: Wadden et al., EMNLP 2020. Relevant is, as in BEIR, each abstract that a claim
cites; with `queries="evidence"` only an abstract that holds evidence for or against the claim, and
claims without any are left out.
"""

from __future__ import annotations

from pathlib import Path

from evaluation.datasets.reading import found, records_of
from evaluation.datasets.types import Dataset, DatasetError, SourceDocument, dataset_of

QUERIES = ("cited", "evidence")


def read_scifact(folder: Path, *, split: str = "train", queries: str = "cited") -> Dataset:
    """Claims as queries, abstracts as documents of one gain. Raises DatasetError."""
    if queries not in QUERIES:
        raise DatasetError(f"--queries of scifact is one of {', '.join(QUERIES)}.")
    claims = list(records_of(found(folder, f"claims_{split}.jsonl"), "id", "claim"))
    key = "cited_doc_ids" if queries == "cited" else "evidence"
    documents = [
        SourceDocument(str(record["doc_id"]), str(record["title"]), " ".join(record["abstract"]))
        for record in records_of(found(folder, "corpus.jsonl"), "doc_id", "title", "abstract")
    ]
    return dataset_of(
        f"scifact/{split}/{queries}",
        documents=documents,
        queries={str(claim["id"]): str(claim["claim"]) for claim in claims},
        qrels={str(c["id"]): {str(doc): 1 for doc in c.get(key) or ()} for c in claims},
        notes=(f"relevant: {_MEANING[queries]}",),
    )


_MEANING = {
    "cited": "every abstract that the claim cites, as in BEIR",
    "evidence": "abstracts with evidence for or against the claim",
}
