"""PubMedQA as published: each question is to find its own abstract among all of them.

Source of the form: Jin et al., EMNLP 2019. The abstract is given without its conclusion, which is
the answer. It has no title: the title of a paper is the question.
"""

from __future__ import annotations

import json
from pathlib import Path

from evaluation.datasets.reading import found, once, text_of, texts_of
from evaluation.datasets.types import Dataset, DatasetError, SourceDocument, dataset_of


def read_pubmedqa(folder: Path, *, split: str = "ori_pqal") -> Dataset:
    """Read `<split>.json`. Raises DatasetError."""
    path = found(folder, f"{split}.json")
    try:
        records = json.loads(
            path.read_text(encoding="utf-8-sig"),
            object_pairs_hook=lambda pairs: once(pairs, path.name),
        )
        documents = [
            SourceDocument(key, "", "\n".join(texts_of(record["CONTEXTS"], path.name)))
            for key, record in records.items()
        ]
        queries = {key: text_of(record["QUESTION"], path.name) for key, record in records.items()}
    except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError) as error:
        raise DatasetError(f"{path.name} is not in the form of PubMedQA.") from error
    return dataset_of(
        f"pubmedqa/{split}",
        documents=documents,
        queries=queries,
        qrels={query: {query: 1} for query in queries},
        notes=("relevant: the question's own abstract, indexed without a title",),
    )
