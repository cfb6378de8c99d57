"""Read multiple choice in four published forms: MedQA, MedMCQA, MMLU's medical subjects and MIRAGE.

Sources of the forms: Jin et al., Applied Sciences 2021; Pal et al., CHIL 2022; Hendrycks et al.,
ICLR 2021; Xiong et al., Findings of ACL 2024. The gold answer is the text of the right option.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.datasets.types import DatasetError, Malformed
from evaluation.question_sets.records import (
    JsonObject,
    Record,
    csv_rows,
    json_lines,
    json_pairs,
    key_of,
    keyed,
    letter_of,
    line_of,
    list_of,
    object_of,
    options_of,
)
from evaluation.question_sets.types import LETTERS, Item, ItemKind

_SPLITS = ("dev", "val", "test")
_MEDMCQA = ("opa", "opb", "opc", "opd")


def medqa_item(record: Record) -> Item:
    """Return the item of a line of MedQA. Raises Malformed.

    `options` are by their letters, of which `answer_idx` is one.
    """
    row = object_of(record, "question", "options", "answer_idx")
    options = _options_by_letter(row["options"])
    item = _item(str(record.number), row["question"], options, row["answer_idx"])
    if row.get("answer") and line_of(row["answer"], "answer") != item.gold_answer:
        raise Malformed("answer is not the text of the option answer_idx.")
    return replace(item, category=line_of(row.get("meta_info"), "meta_info"))


def medmcqa_records(path: Path) -> Iterator[Record]:
    """Yield the lines of MedMCQA, each with the number from which `cop` counts.

    The authors' files count from 1, those of Hugging Face from 0; a 4 or a 0 anywhere tells which.
    Raises DatasetError for answers with neither or both.
    """
    records = list(json_lines(path))
    rows = [record.value for record in records if isinstance(record.value, JsonObject)]
    given = {row["cop"] for row in rows if type(row.get("cop")) is int}
    if (0 in given) == (4 in given) and given - {-1}:
        raise DatasetError(
            f"{path.name}: cop may count from 0 or from 1.",
            hint="Import the whole file, in which some answer is the first or the last option.",
        )
    for record in records:
        yield replace(record, value=(record.value, 1 if 4 in given else 0))


def medmcqa_item(record: Record) -> Item:
    """Return a record's item. Raises Malformed, also for an answer that is withheld (`cop` -1)."""
    value, first = record.value
    row = object_of(replace(record, value=value), "question", "cop", *_MEDMCQA)
    cop = row["cop"]
    if type(cop) is not int or not 0 <= cop - first < len(_MEDMCQA):
        raise Malformed("cop names no option.")
    options = options_of([row[name] for name in _MEDMCQA])
    key = key_of(row.get("id", record.number))
    category = line_of(row.get("subject_name"), "subject_name")
    return replace(_item(key, row["question"], options, LETTERS[cop - first]), category=category)


def mmlu_records(path: Path) -> Iterator[Record]:
    """Yield the rows of a table, or of all tables in a folder, one per subject.

    Raises DatasetError.
    """
    for file in [path] if path.is_file() else sorted(path.rglob("*.csv")):
        rows = (r for r in csv_rows(file) if r.value[0].strip().lower() != "question")  # its head
        for number, row in enumerate(rows, start=1):
            yield replace(row, number=number, value=(file.stem, row.value))


def mmlu_item(record: Record) -> Item:
    """Return the item of a row `question,A,B,C,D,answer`; the file's name is the subject.

    Raises Malformed.
    """
    stem, row = record.value
    if len(row) != 6:
        raise Malformed("the columns question, A, B, C, D and answer are needed.")
    subject, _, split = stem.rpartition("_")
    if split not in _SPLITS:
        subject, split = stem, ""
    item = _item(f"{stem}/{record.number}", row[0], options_of(row[1:5]), row[5])
    return replace(item, category=subject, split=split)


def mirage_records(path: Path) -> Iterator[Record]:
    """Yield the questions of each data set of MIRAGE. Raises DatasetError."""
    for sets in json_pairs(path):
        if sets.fault:
            yield sets
        elif not isinstance(sets.value[1], JsonObject):
            yield replace(sets, fault="questions by their ids are needed.")
        else:
            name, values = sets.value
            for record in keyed(path, values, within=f"{name[:50]}/"):
                key, row = record.value or ("", None)
                yield replace(record, value=(name, key, row))


def mirage_item(record: Record) -> Item:
    """Return a record's item; its `PMID`, if any, names relevant abstracts. Raises Malformed."""
    name, key, value = record.value
    row = object_of(replace(record, value=value), "question", "options", "answer")
    options = _options_by_letter(row["options"])
    item = _item(f"{name}/{key}", row["question"], options, row["answer"])
    relevant = tuple(key_of(each) for each in list_of(row.get("PMID"), "PMID"))
    return replace(item, category=name, split="test", relevant=relevant)


def _item(key: str, question: Any, options: tuple[str, ...], answer: Any) -> Item:
    letter = letter_of(answer, options)
    return Item(
        key,
        line_of(question, "the question"),
        ItemKind.MULTIPLE_CHOICE,
        gold_answer=options[LETTERS.index(letter)],
        options=options,
        gold_label=letter,
    )


def _options_by_letter(value: Any) -> tuple[str, ...]:
    if not isinstance(value, JsonObject) or sorted(value) != list(LETTERS[: len(value)]):
        raise Malformed("options with letters, from A on, are needed.")
    if value.twice:
        raise Malformed(f"the option {value.twice[0]} occurs twice.")
    return options_of([value[letter] for letter in sorted(value)])
