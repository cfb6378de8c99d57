"""The form of BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv`.

Source of the form: Thakur et al., NeurIPS Datasets and Benchmarks 2021. A query that has no line in
the split's judgements belongs to another split.
"""

from __future__ import annotations

from pathlib import Path

from evaluation.datasets.reading import found, id_of, lines_of, once, records_of, text_of
from evaluation.datasets.types import Dataset, DatasetError, SourceDocument, dataset_of


def read_beir(folder: Path, *, split: str = "test") -> Dataset:
    """Raise DatasetError."""
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
    """Return three columns parted by tabs under a header, or the four of TREC.

    Raises DatasetError, also for a document that has two grades for a query.
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
