"""The medical questions of TREC LiveQA 2017, with reference answers and judgements beside them.

Source of the form: Ben Abacha et al., TREC 2017. Asked is the experts' summary of what somebody
wrote. The judgements are looked for in the file's folder; a document that was judged 3 (incomplete)
or 4 (excellent) is relevant, by the name that the judgements give it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from corpus.parsing.clean import clean_line, clean_lines
from evaluation.datasets.medquad_liveqa import GOOD, read_judgements, wording, xml_of
from evaluation.datasets.types import DatasetError
from evaluation.question_sets.records import MAX_BYTES, Record, kind_of
from evaluation.question_sets.types import Item, Malformed


@dataclass(frozen=True)
class _Asked:
    element: Element
    relevant: tuple[str, ...]


def liveqa_records(path: Path) -> Iterator[Record]:
    """Of the XML, or of a folder that holds it. Raises DatasetError."""
    file = _questions_file(path)
    if file.stat().st_size > MAX_BYTES:
        raise DatasetError(f"{file.name} is too long.", hint="Check the file.")
    archives = sorted(file.parent.glob("*[qQ]rels*.zip"))
    qrels = read_judgements(archives[0])[0] if archives else {}
    for number, element in enumerate(xml_of(file, file.name).iter("NLM-QUESTION"), start=1):
        gains = qrels.get(element.get("qid", "").removeprefix("TQ"), {})
        relevant = tuple(sorted(name for name, gain in gains.items() if gain >= GOOD))
        yield Record(f"{file.name}, question {number}", number, _Asked(element, relevant))


def liveqa_item(record: Record) -> Item:
    """Raise Malformed."""
    element: Element = record.value.element
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
        relevant=record.value.relevant,
        category=clean_line(element.findtext("ANNOTATIONS/TYPE") or ""),
    )


def _questions_file(path: Path) -> Path:
    if path.is_file():
        return path
    files = sorted(path.glob("*LiveQA*.xml"))
    if not files:
        raise DatasetError(f"{path.name} holds no *LiveQA*.xml.", hint="Name the file itself.")
    return files[0]
