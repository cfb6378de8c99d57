"""What can be quoted from the evidence: whole sentences, list items and table rows, with places.

A unit keeps the place of each of its parts. A sentence brings the headings that turn it round, a
list item the lines that introduce it, a table row its header, caption and the footnotes that it is
marked with: quoted without them it could say something else. What that is may not be told apart,
or a page break may have cut it: then it is no unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from chat.evidence.lead_ins import as_lead, introduction, limiting_headings
from chat.evidence.leads import binds_to_before
from chat.evidence.page_breaks import whole_statements
from chat.evidence.page_views import Place, Views, one_line, page_views
from chat.evidence.table_rows import caption_of, table_rows
from chat.types import Quote, Unit
from core.text.sentences import sentence_spans
from retrieval.types import Hit, Span

# What no sentence ends on: a box of a chart that was read in part, such as `Give 10 mL every`.
_BROKEN_OFF = re.compile(
    r"\b(?:a|an|at|by|each|every|for|from|in|of|per|than|the|to|with)\s*$", re.IGNORECASE
)
MAX_STATEMENT_CHARS = 240  # up to which sentences of one paragraph are quoted together


def quotable_units(hits: Sequence[Hit], question: str) -> list[Unit]:
    """All units of the hits, in order of the hits and of reading. One query.

    Of a table whose ranges decide which row a number of the question belongs to, no other row.

    A unit that two overlapping passages share is given once, with the better passage.
    """
    views = page_views(hits)
    seen: set[tuple[int, int, int, int]] = set()
    units: list[Unit] = []
    for hit in hits:
        for unit in _units_of(hit, views, question):
            first = unit.quotes[0]
            place = (hit.document_id, first.page, first.start, first.end)
            if place not in seen:
                seen.add(place)
                units.append(unit)
    return units


def units_by_passage(hits: Sequence[Hit], question: str) -> dict[str, tuple[Unit, ...]]:
    """The units of each hit by its key, also those that it shares with others. One query."""
    views = page_views(hits)
    return {hit.key: tuple(_units_of(hit, views, question)) for hit in hits}


def _units_of(hit: Hit, views: Views, question: str) -> Iterator[Unit]:
    for span in hit.spans:
        for position, block in enumerate(views[(hit.document_id, span.page)].blocks):
            if block["end"] <= span.start or block["start"] >= span.end:
                continue
            at = Place(hit, span.page, position, views)
            if block.get("table"):
                units = _rows(at, question)
            else:
                units = _sentences(at) if _is_statement(at) else iter(())
            yield from (unit for unit in units if _inside(unit.quotes[0], span))


def _is_statement(at: Place) -> bool:
    """Whether a block says something by itself: no heading, and no caption of a table."""
    if at.kind == "caption":
        following = next(at.below(), None)
        return following is None or not following.block.get("table")
    return at.kind != "heading"


def _inside(quote: Quote, span: Span) -> bool:
    return span.start <= quote.start and quote.end <= span.end


def _rows(at: Place, question: str) -> Iterator[Unit]:
    caption = caption_of(at)
    for row in table_rows(at, question):
        shown = " ".join([*(as_lead(part.text) for part in row.leads), row.shown])
        yield Unit(
            at.hit, one_line(shown), row.quotes, row.holds_asked_number, caption, is_row=True
        )


def _sentences(at: Place) -> Iterator[Unit]:
    headings, above = limiting_headings(at), _introduction(at)
    if headings is None or above is None:
        return
    leads = (*headings, *above)
    offset = at.block["start"]
    for start, end in whole_statements(at, _statements(at.text)):
        quote = at.quote(offset + start, offset + end)
        if _BROKEN_OFF.search(quote.text):
            continue
        shown = " ".join([*(as_lead(part.text) for part in leads), quote.text])
        yield Unit(at.hit, one_line(shown), (quote, *leads))


def _introduction(at: Place) -> tuple[Quote, ...] | None:
    return introduction(at) if at.kind in ("paragraph", "list_item") else ()


def _statements(text: str) -> list[tuple[int, int]]:
    """Spans of sentences, joined while they fit: a condition stays with what it limits."""
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        fits = spans and end - spans[-1][0] <= MAX_STATEMENT_CHARS
        if fits or (spans and binds_to_before(text[start:end])):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans
