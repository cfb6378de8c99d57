"""Read a citation of PubMed: its title and abstract.

Source of the format: the U.S. National Library of Medicine's `PubmedArticleSet` of the annual
baseline and the daily updates, and of the E-utilities.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from corpus.parsing.drafts import Draft, text_draft
from corpus.parsing.published.publications import (
    CONCERN,
    ERRATUM,
    Reader,
    known,
    language_code,
    no_text,
    one,
    refuse_taken_back,
    year_in,
)
from corpus.parsing.published.xml_text import line_of
from corpus.parsing.types import BlockKind, Doubt

_TAKEN_BACK_TYPES = {"Retracted Publication", "Retraction of Publication", "Retraction Notice"}
_GUIDELINES = {"Guideline", "Practice Guideline"}
_AGES = (
    *("Infant, Newborn", "Infant", "Child, Preschool", "Child", "Adolescent", "Young Adult"),
    *("Adult", "Middle Aged", "Aged", "Aged, 80 and over"),
)
_NO_LABEL = {"", "UNLABELLED", "UNASSIGNED", "UNLABELED"}


def _facts(article: Element) -> dict[str, str]:
    types = {line_of(kind) for kind in article.iter("PublicationType")}
    marked = bool(types & _TAKEN_BACK_TYPES) or _has_note(article, "RetractionIn")
    refuse_taken_back(_title(article), marked=marked)
    if not any(True for _ in _abstract(article)):
        raise no_text("abstract")
    number = line_of(article.find("MedlineCitation/PMID"))
    headings = [line_of(name) for name in article.iter("DescriptorName")]
    return known(
        journal=line_of(article.find(".//Journal/Title")),
        year=year_in(_dates(article)),
        source_type="guideline" if types & _GUIDELINES else "article",
        url=f"https://pubmed.ncbi.nlm.nih.gov/{number}/" if number.isdigit() else "",
        language="en",  # of the abstract: others stand in `OtherAbstract`, which is not read
        original_language=language_code(line_of(article.find(".//Language"))),
        population=", ".join(age.lower() for age in _AGES if age in headings),
        pmid=number,
        doi=_identifier(article, "doi"),
        publication_types="; ".join(sorted(types)),
        mesh="; ".join(headings),
    )


def _title(article: Element) -> str:
    """Return the title, without the brackets that mark a translated one."""
    title = line_of(article.find(".//ArticleTitle"))
    if title.startswith("[") and title.rstrip(".").endswith("]"):
        title = title.rstrip(".")[1:-1]
    return title or line_of(article.find(".//VernacularTitle"))


def _abstract(article: Element) -> Iterator[Draft]:
    """Yield each part of the abstract below its label.

    A part without a label gets the heading `Abstract`, so that it is not below the label before it.
    """
    before = ""
    for part in article.findall(".//Article/Abstract/AbstractText"):
        text = line_of(part)
        label = str(part.get("Label", "")).strip().rstrip(":")
        label = "" if label.upper() in _NO_LABEL else label.capitalize()
        if text and label != before:
            yield text_draft(BlockKind.HEADING, label or "Abstract", 2)
        if text:
            before = label
            yield text_draft(BlockKind.PARAGRAPH, text)


def _dates(article: Element) -> Iterator[str]:
    for path in (".//JournalIssue/PubDate", ".//ArticleDate", ".//PubMedPubDate"):
        date = article.find(path)
        if date is not None:
            yield line_of(date.find("Year")) or line_of(date.find("MedlineDate"))


def _identifier(article: Element, kind: str) -> str:
    for path in ("PubmedData/ArticleIdList/ArticleId", ".//ELocationID"):
        for element in article.findall(path):
            if kind in (element.get("IdType"), element.get("EIdType")):
                return line_of(element)
    return ""


def _has_note(article: Element, kind: str) -> bool:
    return any(note.get("RefType") == kind for note in article.iter("CommentsCorrections"))


def _doubts(article: Element) -> Iterator[Doubt]:
    if _has_note(article, "ExpressionOfConcernIn"):
        yield CONCERN
    if _has_note(article, "ErratumIn"):
        yield ERRATUM


READER = Reader(one("PubmedArticle"), _facts, _title, _abstract, _doubts)
