"""What can be quoted from the evidence: whole sentences, list items and table rows, with places.

A unit keeps the place of each of its parts. A list item brings the line that introduces it, a
table row brings its header and the footnotes that it is marked with: quoted without them it
could say something else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.ranges import rows_in_range
from chat.types import Quote
from corpus.models import Page
from corpus.sentences import sentence_spans
from retrieval.types import Hit, Span

MAX_STATEMENT_CHARS = 240  # up to which sentences of one paragraph are quoted together
# `*†` is two marks, `**` is one.
_SIGNS = r"\*+|†+|‡+|§+|¶+|#+|[ᵃᵇᶜᵈᵉᶠᵍʰⁱ¹²³⁰⁴-⁹]|[(\[]\d[)\]]"
_MARKS = re.compile(rf"{_SIGNS}|(?<=\s)\(?[a-h]\)?(?=\s|$|\|)")
_LEADING_MARK = re.compile(rf"^\s*({_SIGNS}|\(?[a-h]\)?(?=[\s.:])|\d(?=\s[A-Z]))")
# What must not be parted from the sentence before it, however long both are.
_BOUND_TO_BEFORE = re.compile(
    r"(?:However|But|Unless|Except|Otherwise|Exceptions?|Only|Do not|Never|Not|Avoid|Caution"
    r"|Contraindicat\w+|Stop|Withhold|This does not|These do not)\b",
    re.IGNORECASE,
)
# A heading that turns round what stands in the list below it.
_CONDITION = re.compile(
    r"\b(?:not|no|never|avoid\w*|stop\w*|withh\w+|exclu\w+|except\w*|contraindicat\w*|caution\w*"
    r"|unless|unsuitable)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Unit:
    """A quotable piece: the first quote is what is said, the others are what it depends on."""

    hit: Hit
    text: str  # as shown: a row with its labels, an item with its introduction
    quotes: tuple[Quote, ...]
    holds_asked_number: bool = False  # a row whose range a number of the question falls into
    caption: str = ""  # of the row's table

    @property
    def context(self) -> str:
        """Title, section, population and caption: what it is about, never quoted with it."""
        return " | ".join(part for part in (self.hit.context, self.caption) if part)

    @property
    def embedded_text(self) -> str:
        """With its context in front, for a likeness to the question."""
        return f"{self.context}: {self.text}"


@dataclass
class _PageView:
    """A stored page and its blocks."""

    text: str
    blocks: list[dict[str, Any]] = field(default_factory=list)


def quotable_units(hits: Sequence[Hit], question: str) -> list[Unit]:
    """All units of the hits, in order of the hits and of reading. One query.

    Of a table whose ranges decide which row a number of the question belongs to, no other row.

    A unit that two overlapping passages share is given once, with the better passage.
    """
    views = _page_views(hits)
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
    views = _page_views(hits)
    return {hit.key: tuple(_units_of(hit, views, question)) for hit in hits}


def _page_views(hits: Sequence[Hit]) -> dict[tuple[int, int], _PageView]:
    wanted = {
        (hit.document_id, page)
        for hit in hits
        for span in hit.spans
        for page in (span.page - 1, span.page)  # a list may be introduced on the page before
    }
    rows = Page.objects.filter(
        document__in={document for document, _ in wanted},
        number__in={number for _, number in wanted},
    ).values_list("document_id", "number", "text", "blocks")
    return {
        (document, number): _PageView(text, blocks)
        for document, number, text, blocks in rows
        if (document, number) in wanted
    }


def _units_of(hit: Hit, views: dict[tuple[int, int], _PageView], question: str) -> Iterator[Unit]:
    for span in hit.spans:
        view = views[(hit.document_id, span.page)]
        for position, block in enumerate(view.blocks):
            if block["end"] <= span.start or block["start"] >= span.end:
                continue
            if block.get("table"):
                before = views.get((hit.document_id, span.page - 1))
                rows = _rows(hit, span.page, view, position, question, before)
                yield from (unit for unit in rows if _inside(unit.quotes[0], span))
            elif _is_statement(view.blocks, position):
                before = views.get((hit.document_id, span.page - 1))
                sentences = _sentences(hit, span.page, view, position, before)
                yield from (unit for unit in sentences if _inside(unit.quotes[0], span))


def _is_statement(blocks: Sequence[dict[str, Any]], position: int) -> bool:
    """Whether a block says something by itself: no heading, and no caption of a table."""
    kind = blocks[position]["kind"]
    if kind == "caption":
        following = blocks[position + 1] if position + 1 < len(blocks) else {}
        return not following.get("table")
    return bool(kind != "heading")


def _inside(quote: Quote, span: Span) -> bool:
    return span.start <= quote.start and quote.end <= span.end


def _quote(hit: Hit, page: int, view: _PageView, start: int, end: int) -> Quote:
    """The text at a place without white space around it, with which a row of empty cells ends."""
    whole = view.text[start:end]
    text = whole.strip()
    start += len(whole) - len(whole.lstrip())
    return Quote(hit=hit, page=page, start=start, end=start + len(text), text=text)


def _sentences(
    hit: Hit, page: int, view: _PageView, position: int, before: _PageView | None
) -> Iterator[Unit]:
    block = view.blocks[position]
    lead: tuple[Quote, ...] = ()
    if block["kind"] == "list_item":
        lead = _introduction(hit, page, view, position)
        if not lead and before and all(b["kind"] == "list_item" for b in view.blocks[:position]):
            lead = _introduction(hit, page - 1, before, len(before.blocks) - 1)
    statements = _statements(view.text[block["start"] : block["end"]])
    for start, end in _whole(statements, view, position, has_page_before=before is not None):
        start, end = start + block["start"], end + block["start"]
        quote = _quote(hit, page, view, start, end)
        shown = " ".join([*(_as_lead(part.text) for part in lead), quote.text])
        yield Unit(hit, _one_line(shown), (quote, *lead))


def _statements(text: str) -> list[tuple[int, int]]:
    """Spans of sentences, joined while they fit: a condition stays with what it limits."""
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        fits = spans and end - spans[-1][0] <= MAX_STATEMENT_CHARS
        if fits or (spans and _BOUND_TO_BEFORE.match(text, start)):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _whole(
    statements: list[tuple[int, int]], view: _PageView, position: int, *, has_page_before: bool
) -> list[tuple[int, int]]:
    """Without what a page break cut off: the other half may hold the `not` or the `unless`."""
    block = view.blocks[position]
    if block["kind"] != "paragraph":
        return statements
    text = view.text[block["start"] : block["end"]].strip()
    if position == 0 and has_page_before and text[:1].islower():
        statements = statements[1:]
    if position == len(view.blocks) - 1 and re.search(r"[\w,;-]$", text):
        statements = statements[:-1]
    return statements


def _introduction(hit: Hit, page: int, view: _PageView, position: int) -> tuple[Quote, ...]:
    """What stands above a list and says what it is a list of, if it does.

    That is a line with no full stop, or a heading that turns it round (`Contraindications`).
    """
    while position > 0 and view.blocks[position]["kind"] == "list_item":
        position -= 1
    if position < 0:
        return ()
    block = view.blocks[position]
    text = view.text[block["start"] : block["end"]].rstrip()
    if block["kind"] == "heading" and _CONDITION.search(text):
        return (_quote(hit, page, view, block["start"], block["start"] + len(text)),)
    open_ended = not text.endswith((".", "!", "?")) or re.search(r"\b(?:following|these)\W+$", text)
    if block["kind"] != "paragraph" or not text or not open_ended:
        return ()
    start, end = sentence_spans(text)[-1]
    return (_quote(hit, page, view, block["start"] + start, block["start"] + end),)


def _as_lead(text: str) -> str:
    return text if text.rstrip()[-1:] in ":.,;" else f"{text.rstrip()}:"


def _rows(
    hit: Hit,
    page: int,
    view: _PageView,
    position: int,
    question: str,
    before: _PageView | None,
) -> Iterator[Unit]:
    block = view.blocks[position]
    table = block["table"]
    rows = table["rows"]
    if not rows:
        return
    labels = _labels(hit, page, view, block) or _labels_before(hit, page, before, block)
    header = "".join(label.text for label in labels)
    caption = _caption(view, position)
    cells = _filled([row["cells"] for row in rows])
    allowed = rows_in_range(question, table["header"], [filled for filled, _ in cells])
    for index, row in enumerate(rows):
        if allowed is not None and index not in allowed:
            continue
        quote = _quote(hit, page, view, row["start"], row["end"])
        filled, above = cells[index]
        parts = [quote]
        if above != index:
            parts.append(_quote(hit, page, view, rows[above]["start"], rows[above]["end"]))
        parts += labels
        marked = " | ".join([header, *(part.text for part in parts)])
        notes = _footnotes(hit, page, view, position, marked=marked)
        shown = _labelled(table["header"], filled)
        shown = " ".join([shown, *(f"({note.text})" for note in notes)])
        yield Unit(hit, _one_line(shown), (*parts, *notes), allowed is not None, caption)


def _labels(hit: Hit, page: int, view: _PageView, block: dict[str, Any]) -> list[Quote]:
    """The header row of a table; none where it prints none."""
    header = _quote(hit, page, view, block["start"], block["table"]["rows"][0]["start"])
    return [header] if header.text else []


def _labels_before(
    hit: Hit, page: int, before: _PageView | None, block: dict[str, Any]
) -> list[Quote]:
    """The header row on the page before, where a table without one goes on from there."""
    tables = [found for found in before.blocks if found.get("table")] if before else []
    if not before or not block.get("continues") or not tables or not tables[-1]["table"]["rows"]:
        return []
    return _labels(hit, page - 1, before, tables[-1])


def _caption(view: _PageView, position: int) -> str:
    """The table's own, or the caption that stands above it."""
    own = str(view.blocks[position]["table"].get("caption", ""))
    above: dict[str, Any] = view.blocks[position - 1] if position else {"kind": ""}
    if own or above["kind"] != "caption":
        return own
    return _one_line(view.text[above["start"] : above["end"]])


def _filled(rows: Sequence[Sequence[str]]) -> list[tuple[list[str], int]]:
    """The cells of each row, and the row that its first cell is from: a merged cell is written
    once, and the rows that it covers mean nothing without it.
    """
    filled: list[tuple[list[str], int]] = []
    for index, row in enumerate(rows):
        cells, source = list(row), index
        if len(cells) > 1 and not cells[0].strip() and filled and len(filled[-1][0]) == len(cells):
            cells[0], source = filled[-1][0][0], filled[-1][1]
        filled.append((cells, source))
    return filled


def _footnotes(hit: Hit, page: int, view: _PageView, position: int, *, marked: str) -> list[Quote]:
    """The footnotes below the table that hold for what is `marked`.

    Those whose mark stands in it, those without a mark, and those whose mark stands nowhere in the
    table or only in its caption.
    """
    block = view.blocks[position]
    marks = _marks_in(marked)
    elsewhere = _marks_in(view.text[block["start"] : block["end"]]) - marks
    notes: list[Quote] = []
    for following in view.blocks[position + 1 :]:
        if following["kind"] != "footnote":
            break
        text = view.text[following["start"] : following["end"]]
        leading = _LEADING_MARK.match(text)
        if leading is None or _plain_mark(leading.group(1)) not in elsewhere:
            notes.append(_quote(hit, page, view, following["start"], following["end"]))
    return notes


def _marks_in(text: str) -> set[str]:
    return {_plain_mark(mark) for mark in _MARKS.findall(text)}


def _plain_mark(mark: str) -> str:
    """`ᵃ`, `(a)` and `a` are one mark."""
    return unicodedata.normalize("NFKC", mark).strip("()[]")


def _labelled(header: Sequence[str], cells: Sequence[str]) -> str:
    if len(header) != len(cells):
        return " | ".join(cells)
    pairs = [(label, cell) for label, cell in zip(header, cells, strict=True) if cell.strip()]
    return "; ".join(f"{label}: {cell}" if label.strip() else cell for label, cell in pairs)


def _one_line(text: str) -> str:
    return " ".join(text.split())
