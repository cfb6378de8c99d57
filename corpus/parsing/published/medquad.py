"""Read a file of MedQuAD: questions about one topic with their answers.

Source of the format: Ben Abacha and Demner-Fushman, BMC Bioinformatics 2019, the published XML. The
answers were taken from web pages, so that runs of blanks stand where paragraphs and list items
began.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from corpus.parsing.clean import clean_line, clean_text
from corpus.parsing.drafts import Draft, text_draft
from corpus.parsing.published.publications import known, one_page
from corpus.parsing.published.xml_text import read_xml
from corpus.parsing.registry import Request
from corpus.parsing.types import BlockKind, ParsedDocument, ParseError

LICENCE = "CC BY 4.0"
# The sites by the names that a reader knows.
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


def parse_medquad(request: Request) -> ParsedDocument:
    """Return one page: the topic as title, each question as heading, its answer below.

    Questions without an answer are left out. Raises ParseError: `xml_unknown` for another
    vocabulary, `no_text` where no question has an answer, and those of `read_xml`.
    """
    root = read_xml(request.path)
    tags = _tags(root)
    focus = clean_line(root.findtext(tags.focus) or "")
    body = [draft for pair in root.iter(tags.pair) for draft in _pair_drafts(pair, tags)]
    if not body:
        raise _no_answer()
    return one_page(request, focus, body, _metadata(root, tags))


def inspect_medquad(content: Path | bytes) -> dict[str, str]:
    """Return what the file says of itself, or raise what `parse_medquad` would."""
    root = read_xml(content)
    tags = _tags(root)
    answers = (answer.text for pair in root.iter(tags.pair) for answer in pair.iter(tags.answer))
    if not any((text or "").strip() for text in answers):
        raise _no_answer()
    return _metadata(root, tags)


def _tags(root: Element) -> _Tags:
    tags = _VOCABULARIES.get(root.tag)
    if tags is None or root.find(tags.pairs) is None:
        raise ParseError(
            "The XML is of a kind that is not read.",
            code="xml_unknown",
            hint=(
                "MedQuAD, PubMed, JATS, Bookshelf, MedlinePlus and Wikipedia are read; "
                "convert others to HTML or PDF."
            ),
        )
    return tags


def _no_answer() -> ParseError:
    return ParseError(
        "None of the questions in this file has an answer.",
        code="no_text",
        hint="Three of MedQuAD's collections are published without answers: leave them out.",
    )


def _metadata(root: Element, tags: _Tags) -> dict[str, str]:
    source = clean_line(root.get(tags.source, ""))
    return known(
        source=_ISSUERS.get(source, source),
        url=clean_line(root.get("url", "")),
        licence=LICENCE,
        source_type="answers",
        language="en",
    )


def _pair_drafts(pair: Element, tags: _Tags) -> list[Draft]:
    question = _LOOSE_QUESTION_MARK.sub("?", clean_line(pair.findtext(tags.question) or ""))
    answer = _answer_drafts(pair.findtext(tags.answer) or "")
    if not answer:
        return []
    return [text_draft(BlockKind.HEADING, question, 2), *answer] if question else answer


def answer_lines(answer: str) -> list[str]:
    """The paragraphs and items of an answer, in order; none for one without text."""
    return [draft.text for draft in _answer_drafts(answer)]


def _answer_drafts(answer: str) -> list[Draft]:
    drafts: list[Draft] = []
    for raw in _BREAK.split(clean_text(answer).strip()):
        marker = _ITEM.match(raw)
        text = clean_line(raw[marker.end() :] if marker else raw)
        if not text or text == "-":
            continue
        if not marker and drafts and _goes_on(drafts[-1].text, text):
            drafts[-1] = text_draft(drafts[-1].kind, f"{drafts[-1].text} {text}")
        else:
            drafts.append(text_draft(BlockKind.LIST_ITEM if marker else BlockKind.PARAGRAPH, text))
    return drafts


def _goes_on(before: str, text: str) -> bool:
    """Tell a line that was only wrapped from one that begins a paragraph."""
    return text[0].islower() and before[-1] not in ".:;!?"
