"""Read an article in JATS, as PubMed Central publishes its open-access subset.

Source of the format: ANSI/NISO Z39.96, Journal Article Tag Suite.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from corpus.parsing.drafts import Drafted, text_draft
from corpus.parsing.published.markup_blocks import blocks
from corpus.parsing.published.publications import (
    CONCERN,
    ERRATUM,
    Reader,
    known,
    language_code,
    licence_of,
    no_text,
    one,
    refuse_taken_back,
    year_in,
)
from corpus.parsing.published.xml_text import line_of
from corpus.parsing.types import BlockKind, Doubt

_TAKEN_BACK_TYPES = {"retraction", "retracted-article", "withdrawal", "partial-retraction"}
_TAKEN_BACK_LINKS = {"retraction-forward", "retracted-by", "withdrawal-forward"}
_PRINTED = ("epub", "ppub", "collection", "pub", "epub-ppub")
# Where an article or a chapter holds text; references and acknowledgements are left out.
PARTS = ("body", "back/sec", "back/app-group/app", "back/app", "floats-group")
# Types of abstract that do not summarise the article for its readers.
_OTHER_ABSTRACTS = {"graphical", "toc", "teaser", "editor", "web-summary", "key-points-image"}


def _facts(article: Element) -> dict[str, str]:
    kind = str(article.get("article-type", ""))
    links = {str(link.get("related-article-type")) for link in _links(article)}
    marked = kind in _TAKEN_BACK_TYPES or bool(links & _TAKEN_BACK_LINKS)
    refuse_taken_back(_title(article), marked=marked)
    if article.find("body") is None and article.find("front/article-meta/abstract") is None:
        raise no_text("abstract and no body")
    meta = article.find("front/article-meta")
    numbers = _numbers(meta)
    url = f"https://doi.org/{numbers['doi']}" if "doi" in numbers else ""
    if "pmcid" in numbers:
        url = f"https://pmc.ncbi.nlm.nih.gov/articles/{numbers['pmcid']}/"
    return known(
        journal=line_of(article.find("front/journal-meta//journal-title")),
        year=year_in(_dates(meta)),
        source_type="guideline" if "guideline" in kind else "article",
        url=url,
        language=language_code(article.get("lang") or "en"),
        licence=licence_of(article.find("front/article-meta/permissions")),
        **{key: numbers.get(key, "") for key in ("doi", "pmcid", "pmid")},
    )


def _title(article: Element) -> str:
    return line_of(article.find("front/article-meta/title-group/article-title"))


def _links(article: Element) -> list[Element]:
    return article.findall("front/article-meta/related-article")


def _numbers(meta: Element | None) -> dict[str, str]:
    number_of: dict[str, str] = {}
    for number in () if meta is None else meta.findall("article-id"):
        kind, text = str(number.get("pub-id-type", "")), line_of(number)
        if kind in ("pmc", "pmcid", "pmcaid"):  # with or without its letters, by the file's age
            kind, text = "pmcid", f"PMC{text.removeprefix('PMC')}"
        number_of.setdefault(kind, text)
    return number_of


def _dates(meta: Element | None) -> Iterator[str]:
    dates = [] if meta is None else meta.findall("pub-date")
    kinds = [(str(d.get("pub-type") or d.get("date-type") or ""), d) for d in dates]
    for wanted in _PRINTED:
        yield from (line_of(date.find("year")) for kind, date in kinds if kind == wanted)
    yield from (line_of(date.find("year")) for _, date in kinds)


def _body(article: Element) -> Iterator[Drafted]:
    """Yield abstract, sections with their levels, tables, captions and appendices.

    References, acknowledgements, sub-articles (reviews, translations) and supplements are left out.
    """
    for abstract in article.findall("front/article-meta/abstract"):
        if abstract.get("abstract-type") in _OTHER_ABSTRACTS:
            continue
        body = list(blocks(abstract, 3))
        if body:
            name = line_of(abstract.find("title")) or "Abstract"
            yield text_draft(BlockKind.HEADING, name, 2)
        yield from body
    for path in PARTS:
        for part in article.findall(path):
            yield from blocks_of(part)


def blocks_of(part: Element) -> Iterator[Drafted]:
    """Yield the blocks of a body, section or appendix, its highest headings at level 2."""
    if part.tag in ("app", "sec"):
        holder = Element("body")
        holder.append(part)
        part = holder
    yield from blocks(part, 2)


def _doubts(article: Element) -> Iterator[Doubt]:
    kinds = {str(link.get("related-article-type")) for link in _links(article)}
    if kinds & {"expression-of-concern", "expression-of-concern-forward", "concurrent-concern"}:
        yield CONCERN
    if kinds & {"correction-forward", "corrected-by"}:
        yield ERRATUM


READER = Reader(one("article"), _facts, _title, _body, _doubts)
