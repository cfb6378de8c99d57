"""Where what was cited or found stands: its page, the rectangles painted on it, their addresses.

For programs, and for many at once; a browser is sent to the pages of `chat.web.sources`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse

from chat.models import Citation
from chat.selectors import pages_at, spans_of_chunks
from chat.web.corrected import standing_of
from chat.web.painting import Rect, paint
from chat.web.presentation import Passage, ShownTurn
from corpus.boxes import Spans
from corpus.models import Document, Page
from corpus.review.pictures import has_picture


@dataclass(frozen=True)
class Painted:
    """A page with something painted on it, by the paths of the site."""

    link: str
    picture: str = ""  # empty for a page that has none
    width: float = 0.0  # points, as the rectangles; 0 without geometry
    height: float = 0.0
    rects: tuple[Rect, ...] = ()


class Places:
    """The pages of all that some turns cite or show: two queries for any number of turns."""

    def __init__(self, shown: Iterable[ShownTurn]) -> None:
        listed = list(shown)
        cited = [c for turn in listed for claim in turn.claims for c in claim.citations]
        near = [passage for turn in listed for passage in turn.nearest]
        self._pages = pages_at(
            {(citation.document_id, citation.page) for citation in cited}
            | {(passage.document.pk, passage.page) for passage in near}
        )
        self._spans = spans_of_chunks({passage.chunk for passage in near})

    def of_citation(self, citation: Citation) -> Painted:
        link = f"{reverse('chat:citation', args=[citation.pk])}#cited"
        page = self._pages.get((citation.document_id, citation.page))
        if page is None:
            return Painted(link)
        return _painted(link, citation.document, page, standing_of(citation, page).spans)

    def of_passage(self, passage: Passage) -> Painted:
        page = self._pages.get((passage.document.pk, passage.page))
        if page is None:
            return Painted(passage.url)
        spans = self._spans.get((passage.document.pk, passage.chunk), [])
        here = [(start, end) for number, start, end in spans if number == passage.page]
        return _painted(passage.url, passage.document, page, here)


def _painted(link: str, document: Document, page: Page, spans: Spans) -> Painted:
    picture = ""
    if has_picture(document, page):
        picture = reverse("chat:page_image", args=[document.sha256, page.number])
    return Painted(link, picture, page.width, page.height, paint(page.blocks, spans))
