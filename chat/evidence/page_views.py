"""Stored pages as quotes are cut from them: their text, their blocks, and what stands above."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from django.db.models import Q

from chat.evidence.leads import CONDITION
from chat.types import Quote
from corpus.models import Page
from retrieval.types import Hit

HEADING_PAGES = 20  # up to which a heading that limits is looked for above a passage

Block = Mapping[str, Any]
Views = Mapping[tuple[int, int], "PageView"]  # by document and page number


@dataclass
class PageView:
    """A stored page and its blocks."""

    text: str
    blocks: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Place:
    """A block of a page."""

    hit: Hit
    page: int
    position: int
    views: Views

    @property
    def view(self) -> PageView:
        return self.views[(self.hit.document_id, self.page)]

    @property
    def block(self) -> dict[str, Any]:
        return self.view.blocks[self.position]

    @property
    def kind(self) -> str:
        return str(self.block["kind"])

    @property
    def text(self) -> str:
        """Of the block, as it stands on the page."""
        return self.view.text[self.block["start"] : self.block["end"]]

    def quote(self, start: int, end: int) -> Quote:
        """The text at a place of the page without white space around it."""
        whole = self.view.text[start:end]
        text = whole.strip()
        start += len(whole) - len(whole.lstrip())
        return Quote(hit=self.hit, page=self.page, start=start, end=start + len(text), text=text)

    def whole(self) -> Quote:
        return self.quote(self.block["start"], self.block["end"])

    def above(self) -> Iterator[Place]:
        """The blocks above, the nearest first, on to earlier pages while none is unknown."""
        yield from (replace(self, position=p) for p in reversed(range(self.position)))
        page = self.page - 1
        while (self.hit.document_id, page) in self.views:
            yield from self._on(page)
            page -= 1

    def headings_above(self) -> Iterator[Place]:
        """The headings above, the nearest first, of all earlier pages that are known."""
        here = (replace(self, position=p) for p in reversed(range(self.position)))
        document = self.hit.document_id
        earlier = sorted(
            (n for d, n in self.views if d == document and n < self.page), reverse=True
        )
        places = itertools.chain(here, *(self._on(page) for page in earlier))
        return (place for place in places if place.kind == "heading")

    def below(self) -> Iterator[Place]:
        """The blocks below, the nearest first, to the end of the next page."""
        here = range(self.position + 1, len(self.view.blocks))
        yield from (replace(self, position=p) for p in here)
        following = self.views.get((self.hit.document_id, self.page + 1))
        for p in range(len(following.blocks) if following else 0):
            yield replace(self, page=self.page + 1, position=p)

    def _on(self, page: int) -> Iterator[Place]:
        """The blocks of another page, from its end."""
        blocks = self.views[(self.hit.document_id, page)].blocks
        return (replace(self, page=page, position=p) for p in reversed(range(len(blocks))))


def page_views(hits: Sequence[Hit]) -> dict[tuple[int, int], PageView]:
    """The pages of hits, those next to them, and those above that may hold a limiting heading.

    One query; none for no hits.
    """
    near = {
        (hit.document_id, page)
        for hit in hits
        for span in hit.spans
        for page in (span.page - 1, span.page, span.page + 1)
    }
    if not near:
        return {}
    documents = {document for document, _ in near}
    wanted = Q(document__in=documents, number__in={number for _, number in near})
    wanted = reduce(operator.or_, (q for hit in hits for q in _headed(hit)), wanted)
    rows = Page.objects.filter(wanted).values_list("document_id", "number", "text", "blocks")
    return {(document, number): PageView(text, blocks) for document, number, text, blocks in rows}


def _headed(hit: Hit) -> Iterator[Q]:
    """Earlier pages that hold the word by which a heading above the passage limits."""
    words = {match.group() for part in hit.section_path if (match := CONDITION.search(part))}
    first = min((span.page for span in hit.spans), default=0)
    for word in sorted(words):
        yield Q(
            document=hit.document_id,
            number__range=(first - HEADING_PAGES, first),
            text__contains=word,
        )


def one_line(text: str) -> str:
    return " ".join(text.split())
