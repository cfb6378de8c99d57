"""BioASQ Task B as published: biomedical questions with ideal and exact answers.

Source of the form: Tsatsaronis et al., BMC Bioinformatics 2015. Rounds that are still open are
published without answers; their questions are unlabelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.question_sets.records import (
    Record,
    key_of,
    kind_of,
    label_of,
    line_of,
    lines_of,
    listed,
    object_of,
    read_json,
    texts_of,
)
from evaluation.question_sets.types import Item, ItemKind, Malformed

TYPES = ("yesno", "factoid", "list", "summary")


def bioasq_records(path: Path) -> Iterator[Record]:
    """Raise DatasetError."""
    content = read_json(path)
    return listed(path, content.get("questions") if isinstance(content, dict) else content)


def bioasq_item(record: Record) -> Item:
    """Return the claims are the exact answers of a factoid or list question. Raises Malformed."""
    row = object_of(record, "id", "body", "type")
    category = line_of(row["type"], "type")
    if category not in TYPES:
        raise Malformed(f"the type is none of {', '.join(TYPES)}.")
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
    """Return a text in the first rounds, a list of equally good ones since."""
    if isinstance(value, list):
        return texts_of(value, "ideal_answer")
    return tuple(filter(None, [lines_of(value, "ideal_answer")]))


def _exact(value: Any, category: str) -> tuple[str, ...]:
    """Return one name of each thing: others beside it are synonyms, or less likely."""
    if category not in ("factoid", "list"):
        return ()
    things = value if isinstance(value, list) and category == "list" else [value]
    names = map(_first, things)
    return tuple(filter(None, (line_of(name, "exact_answer") for name in names)))


def _first(value: Any) -> Any:
    """Of lists in lists; None where there is none."""
    while isinstance(value, list):
        value = value[0] if value else None
    return value


def _number(address: str) -> str:
    """PubMed's number at the end of an address: 15829955 of `.../pubmed/15829955`."""
    end = address.rstrip("/").rpartition("/")[2]
    return end if end.isdecimal() else address
