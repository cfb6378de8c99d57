"""Read published forms of question sets, each into the same type of items. Pure: no Django.

Malformed records are named and skipped. To add a form: an adapter here, its line in `FORMS`, a row
of `docs/evaluating.md`, tests in `tests/evaluation/question_sets/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.datasets.types import MAX_ID_CHARS, DatasetError, Malformed
from evaluation.question_sets.multiple_choice import (
    medmcqa_item,
    medmcqa_records,
    medqa_item,
    mirage_item,
    mirage_records,
    mmlu_item,
    mmlu_records,
)
from evaluation.question_sets.own_forms import guidelines_item, plain_item
from evaluation.question_sets.patients import (
    healthsearchqa_item,
    healthsearchqa_records,
    liveqa_item,
    liveqa_records,
    meddialog_item,
    meddialog_records,
    medquad_item,
    medquad_records,
)
from evaluation.question_sets.records import Record, json_lines, json_list, json_pairs, shown
from evaluation.question_sets.research import bioasq_item, bioasq_records, ms2_item, pubmedqa_item
from evaluation.question_sets.types import Item, QuestionsRead

MAX_QUESTION_CHARS = 20_000


@dataclass(frozen=True)
class Form:
    """How a published form is read: a file into records, and a record into an item or Malformed."""

    records: Callable[[Path], Iterator[Record]]
    item: Callable[[Record], Item]


FORMS = {
    "bioasq": Form(bioasq_records, bioasq_item),
    "guidelines": Form(json_list, guidelines_item),
    "healthsearchqa": Form(healthsearchqa_records, healthsearchqa_item),
    "liveqa": Form(liveqa_records, liveqa_item),
    "meddialog": Form(meddialog_records, meddialog_item),
    "medmcqa": Form(medmcqa_records, medmcqa_item),
    "medqa": Form(json_lines, medqa_item),
    "medquad": Form(medquad_records, medquad_item),
    "mirage": Form(mirage_records, mirage_item),
    "mmlu": Form(mmlu_records, mmlu_item),
    "ms2": Form(json_lines, ms2_item),
    "plain": Form(json_list, plain_item),
    "pubmedqa": Form(json_pairs, pubmedqa_item),
}


def read_question_set(path: Path, *, form: str, split: str = "") -> QuestionsRead:
    """Return the questions of a file or folder; `split` overrides the split in the file.

    A malformed record is left out and reported. Raises DatasetError for a file that can't be read
    or has no question.
    """
    if not path.exists():
        raise DatasetError(f"There is no file {path}.", hint="Name the file of the question set.")
    items: dict[str, Item] = {}
    problems: list[str] = []
    for record in FORMS[form].records(path):
        try:
            item = _item(record, form)
            if item.key in items:
                raise Malformed(f"the id {shown(item.key)} occurs twice; only the first is kept.")
        except Malformed as error:
            problems.append(f"{record.place}: {error}")
        else:
            items[item.key] = replace(item, split=split) if split else item
    if not items:
        raise DatasetError(
            f"{path.name} holds no question in the form {form}. {' '.join(problems[:1])}".strip(),
            hint="Nothing was stored. Check the form; docs/evaluating.md describes each.",
        )
    return QuestionsRead(form, tuple(items.values()), tuple(problems))


def _item(record: Record, form: str) -> Item:
    """Return a record's item. Raises Malformed."""
    if record.fault:
        raise Malformed(record.fault)
    item = FORMS[form].item(record)
    if not any(character.isalnum() for character in item.question):
        raise Malformed("the question has no words.")
    if len(item.question) > MAX_QUESTION_CHARS:
        raise Malformed(f"the question is longer than {MAX_QUESTION_CHARS} characters.")
    if not item.key.isprintable() or not 1 <= len(item.key) <= MAX_ID_CHARS:
        raise Malformed(f"the id must have 1 to {MAX_ID_CHARS} printable characters.")
    return item
