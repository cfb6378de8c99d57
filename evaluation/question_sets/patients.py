"""Read questions that patients and the public asked, in four published forms.

LiveQA: Ben Abacha et al., TREC 2017. The question is the experts' summary of what somebody wrote.
The judgements are looked for in the file's folder; a document judged 3 (incomplete) or 4
(excellent) is relevant, by its name in the judgements.

MedQuAD: Ben Abacha and Demner-Fushman, BMC Bioinformatics 2019. A folder or tar of XML, each file
with questions about one topic. Three of its collections are published without answers; their
questions are left out and reported.

HealthSearchQA: Singhal et al., Nature 2023, without answers. JSON (a list of texts or of objects
with `question`), JSON lines, CSV with a column `question`, or text with a question per line.

MedDialog: Zeng et al., EMNLP 2020. The JSON list of `{"description", "utterances"}`, or the older
text of the sites: `id=`, Description, Dialogue, Patient:, Doctor:. The question is what the patient
wrote first, or the description if that is empty; nothing after the doctor's first answer is read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from corpus.parsing.clean import clean_line, clean_lines
from corpus.parsing.published.medquad import answer_lines
from evaluation.datasets.medquad_liveqa import (
    GOOD,
    pair_text,
    pairs_of,
    read_judgements,
    tar_members,
    wording,
    xml_of,
)
from evaluation.datasets.types import DatasetError, Malformed
from evaluation.question_sets.records import (
    MAX_BYTES,
    JsonObject,
    Record,
    csv_rows,
    json_lines,
    json_list,
    key_of,
    kind_of,
    line_of,
    lines_of,
    object_of,
    read_text,
    text_lines,
    texts_of,
)
from evaluation.question_sets.types import Item, ItemKind


def liveqa_records(path: Path) -> Iterator[Record]:
    """Yield the questions of an XML file, or of a folder that holds it. Raises DatasetError."""
    files = [path] if path.is_file() else sorted(path.glob("*LiveQA*.xml"))
    if not files:
        raise DatasetError(f"{path.name} holds no *LiveQA*.xml.", hint="Name the file itself.")
    file = files[0]
    if file.stat().st_size > MAX_BYTES:
        raise DatasetError(f"{file.name} is too long.", hint="Check the file.")
    archives = sorted(file.parent.glob("*[qQ]rels*.zip"))
    qrels = read_judgements(archives[0])[0] if archives else {}
    for number, element in enumerate(xml_of(file, file.name).iter("NLM-QUESTION"), start=1):
        gains = qrels.get(element.get("qid", "").removeprefix("TQ"), {})
        relevant = tuple(sorted(name for name, gain in gains.items() if gain >= GOOD))
        yield Record(f"{file.name}, question {number}", number, (element, relevant))


def liveqa_item(record: Record) -> Item:
    """Return a record's item. Raises Malformed."""
    element, relevant = record.value
    key = clean_line(element.get("qid", ""))
    if not key:
        raise Malformed("it has no qid.")
    answers = [clean_lines("".join(e.itertext())).strip() for e in element.iter("ANSWER")]
    gold, *others = [answer for answer in answers if answer] or [""]
    return Item(
        key=key,
        question=clean_line(wording(element, "summary") or wording(element, "paraphrase")),
        kind=kind_of(gold),
        gold_answer=gold,
        other_answers=tuple(others),
        relevant=relevant,
        category=clean_line(element.findtext("ANNOTATIONS/TYPE") or ""),
    )


def medquad_records(path: Path) -> Iterator[Record]:
    """Yield the questions of each file; a file that is not XML is a fault. Raises DatasetError."""
    number = total = 0
    for name, content in _files(path):
        total += len(content)
        if total > MAX_BYTES:
            raise DatasetError(
                f"{path.name} is longer than {MAX_BYTES // 2**20} MB.", hint="Divide it into parts."
            )
        number += 1
        try:
            root = xml_of(content, name.name)
        except DatasetError as error:
            yield Record(_place(name), number, fault=str(error).partition(": ")[2])
            continue
        yield from _pairs(name, root, hashlib.sha256(content).hexdigest())


def medquad_item(record: Record) -> Item:
    """Return a record's item. Raises Malformed."""
    pair, key, sha256 = record.value
    answer = "\n".join(answer_lines(pair_text(pair, "answer")))
    if not answer:
        raise Malformed("it has no answer.")
    element = next((e for e in pair.iter() if e.tag.lower() == "question"), pair)
    return Item(
        key=key,
        question=clean_line(pair_text(pair, "question")),
        kind=ItemKind.ANSWERABLE,
        gold_answer=answer,
        relevant=(sha256,),
        category=clean_line(element.get("qtype", "")),
    )


def _files(path: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield one XML file, all below a folder, or all in a tar. Raises DatasetError."""
    if path.is_file() and path.suffix.lower() != ".xml":
        yield from tar_members(path)
        return
    for file in [path] if path.is_file() else sorted(path.rglob("*.xml")):
        try:
            yield PurePosixPath(file), file.read_bytes()
        except OSError as error:
            raise DatasetError(
                f"{file.name} can't be read.", hint="Check its permissions."
            ) from error


def _pairs(name: PurePosixPath, root: Element, sha256: str) -> Iterator[Record]:
    """Yield the questions of a file, identified by its digest: names repeat in several folders."""
    source = root.get("source") or root.get("corpus") or ""
    pairs = pairs_of(root)
    if not pairs:
        yield Record(_place(name), 1, fault="it holds no question.")
    for place, element in enumerate(pairs, start=1):
        key = f"{source}_{name.stem}_Sec{place}.txt"  # the answer's id in LiveQA's judgements
        yield Record(f"{_place(name)}, question {place}", place, (element, key, sha256))


def _place(name: PurePosixPath) -> str:
    """Return the file's name with its folder, since names repeat in several folders."""
    return "/".join(name.parts[-2:])


def healthsearchqa_records(path: Path) -> Iterator[Record]:
    """Read records by the suffix of the file, ignoring .gz. Raises DatasetError."""
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending == ".json":
        return json_list(path)
    if ending == ".jsonl":
        return json_lines(path)
    if ending == ".csv":
        return _table(path)
    if ending in ("", ".txt"):
        return (Record(f"{path.name}, line {n}", n, line) for n, line in text_lines(path))
    raise DatasetError(
        f"{path.name} is neither JSON, CSV nor text.", hint="Name it .json, .jsonl, .csv or .txt."
    )


def healthsearchqa_item(record: Record) -> Item:
    """Return a record's item; without an id its key is its number. Raises Malformed."""
    if isinstance(record.value, str):
        key, question = str(record.number), record.value
    else:
        row = object_of(record, "question")
        key, question = key_of(row.get("id", record.number)), row["question"]
    return Item(key, line_of(question, "the question"), ItemKind.UNLABELLED)


def _table(path: Path) -> Iterator[Record]:
    rows = csv_rows(path)
    head = [cell.strip().lower() for cell in next(rows, Record("", 0, [])).value]
    if "question" not in head:
        raise DatasetError(
            f"{path.name} has no column question.",
            hint="Add a column name question in the first line.",
        )
    for row in rows:
        fault = "" if len(row.value) == len(head) else f"{len(head)} columns are needed."
        named = [(name, cell) for name, cell in zip(head, row.value, strict=False) if name]
        yield Record(row.place, row.number, JsonObject(named), fault)


_ID = re.compile(r"id\s*=\s*(\S+)\s*")
_HEADS = ("Description", "Dialogue", "Patient:", "Doctor:")
_SPEAKER = re.compile(r"(patient|doctor)\s*:\s*", re.IGNORECASE)


def meddialog_records(path: Path) -> Iterator[Record]:
    """Read records of the JSON or the older text. Raises DatasetError."""
    text = read_text(path)
    return json_list(path) if text.lstrip()[:1] in ("[", "{") else _dialogues(path, text)


def meddialog_item(record: Record) -> Item:
    """Return a record's item; its key is its id, or in JSON its number. Raises Malformed."""
    row = object_of(record, "description", "utterances")
    turns = [_turn(text) for text in texts_of(row["utterances"], "utterances")]
    question = next((words for who, words in turns if who == "patient"), "")
    gold = next((words for who, words in turns if who == "doctor"), "")
    return Item(
        key=key_of(row.get("id", record.number)),
        question=line_of(question or row["description"], "description"),
        kind=kind_of(gold),
        gold_answer=gold,
    )


def _turn(text: str) -> tuple[str, str]:
    speaker = _SPEAKER.match(text)
    if speaker is None:
        raise Malformed("an utterance must begin with patient: or doctor:.")
    return speaker[1].lower(), lines_of(text[speaker.end() :], "an utterance")


def _dialogues(path: Path, text: str) -> Iterator[Record]:
    """Yield the dialogue from each line `id=` to the next."""
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
    sections = [(head, "\n".join(words).strip()) for head, words in parts]
    value = JsonObject([("id", key)])
    value["description"] = next((words for head, words in sections if head == "Description"), "")
    value["utterances"] = [f"{head} {words}" for head, words in sections if head.endswith(":")]
    fault = "" if value["utterances"] else "it has neither Patient: nor Doctor:."
    return Record(place, number, value, fault)
