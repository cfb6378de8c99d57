"""Read a health topic of MedlinePlus: its summary for patients.

Source of the format: the U.S. National Library of Medicine's `mplus_topics` XML, in which the
summary is HTML written as text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from corpus.parsing.clean import clean_line
from corpus.parsing.drafts import Drafted, text_draft
from corpus.parsing.office.html_tree import html_tree
from corpus.parsing.published.publications import known, language_code, no_text, one_page, year_in
from corpus.parsing.published.xml_blocks import blocks
from corpus.parsing.published.xml_text import line_of, read_plain, the_one
from corpus.parsing.registry import Request
from corpus.parsing.types import BlockKind, ParsedDocument

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_PEOPLE = {
    "Children and Teenagers": "children and teenagers",
    "Men": "men",
    "Older Adults": "older adults",
    "Women": "women",
}


def parse_medlineplus(request: Request) -> ParsedDocument:
    """Return one page: the topic, what else it is called, and its summary.

    Raises ParseError: `xml_unknown`, `many_records`, `no_text`, and those of `read_xml`.
    """
    topic = the_one(read_plain(request.path), "health-topic")
    facts = _facts(topic)
    title = clean_line(topic.get("title", ""))
    return one_page(request, title, [*_names(topic), *_summary(topic)], facts)


def inspect_medlineplus(content: Path | bytes) -> dict[str, str]:
    """Return what the topic says of itself, or raise what `parse_medlineplus` would of that."""
    return _facts(the_one(read_plain(content), "health-topic"))


def _facts(topic: Element) -> dict[str, str]:
    summary = topic.find("full-summary")
    if summary is None or not line_of(summary):
        raise no_text("summary")
    groups = {line_of(group) for group in topic.findall("group")}
    return known(
        source="MedlinePlus",
        year=year_in([str(topic.get("date-created", ""))]),
        source_type="reference",
        url=clean_line(topic.get("url", "")),
        language=language_code(topic.get("language", "English")),
        population=", ".join(_PEOPLE[name] for name in _PEOPLE if name in groups),
        groups="; ".join(sorted(groups)),
    )


def _names(topic: Element) -> list[Drafted]:
    names = [line_of(name) for name in topic.findall("also-called")]
    if not any(names):
        return []
    label = "Otros nombres" if topic.get("language") == "Spanish" else "Also called"
    said = f"{label}: {', '.join(name for name in names if name)}"
    return [text_draft(BlockKind.PARAGRAPH, said)]


def _summary(topic: Element) -> Iterator[Drafted]:
    """The summary; its highest headings stand right below the topic, whichever HTML they are."""
    summary = topic.find("full-summary")
    if summary is None:
        return
    tree = summary if len(summary) else html_tree(summary.text or "")
    ranks = [_HEADINGS.index(element.tag) for element in tree.iter() if element.tag in _HEADINGS]
    yield from blocks(tree, 2 - min(ranks, default=0))
