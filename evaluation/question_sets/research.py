"""Read research questions in three published forms: BioASQ, PubMedQA and MS².

BioASQ, Task B: Tsatsaronis et al., BMC Bioinformatics 2015. Rounds that are still open are
published without answers; their questions are unlabelled.

PubMedQA: Jin et al., EMNLP 2019. The long answer is the conclusion of the abstract; the sets
without labels (PQA-U) have no `final_decision`.

MS²: DeYoung et al., EMNLP 2021, and the shared task MSLR 2022. JSON lines of systematic reviews.
The question is the title of the review, or its background if `title` lists those of the studies, as
in the shared task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.datasets.types import Malformed
from evaluation.question_sets.records import (
    Record,
    key_of,
    kind_of,
    label_of,
    line_of,
    lines_of,
    list_of,
    listed,
    object_of,
    read_json,
    texts_of,
)
from evaluation.question_sets.types import Item, ItemKind

TYPES = ("yesno", "factoid", "list", "summary")


def bioasq_records(path: Path) -> Iterator[Record]:
    """Yield the questions of a file. Raises DatasetError."""
    content = read_json(path)
    return listed(path, content.get("questions") if isinstance(content, dict) else content)


def bioasq_item(record: Record) -> Item:
    """Return a record's item. Raises Malformed.

    The gold claims are the exact answers of a factoid or list question.
    """
    row = object_of(record, "id", "body", "type")
    category = line_of(row["type"], "type")
    if category not in TYPES:
        raise Malformed(f"the type must be one of {', '.join(TYPES)}.")
    ideal = _ideal(row.get("ideal_answer"))
    label = label_of(_first(row.get("exact_answer"))) if category == "yesno" else ""
    exact = _exact(row.get("exact_answer"), category)
    gold = ideal[0] if ideal else "; ".join(exact)
    return Item(
        key=key_of(row["id"]),
        question=line_of(row["body"], "body"),
        kind=ItemKind.YES_NO if label else kind_of(gold),
        gold_answer=gold,
        other_answers=ideal[1:],
        gold_claims=exact,
        relevant=tuple(map(_number, texts_of(row.get("documents"), "documents"))),
        gold_label=label,
        category=category,
    )


def _ideal(value: Any) -> tuple[str, ...]:
    """Return the equally good answers: one text in the first rounds, a list since."""
    if isinstance(value, list):
        return texts_of(value, "ideal_answer")
    return tuple(filter(None, [lines_of(value, "ideal_answer")]))


def _exact(value: Any, category: str) -> tuple[str, ...]:
    """Return one name of each thing; the others are synonyms, or less likely."""
    if category not in ("factoid", "list"):
        return ()
    things = value if isinstance(value, list) and category == "list" else [value]
    names = map(_first, things)
    return tuple(filter(None, (line_of(name, "exact_answer") for name in names)))


def _first(value: Any) -> Any:
    """Return the first element of nested lists, None if empty, or a value that is no list."""
    while isinstance(value, list):
        value = value[0] if value else None
    return value


def _number(address: str) -> str:
    """Return PubMed's number at the end of an address: 15829955 for `.../pubmed/15829955`."""
    end = address.rstrip("/").rpartition("/")[2]
    return end if end.isdecimal() else address


def pubmedqa_item(record: Record) -> Item:
    """Return a record's item; the relevant document is its abstract's number. Raises Malformed."""
    key, value = record.value
    row = object_of(replace(record, value=value), "QUESTION")
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


def ms2_item(record: Record) -> Item:
    """Return a record's item; the listed studies are relevant. Raises Malformed.

    Studies are named by PubMed's numbers.
    """
    row = object_of(record, "title", "background", "target")
    gold = lines_of(row["target"], "target")
    title = row["title"]
    question = row["background"] if isinstance(title, list) else title or row["background"]
    studies = row.get("pmid") if isinstance(row.get("pmid"), list) else None
    return Item(
        key=key_of(row.get("review_id", row.get("docid", record.number))),
        question=line_of(question, "the title or background"),
        kind=kind_of(gold),
        gold_answer=gold,
        relevant=tuple(dict.fromkeys(key_of(each) for each in list_of(studies, "pmid"))),
    )
