"""Read BEIR's form and SciFact.

BEIR, `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv`: Thakur et al., NeurIPS Datasets and
Benchmarks 2021; a query without a line in the split's judgements belongs to another split. SciFact,
`corpus.jsonl` and `claims_<split>.jsonl`: Wadden et al., EMNLP 2020; relevant is, as in BEIR, each
abstract that a claim cites.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.datasets.reading import found, lines_of, once, records_of, texts_of
from bench.datasets.types import Dataset, dataset_of
from evaluation.datasets.reading import id_of, text_of
from evaluation.datasets.types import DatasetError, SourceDocument


def read_beir(folder: Path, *, split: str = "test") -> Dataset:
    """Read a data set in BEIR's form. Raises DatasetError."""
    qrels = _qrels(found(folder, f"qrels/{split}.tsv"))
    corpus, asked = found(folder, "corpus.jsonl"), found(folder, "queries.jsonl")
    documents = [
        SourceDocument(
            id_of(record["_id"], corpus.name),
            text_of(record.get("title"), corpus.name),
            text_of(record["text"], corpus.name),
        )
        for record in records_of(corpus, "_id", "text")
    ]
    texts = once(
        (
            (id_of(record["_id"], asked.name), text_of(record["text"], asked.name))
            for record in records_of(asked, "_id", "text")
        ),
        asked.name,
    )
    queries = {query: text for query, text in texts.items() if query in qrels}
    return dataset_of(
        f"{folder.resolve().name}/{split}", documents=documents, queries=queries, qrels=qrels
    )


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read judgements: three columns separated by tabs under a header, or TREC's four columns.

    Negative grades count as 0. Raises DatasetError, also for a document with two grades for a
    query.
    """
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(lines_of(path), start=1):
        parts = line.split("\t") if "\t" in line else line.split()
        if number == 1 and not parts[-1].lstrip("-").isdigit():
            continue  # the header
        try:
            query, document, gain = (parts[0], parts[-2], int(parts[-1]))
        except (IndexError, ValueError) as error:
            raise DatasetError(
                f"{path.name}, line {number}: query, document and a grade that is a whole number "
                "are needed."
            ) from error
        if qrels.setdefault(query, {}).setdefault(document, max(gain, 0)) != max(gain, 0):
            raise DatasetError(f"{path.name}, line {number}: the document has another grade above.")
    return qrels


def read_scifact(folder: Path, *, split: str = "train") -> Dataset:
    """Read claims as queries, abstracts as documents; relevant ones gain 1. Raises DatasetError."""
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
        f"scifact/{split}/cited",
        documents=documents,
        queries={name: text_of(claim["claim"], asked.name) for name, claim in claims.items()},
        qrels={name: _relevant(claim, asked.name) for name, claim in claims.items()},
        notes=("relevant: every abstract that the claim cites, as in BEIR",),
    )


def _relevant(claim: Mapping[str, Any], place: str) -> dict[str, int]:
    """Return the abstracts that the claim cites with gain 1."""
    named = claim.get("cited_doc_ids") or []
    if not isinstance(named, list):
        raise DatasetError(f"{place}: cited_doc_ids must name abstracts.")
    return {id_of(document, place): 1 for document in named}
