"""PubMedQA as published: questions by PubMed's number, each with yes, no or maybe and why.

Source of the form: Jin et al., EMNLP 2019. The long answer is the conclusion of the abstract. The
sets without labels (PQA-U) have no `final_decision`: their questions have the long answer alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evaluation.question_sets.records import (
    Record,
    keyed,
    kind_of,
    label_of,
    line_of,
    lines_of,
    object_of,
    read_json,
)
from evaluation.question_sets.types import Item, ItemKind


def pubmedqa_records(path: Path) -> Iterator[Record]:
    """Raise DatasetError."""
    return keyed(path, read_json(path))


def pubmedqa_item(record: Record) -> Item:
    """Return the relevant document is the abstract, by its number. Raises Malformed."""
    key, value = record.value
    row = object_of(Record(record.place, record.number, value), "QUESTION")
    gold = lines_of(row.get("LONG_ANSWER"), "LONG_ANSWER")
    label = label_of(row.get("final_decision"))
    return Item(
        key=key,
        question=line_of(row["QUESTION"], "QUESTION"),
        kind=ItemKind.YES_NO if label else kind_of(gold),
        gold_answer=gold,
        relevant=(key,),
        gold_label=label,
    )
