"""Read a health topic of MedlinePlus: its summary for patients.

Source of the format: the U.S. National Library of Medicine's `mplus_topics` XML, in which the
summary is escaped HTML.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from corpus.parsing.clean import clean_line
from corpus.parsing.drafts import Drafted, text_draft
from corpus.parsing.office.html_tree import html_tree
from corpus.parsing.published.markup_blocks import blocks
from corpus.parsing.published.publications import (
    Reader,
    known,
    language_code,
    no_text,
    one,
    year_in,
)
from corpus.parsing.published.xml_text import line_of
from corpus.parsing.types import BlockKind

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_PEOPLE = {
    "Children and Teenagers": "children and teenagers",
    "Men": "men",
    "Older Adults": "older adults",
    "Women": "women",
}


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


def _body(topic: Element) -> Iterator[Drafted]:
    """Yield the topic's other names, and its summary, whose highest headings get level 2."""
    if names := [name for name in map(line_of, topic.findall("also-called")) if name]:
        label = "Otros nombres" if topic.get("language") == "Spanish" else "Also called"
        yield text_draft(BlockKind.PARAGRAPH, f"{label}: {', '.join(names)}")
    summary = topic.find("full-summary")
    if summary is None:
        return
    tree = summary if len(summary) else html_tree(summary.text or "")
    ranks = [_HEADINGS.index(element.tag) for element in tree.iter() if element.tag in _HEADINGS]
    yield from blocks(tree, 2 - min(ranks, default=0))


READER = Reader(
    one("health-topic"), _facts, lambda topic: clean_line(topic.get("title", "")), _body
)
