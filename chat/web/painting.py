"""Find a cited span on a page: rectangles on its picture, marks in its text, corrections. Pure.

`blocks` is the JSON of `corpus.parsing.types.Block`; a span is half-open, in code points of the
page's text. Whole lines are painted, so that no word of a span can fall outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from django.utils.translation import gettext

from chat.models import Citation
from corpus.boxes import Blocks, Span, Spans, boxes_of, overlaps
from corpus.models import Page

PADDING_PT = 1.5


@dataclass(frozen=True)
class TextRun:
    """A run of text, inside or outside the spans."""

    text: str
    cited: bool
    is_first: bool = False  # start of the cited text, where the viewer opens


@dataclass(frozen=True)
class ShownRow:
    cells: tuple[str, ...]
    cited: bool
    is_first: bool = False


@dataclass(frozen=True)
class ShownBlock:
    """A block for the template. `items` holds the pieces of each list item."""

    kind: str
    level: int = 0  # of the HTML heading: 2 to 6
    pieces: tuple[TextRun, ...] = ()
    items: tuple[tuple[TextRun, ...], ...] = ()
    caption: str = ""
    header: tuple[str, ...] = ()
    rows: tuple[ShownRow, ...] = ()
    is_first: bool = False  # the labels of this table are cited


@dataclass(frozen=True)
class Rect:
    """A rectangle in points from the page's top left corner, as SVG writes it."""

    x: str
    y: str
    width: str
    height: str


def locate(text: str, span: Span, quote: str) -> Span | None:
    """Return the span of `quote`: `span` itself, else its only other place; None if uncertain."""
    start, end = span
    if quote and text[start:end] == quote:
        return span
    if quote and text.count(quote) == 1:
        start = text.index(quote)
        return (start, start + len(quote))
    return None


def paint(blocks: Blocks, spans: Spans) -> tuple[Rect, ...]:
    """Return a rectangle for each line that has a part of a span; empty without geometry."""
    return tuple(_rect(box) for box in boxes_of(blocks, spans))


def show(text: str, blocks: Blocks, spans: Spans) -> tuple[ShownBlock, ...]:
    """Return the page's blocks in reading order; adjacent list items become one list.

    The viewer opens at the first of `spans`.
    """
    shown: list[ShownBlock] = []
    for is_list, group in groupby(blocks, key=lambda block: block["kind"] == "list_item"):
        if is_list:
            items = tuple(_pieces(text, block, spans) for block in group)
            shown.append(ShownBlock("list", items=items))
        else:
            for block in group:
                after_caption = bool(shown) and shown[-1].kind == "caption"
                shown.append(_single(text, block, spans, has_caption=not after_caption))
    return tuple(shown)


def _single(text: str, block: Mapping[str, Any], spans: Spans, *, has_caption: bool) -> ShownBlock:
    if block.get("table"):
        return _table(block, spans, has_caption=has_caption)
    level = min(max(block["level"], 1) + 1, 6)
    return ShownBlock(block["kind"], level, _pieces(text, block, spans))


def _table(block: Mapping[str, Any], spans: Spans, *, has_caption: bool) -> ShownBlock:
    """Return a table, without its caption if that is shown as a block above."""
    table = block["table"]
    caption = table["caption"] if has_caption else ""
    rows = tuple(
        ShownRow(tuple(row["cells"]), overlaps(row, spans), _opens(row, spans))
        for row in table["rows"]
    )
    at_labels = _opens(block, spans) and not any(row.is_first for row in rows)
    return ShownBlock("table", 0, (), (), caption, tuple(table["header"]), rows, at_labels)


def _pieces(text: str, block: Mapping[str, Any], spans: Spans) -> tuple[TextRun, ...]:
    """Return the block's text, split where a span begins or ends."""
    start, end = block["start"], block["end"]
    edges = {edge for span in spans for edge in span if start < edge < end}
    cuts = [start, *sorted(edges), end]
    return tuple(
        TextRun(text[a:b], overlaps(part, spans), _opens(part, spans))
        for a, b in pairwise(cuts)
        for part in [{"start": a, "end": b}]
    )


def _opens(part: Mapping[str, Any], spans: Spans) -> bool:
    """Tell whether the first span begins in a part of the page."""
    return bool(spans) and part["start"] <= spans[0][0] < part["end"]


def _rect(box: Sequence[float]) -> Rect:
    left, top, right, bottom = box
    numbers = (
        left - PADDING_PT,
        top - PADDING_PT,
        right - left + 2 * PADDING_PT,
        bottom - top + 2 * PADDING_PT,
    )
    return Rect(*(f"{number:.1f}" for number in numbers))


@dataclass(frozen=True)
class Corrected:
    """Text as staff corrected it, and as it had been read.

    `is_quoted`: the citation quotes the corrected text; otherwise it is older and quotes the
    misread.
    """

    text: str
    read: str
    is_quoted: bool

    @property
    def sentence(self) -> str:
        if self.is_quoted:
            sentence = gettext(
                "corrected by staff: the page reads “%(text)s”, “%(read)s” had been read"
            )
        else:
            sentence = gettext(
                "misread when this was answered: the page reads “%(text)s”, not “%(read)s”"
            )
        return sentence % {"text": self.text, "read": self.read}


@dataclass(frozen=True)
class Standing:
    """The spans of a citation on today's page, and the corrections in them."""

    spans: tuple[Span, ...] = ()
    corrected: tuple[Corrected, ...] = ()


def corrections_of(cited: Citation) -> tuple[Corrected, ...]:
    """Return the corrections in a citation that `chat.selectors.citations_read` has loaded.

    Empty if its page, `corrected_page`, has none.
    """
    page: Mapping[str, Any] | None = getattr(cited, "corrected_page", None)
    if page is None:
        return ()
    return _standing(cited, page["text"], page["was"], page["corrected"]).corrected


def standing_of(cited: Citation, page: Page) -> Standing:
    """Find the cited text on today's page; of an older citation on the page before correction."""
    return _standing(cited, page.text, (page.as_read or {}).get("text", ""), page.corrected)


def _standing(
    cited: Citation, text: str, was: str, corrected: Sequence[Mapping[str, Any]]
) -> Standing:
    span = cited.start, cited.end
    is_as_read = was[slice(*span)] == cited.quote != text[slice(*span)]
    place = None if is_as_read else locate(text, span, cited.quote)
    is_quoted = place is not None
    place = place or locate(was, span, cited.quote)
    if place is None:
        return Standing()
    touched = [
        change
        for change in corrected
        if any(a < place[1] and place[0] < b for a, b in change["spans" if is_quoted else "was"])
    ]
    texts = tuple(Corrected(change["text"], change["read"], is_quoted) for change in touched)
    if is_quoted:
        return Standing((place,), texts)
    if not touched:  # the text only moved
        place = locate(text, span, cited.quote)
        return Standing((place,) if place else ())
    return Standing(tuple((a, b) for change in touched for a, b in change["spans"]), texts)
