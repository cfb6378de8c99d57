"""The form of BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv`.

Source of the form: Thakur et al., NeurIPS Datasets and Benchmarks 2021. A query that has no line in
the split's judgements belongs to another split.
"""

from __future__ import annotations

from pathlib import Path

from evaluation.datasets.reading import found, lines_of, records_of
from evaluation.datasets.types import Dataset, DatasetError, SourceDocument, dataset_of


def read_beir(folder: Path, *, split: str = "test") -> Dataset:
    """Raises DatasetError."""
    qrels = _qrels(found(folder, f"qrels/{split}.tsv"))
    documents = [
        SourceDocument(str(r["_id"]), str(r.get("title") or ""), str(r["text"] or ""))
        for r in records_of(found(folder, "corpus.jsonl"), "_id", "text")
    ]
    texts = {
        str(record["_id"]): str(record["text"])
        for record in records_of(found(folder, "queries.jsonl"), "_id", "text")
    }
    queries = {query: text for query, text in texts.items() if query in qrels}
    return dataset_of(
        f"{folder.resolve().name}/{split}", documents=documents, queries=queries, qrels=qrels
    )


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    """Three columns parted by tabs under a header, or the four of TREC."""
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(lines_of(path), start=1):
        parts = line.split("\t") if "\t" in line else line.split()
        if number == 1 and not parts[-1].lstrip("-").isdigit():
            continue  # the header
        try:
            query, document, gain = (parts[0], parts[-2], int(parts[-1]))
        except (IndexError, ValueError) as error:
            raise DatasetError(
                f"{path.name}, line {number}: query, document and grade are needed."
            ) from error
        qrels.setdefault(query, {})[document] = max(gain, 0)
    return qrels
