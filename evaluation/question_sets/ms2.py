"""MS²: systematic reviews, whose conclusions are to be drawn from the studies that they include.

Source of the form: DeYoung et al., EMNLP 2021, and the shared task MSLR 2022, JSON lines. Asked is
the title of the review; where `title` lists those of the studies, as in the shared task, its
background.
"""

from __future__ import annotations

from evaluation.question_sets.records import (
    Record,
    key_of,
    kind_of,
    line_of,
    lines_of,
    list_of,
    object_of,
)
from evaluation.question_sets.types import Item


def ms2_item(record: Record) -> Item:
    """Relevant are the studies, by PubMed's numbers where these are listed. Raises Malformed."""
    row = object_of(record, "title", "background", "target")
    gold = lines_of(row["target"], "target")
    title = row["title"]
    asked = row["background"] if isinstance(title, list) else title or row["background"]
    studies = row.get("pmid") if isinstance(row.get("pmid"), list) else None
    return Item(
        key=key_of(row.get("review_id", row.get("docid", record.number))),
        question=line_of(asked, "the title or background"),
        kind=kind_of(gold),
        gold_answer=gold,
        relevant=tuple(dict.fromkeys(key_of(each) for each in list_of(studies, "pmid"))),
    )
