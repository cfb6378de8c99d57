"""Choose the figures and flow charts that stand with what is shown, cut out of their pages.

A flow chart is shown with everything of its page, since hardly any of it is quoted; a figure with
the text that names it. Each is shown once in a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chat.selectors import pages_at
from corpus.figures import CHART
from corpus.models import Document, Page

MOST = 3  # of a turn

Place = tuple[int, int]  # primary key of a document, and number of a page
Pages = Mapping[Place, Page]


@dataclass(frozen=True)
class ShownFigure:
    """A part of a page's picture. `box` is left, top, width and height in points."""

    document: Document
    page: Page
    label: str  # as the page names it, or empty
    caption: str
    box: tuple[float, float, float, float]
    is_chart: bool

    @property
    def view(self) -> str:
        """The box as SVG writes it."""
        return " ".join(f"{edge:g}" for edge in self.box)


def pages_with_figures(places: Iterable[Place]) -> Pages:
    """Return those of the pages that have figures. Runs one query, or none."""
    fields = ("document", "number", "width", "height", "figures")
    return {place: page for place, page in pages_at(set(places), *fields).items() if page.figures}


class Figures:
    """The figures of one turn, each given out once."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._given = pages, set[tuple[Place, int]]()

    def of(self, document: Document, number: int, texts: Sequence[str]) -> tuple[ShownFigure, ...]:
        """Return what was not shown before and belongs to these texts of a page."""
        place = (document.pk, number)
        page = self._pages.get(place)
        if page is None:
            return ()
        shown = []
        for index, figure in enumerate(page.figures):
            key = (place, index)
            if key in self._given or len(self._given) >= MOST or not _belongs(figure, texts):
                continue
            self._given.add(key)
            shown.append(_shown(document, page, figure))
        return tuple(shown)


def _belongs(figure: Mapping[str, Any], texts: Sequence[str]) -> bool:
    if figure["kind"] == CHART:
        return True
    label = str(figure["label"]).lower()
    return bool(label) and any(label in " ".join(text.split()).lower() for text in texts)


def _shown(document: Document, page: Page, figure: Mapping[str, Any]) -> ShownFigure:
    left, top, right, bottom = figure["box"]
    box = (left, top, right - left, bottom - top)
    is_chart = figure["kind"] == CHART
    return ShownFigure(document, page, figure["label"], figure["caption"], box, is_chart)
