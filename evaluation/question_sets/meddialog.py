"""MedDialog in English: what a patient wrote and what a doctor answered.

Source of the form: Zeng et al., EMNLP 2020, the JSON list of `{"description", "utterances"}`, and
the text of the sites before that: `id=`, Description, Dialogue, Patient:, Doctor:. Asked is what
the patient wrote first, or the description where it is silent; what follows the doctor's first
answer is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from evaluation.question_sets.records import (
    JsonObject,
    Record,
    json_list,
    key_of,
    kind_of,
    line_of,
    lines_of,
    object_of,
    read_text,
    texts_of,
)
from evaluation.question_sets.types import Item, Malformed

_ID = re.compile(r"id\s*=\s*(\S+)\s*")
_HEADS = ("Description", "Dialogue", "Patient:", "Doctor:")
_SPEAKER = re.compile(r"(patient|doctor)\s*:\s*", re.IGNORECASE)


def meddialog_records(path: Path) -> Iterator[Record]:
    """Raise DatasetError."""
    text = read_text(path)
    return json_list(path) if text.lstrip()[:1] in ("[", "{") else _dialogues(path, text)


def meddialog_item(record: Record) -> Item:
    """Known by its id, in JSON by its number. Raises Malformed."""
    row = object_of(record, "description", "utterances")
    turns = [_turn(text) for text in texts_of(row["utterances"], "utterances")]
    asked = next((words for who, words in turns if who == "patient"), "")
    gold = next((words for who, words in turns if who == "doctor"), "")
    return Item(
        key=key_of(row.get("id", record.number)),
        question=line_of(asked or row["description"], "description"),
        kind=kind_of(gold),
        gold_answer=gold,
    )


def _turn(text: str) -> tuple[str, str]:
    speaker = _SPEAKER.match(text)
    if speaker is None:
        raise Malformed("an utterance begins neither with patient: nor with doctor:.")
    return speaker[1].lower(), lines_of(text[speaker.end() :], "an utterance")


def _dialogues(path: Path, text: str) -> Iterator[Record]:
    """From each `id=` to the next."""
    begun: tuple[int, str] = (1, "")
    lines: list[str] = []
    number = 0
    for at, line in enumerate([*text.split("\n"), "id=end"], start=1):
        if not (head := _ID.fullmatch(line)):
            lines.append(line)
            continue
        if begun[1] or any(map(str.strip, lines)):
            number += 1
            yield _dialogue(f"{path.name}, line {begun[0]}", number, begun[1], lines)
        begun, lines = (at, head[1]), []


def _dialogue(place: str, number: int, key: str, lines: list[str]) -> Record:
    if not key:
        return Record(place, number, fault="it begins without an id=.")
    parts: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.strip() in _HEADS:
            parts.append((line.strip(), []))
        elif parts:
            parts[-1][1].append(line)
    told = [(head, "\n".join(words).strip()) for head, words in parts]
    value = JsonObject([("id", key)])
    value["description"] = next((words for head, words in told if head == "Description"), "")
    value["utterances"] = [f"{head} {words}" for head, words in told if head.endswith(":")]
    fault = "" if value["utterances"] else "it has neither Patient: nor Doctor:."
    return Record(place, number, value, fault)
