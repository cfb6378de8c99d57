"""SciFact as published: `corpus.jsonl` and `claims_<split>.jsonl`.

Source of the form: Wadden et al., EMNLP 2020. Relevant is, as in BEIR, each abstract that a claim
cites; with `queries="evidence"` only an abstract that holds evidence for or against the claim, and
claims without any are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.datasets.reading import found, id_of, once, records_of, text_of, texts_of
from evaluation.datasets.types import Dataset, DatasetError, SourceDocument, dataset_of

QUERIES = ("cited", "evidence")


def read_scifact(folder: Path, *, split: str = "train", queries: str = "cited") -> Dataset:
    """Return claims as queries, abstracts as documents of one gain. Raises DatasetError."""
    if queries not in QUERIES:
        raise DatasetError(f"--queries of scifact is one of {', '.join(QUERIES)}.")
    asked, corpus = found(folder, f"claims_{split}.jsonl"), found(folder, "corpus.jsonl")
    claims = once(
        ((id_of(claim["id"], asked.name), claim) for claim in records_of(asked, "id", "claim")),
        asked.name,
    )
    documents = [
        SourceDocument(
            id_of(record["doc_id"], corpus.name),
            text_of(record["title"], corpus.name),
            " ".join(texts_of(record["abstract"], corpus.name)),
        )
        for record in records_of(corpus, "doc_id", "title", "abstract")
    ]
    return dataset_of(
        f"scifact/{split}/{queries}",
        documents=documents,
        queries={name: text_of(claim["claim"], asked.name) for name, claim in claims.items()},
        qrels={name: _relevant(claim, queries, asked.name) for name, claim in claims.items()},
        notes=(f"relevant: {_MEANING[queries]}",),
    )


def _relevant(claim: Mapping[str, Any], queries: str, place: str) -> dict[str, int]:
    """Evidence is an object by abstract, what is cited a list."""
    key = "cited_doc_ids" if queries == "cited" else "evidence"
    named = claim.get(key) or []
    if not isinstance(named, list | dict):
        raise DatasetError(f"{place}: {key} must name abstracts.")
    return {id_of(document, place): 1 for document in named}


_MEANING = {
    "cited": "every abstract that the claim cites, as in BEIR",
    "evidence": "abstracts with evidence for or against the claim",
}
