"""MedQuAD as published: a folder or tar of XML, in each file questions about one topic.

Source of the form: Ben Abacha and Demner-Fushman, BMC Bioinformatics 2019. Three of its collections
are published without answers; their questions are left out, and named.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from corpus.parsing.clean import clean_line
from corpus.parsing.published.medquad import answer_lines
from evaluation.datasets.medquad_liveqa import pair_text, pairs_of, tar_members, xml_of
from evaluation.datasets.types import DatasetError
from evaluation.question_sets.records import MAX_BYTES, Record
from evaluation.question_sets.types import Item, ItemKind, Malformed


@dataclass(frozen=True)
class _Pair:
    element: Element
    key: str  # as the judgements of LiveQA call the answer
    sha256: str  # of the file's bytes, by which a corpus knows it: names stand in several folders


def medquad_records(path: Path) -> Iterator[Record]:
    """Yield the questions of each file; one that is not XML is a fault. Raises DatasetError."""
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
            yield Record(_place(name), number, fault=_reason(error))
            continue
        yield from _pairs(name, root, hashlib.sha256(content).hexdigest())


def medquad_item(record: Record) -> Item:
    """Raise Malformed."""
    pair: _Pair = record.value
    answer = "\n".join(answer_lines(pair_text(pair.element, "answer")))
    if not answer:
        raise Malformed("it has no answer.")
    asked = next((e for e in pair.element.iter() if e.tag.lower() == "question"), pair.element)
    return Item(
        key=pair.key,
        question=clean_line(pair_text(pair.element, "question")),
        kind=ItemKind.ANSWERABLE,
        gold_answer=answer,
        relevant=(pair.sha256,),
        category=clean_line(asked.get("qtype", "")),
    )


def _files(path: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield one XML file, those below a folder, or those of a tar. Raises DatasetError."""
    if path.is_file() and path.suffix.lower() != ".xml":
        yield from tar_members(path)
        return
    for file in [path] if path.is_file() else sorted(path.rglob("*.xml")):
        try:
            yield PurePosixPath(file), file.read_bytes()
        except OSError as error:
            raise DatasetError(f"{file.name} can't be read.", hint="Check its rights.") from error


def _pairs(name: PurePosixPath, root: Element, sha256: str) -> Iterator[Record]:
    source = root.get("source") or root.get("corpus") or ""
    pairs = pairs_of(root)
    if not pairs:
        yield Record(_place(name), 1, fault="it holds no question.")
    for place, element in enumerate(pairs, start=1):
        pair = _Pair(element, f"{source}_{name.stem}_Sec{place}.txt", sha256)
        yield Record(f"{_place(name)}, question {place}", place, pair)


def _place(name: PurePosixPath) -> str:
    """Return the file with its folder: the same name stands in several."""
    return "/".join(name.parts[-2:])


def _reason(error: DatasetError) -> str:
    return str(error).partition(": ")[2]
