"""Read a file of MedQuAD: questions about one topic with their answers.

Source of the format: Ben Abacha and Demner-Fushman, BMC Bioinformatics 2019, the published XML. The
answers were taken from web pages, with runs of blanks where paragraphs and list items began.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from corpus.parsing.clean import clean_line, clean_text
from corpus.parsing.drafts import Draft, text_draft
from corpus.parsing.published.publications import Reader, known
from corpus.parsing.published.xml_text import read_xml
from corpus.parsing.types import BlockKind, ParseError

LICENCE = "CC BY 4.0"
# The usual names of the sites.
_ISSUERS = {
    "CancerGov": "National Cancer Institute",
    "GARD": "Genetic and Rare Diseases Information Center",
    "GHR": "Genetics Home Reference",
    "MPlusHealthTopics": "MedlinePlus",
    "NIDDK": "National Institute of Diabetes and Digestive and Kidney Diseases",
    "NINDS": "National Institute of Neurological Disorders and Stroke",
    "NHLBI": "National Heart, Lung, and Blood Institute",
    "CDC": "Centers for Disease Control and Prevention",
}
_BREAK = re.compile(r"[^\S\n]*\n\s*|[^\S\n]{3,}|[^\S\n]{2,}(?=-\s)")
_ITEM = re.compile(r"-\s+(?=\S)")
_LOOSE_QUESTION_MARK = re.compile(r"(?:\s*\?)+$")


@dataclass(frozen=True)
class _Tags:
    focus: str
    pairs: str
    pair: str
    question: str
    answer: str
    source: str


_USUAL = _Tags("Focus", "QAPairs", "QAPair", "Question", "Answer", "source")
# By the root's name; a few files of CDC and NINDS are published in the other forms.
_VOCABULARIES = {
    "Document": _USUAL,
    "DiseaseFile": _USUAL,
    "doc": _Tags("doctitle-focus", "qaPairs", "pair", "question", "answer", "corpus"),
}


def _load(source: Path | bytes) -> Element:
    root = read_xml(source)
    if root.tag not in _VOCABULARIES or root.find(_VOCABULARIES[root.tag].pairs) is None:
        raise ParseError(
            "This kind of XML can't be read.",
            code="xml_unknown",
            hint=(
                "MedQuAD, PubMed, JATS, Bookshelf, MedlinePlus and Wikipedia are read; "
                "convert others to HTML or PDF."
            ),
        )
    return root


def _facts(root: Element) -> dict[str, str]:
    if not any(True for _ in _body(root)):
        raise ParseError(
            "None of the questions in this file has an answer.",
            code="no_text",
            hint="Three of MedQuAD's collections are published without answers: leave them out.",
        )
    source = clean_line(root.get(_VOCABULARIES[root.tag].source, ""))
    return known(
        source=_ISSUERS.get(source, source),
        url=clean_line(root.get("url", "")),
        licence=LICENCE,
        source_type="answers",
        language="en",
    )


def _body(root: Element) -> Iterator[Draft]:
    """Yield each question as a heading with its answer below; no question without an answer."""
    tags = _VOCABULARIES[root.tag]
    for pair in root.iter(tags.pair):
        question = _LOOSE_QUESTION_MARK.sub("?", clean_line(pair.findtext(tags.question) or ""))
        answer = _answer_drafts(pair.findtext(tags.answer) or "")
        if question and answer:
            yield text_draft(BlockKind.HEADING, question, 2)
        yield from answer


def answer_lines(answer: str) -> list[str]:
    """Return the paragraphs and items of an answer, in order; empty for one without text."""
    return [draft.text for draft in _answer_drafts(answer)]


def _answer_drafts(answer: str) -> list[Draft]:
    drafts: list[Draft] = []
    for raw in _BREAK.split(clean_text(answer).strip()):
        marker = _ITEM.match(raw)
        text = clean_line(raw[marker.end() :] if marker else raw)
        if not text or text == "-":
            continue
        # A wrapped line: it begins in lower case, and the line before has no end.
        goes_on = drafts and text[0].islower() and drafts[-1].text[-1] not in ".:;!?"
        if goes_on and not marker:
            drafts[-1] = text_draft(drafts[-1].kind, f"{drafts[-1].text} {text}")
        else:
            drafts.append(text_draft(BlockKind.LIST_ITEM if marker else BlockKind.PARAGRAPH, text))
    return drafts


READER = Reader(
    _load,
    _facts,
    lambda root: clean_line(root.findtext(_VOCABULARIES[root.tag].focus) or ""),
    _body,
)
