"""Pages, blocks and pieces of text, from which statements are cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

Block = Mapping[str, Any]  # the JSON of `corpus.parsing.types.Block`
Views = Mapping[int, "PageView"]  # of one document, by number


@dataclass(frozen=True)
class PageView:
    """A page and its blocks."""

    text: str
    blocks: Sequence[Block]
    charts: Sequence[tuple[int, int]] = ()  # nodes of flow charts that branch


@dataclass(frozen=True)
class VerbatimSpan:
    """A verbatim span of one page: `page.text[start:end] == text`."""

    page: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Place:
    """A block of a page."""

    page: int
    position: int
    views: Views

    @property
    def view(self) -> PageView:
        return self.views[self.page]

    @property
    def block(self) -> Block:
        return self.view.blocks[self.position]

    @property
    def kind(self) -> str:
        return str(self.block["kind"])

    @property
    def text(self) -> str:
        return self.view.text[self.block["start"] : self.block["end"]]

    def piece(self, start: int, end: int) -> VerbatimSpan:
        """Return a span of the page as a piece, without white space at its ends."""
        whole = self.view.text[start:end]
        text = whole.strip()
        start += len(whole) - len(whole.lstrip())
        return VerbatimSpan(self.page, start, start + len(text), text)

    def whole(self) -> VerbatimSpan:
        return self.piece(self.block["start"], self.block["end"])

    def above(self) -> Iterator[Place]:
        """Yield the blocks above, the nearest first, on earlier pages too until one is missing."""
        yield from (replace(self, position=p) for p in reversed(range(self.position)))
        page = self.page - 1
        while page in self.views:
            places = reversed(range(len(self.views[page].blocks)))
            yield from (replace(self, page=page, position=p) for p in places)
            page -= 1

    def below(self) -> Iterator[Place]:
        """Yield the blocks below, the nearest first, to the end of the next page."""
        here = range(self.position + 1, len(self.view.blocks))
        yield from (replace(self, position=p) for p in here)
        following = self.views.get(self.page + 1)
        for p in range(len(following.blocks) if following else 0):
            yield replace(self, page=self.page + 1, position=p)


def one_line(text: str) -> str:
    return " ".join(text.split())
