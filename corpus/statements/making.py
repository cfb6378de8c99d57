"""Cut the quotable statements of a passage: whole sentences, list items and table rows.

A statement keeps the place of each of its parts. A sentence comes with the headings that limit it,
a list item with the lines that introduce it, a table row with its header, its caption and the
footnotes of its marks: quoted without these it could say something else. Where what a text depends
on is uncertain, more of it is quoted, not nothing: the row for a cell, a box of a flow chart as a
whole. A text that a page break has cut is put together. What only announces the table below it
stands with that, and what has words that are struck through or covered is no statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.language.en.sentences import sentence_spans
from core.language.en.statements.clauses import has_verb, is_imperative
from core.language.en.statements.leads import binds_to_before, is_cut_off, is_stopped
from core.language.marks import leading_mark, marks_in
from core.language.words import OVERSTRUCK, words
from corpus.boxes import overlaps
from corpus.statements.lead_ins import as_lead, introduction, limiting_headings
from corpus.statements.places import Place, VerbatimSpan, Views, one_line
from corpus.statements.table_rows import caption_of, table_rows

# Words that end no sentence, as in a chart's box that was read in part: `Give 10 mL every`.
_BROKEN_OFF = re.compile(
    r"\b(?:a|an|at|by|each|every|for|from|in|of|per|than|the|to|with)\s*$", re.IGNORECASE
)
_WITHHELD = re.compile(f"[{OVERSTRUCK}]")
_FLOWING = ("paragraph", "list_item")
_NEVER = ("heading", "contents")
BOX = "box"  # the kind of a statement that is a whole box of a flow chart
_MOST_OF_A_TITLE = 8  # words
_LEAST_OF_A_BOX = 3  # words: fewer are the label of an arrow
_BETWEEN = ("footnote", "table", "caption")  # may stand between two parts of one text
MAX_CHARS = 240  # up to which sentences of one paragraph are quoted together

Span = tuple[int, int, int]  # page, start, end


@dataclass(frozen=True)
class Statement:
    """A quotable text: its first piece is the text itself, the others are what it depends on."""

    text: str  # as shown: a row with its labels, an item with its introduction
    pieces: tuple[VerbatimSpan, ...]
    kind: str  # of the block that it stands in: `paragraph`, `list_item`, `table` ...
    caption: str = ""  # of the row's table
    table: int | None = None  # of a row: where its table starts on the page
    row: int | None = None  # 0-based, among all rows of that table

    @property
    def is_row(self) -> bool:
        return self.table is not None


def statements_of(
    passages: Iterable[tuple[Sequence[str], Sequence[Span]]], views: Views
) -> list[list[Statement]]:
    """Return the statements of each passage of a document, in reading order.

    A passage is its section path and its spans; `views` are all pages of the document. A statement
    is in the passages in which it begins, a row in each that has a part of it: a long one is cut
    into several, and search may find any of them.
    """

    @lru_cache(maxsize=64)  # a long table is cut into many passages
    def of_block(page: int, position: int, path: tuple[str, ...]) -> tuple[Statement, ...]:
        return tuple(_of_block(Place(page, position, views), path))

    return [
        [
            statement
            for page, start, end in spans
            for position, block in enumerate(views[page].blocks)
            if block["end"] > start and block["start"] < end
            for statement in of_block(page, position, tuple(path))
            if not _WITHHELD.search(statement.text) and _is_in(statement, start, end)
        ]
        for path, spans in passages
    ]


def _is_in(statement: Statement, start: int, end: int) -> bool:
    own = statement.pieces[0]
    return start <= own.start < end or (statement.is_row and own.start < end and start < own.end)


def _of_block(at: Place, section_path: Sequence[str]) -> Iterator[Statement]:
    """Yield the statements of a block; none for a heading, contents, a table's caption or footnote.

    A footnote is told with its row: `Every 12 hours in the first week of life.`
    """
    if overlaps(at.block, at.view.charts):
        yield from _box(at)
        return
    below = next(at.below(), None) if at.kind == "caption" else None
    if at.block.get("table"):
        caption, start = caption_of(at), int(at.block["start"])
        for row in table_rows(at, section_path):
            shown = " ".join([*(as_lead(part.text) for part in row.leads), row.shown])
            yield Statement(one_line(shown), row.pieces, at.kind, caption, start, row.index)
    elif at.kind not in _NEVER and not (below and below.block.get("table")) and not _is_note(at):
        yield from _sentences(at, section_path)


def _box(at: Place) -> Iterator[Statement]:
    """Yield a box of a flow chart, whole; what leads to it is not known."""
    whole = at.whole()
    if at.kind != "heading" and len(words(whole.text)) >= _LEAST_OF_A_BOX:
        yield Statement(one_line(whole.text), (whole,), BOX)


def _is_note(at: Place) -> bool:
    """Tell whether a block is a footnote of the table above it, which is told with its row.

    It stands right below, or lower or on top of the next page with a mark that is in the table. So
    is a grade in the margin, such as `2++`, which says nothing alone.
    """
    if at.kind != "footnote":
        return False
    if len(words(at.text)) < _LEAST_OF_A_BOX and not has_verb(at.text):
        return True
    mark, adjoins = leading_mark(at.text), True
    for place in at.above():
        if place.block.get("table"):
            return (adjoins and place.page == at.page) or mark in marks_in(place.text)
        adjoins = adjoins and place.kind == "footnote"
        if place.kind == "heading" or not (adjoins or (mark and place.page == at.page)):
            return False
    return False


def _sentences(at: Place, section_path: Sequence[str]) -> Iterator[Statement]:
    headings = limiting_headings(at, section_path)
    above = introduction(at) if at.kind in _FLOWING else ()
    if headings is None or above is None:
        return
    leads = (*headings, *above)
    offset = at.block["start"]
    spans = _spans(at.text)
    whole = _whole_statements(at, spans)
    for start, end in whole:
        sentence = at.piece(offset + start, offset + end)
        if (
            _BROKEN_OFF.search(sentence.text)
            or _only_announces(at, sentence)
            or _is_title(at, sentence.text)
        ):
            continue
        yield _led(at, leads, sentence)
    if spans and (not whole or whole[-1] != spans[-1]) and (rest := _rest(at)):
        start, end = spans[-1]
        yield _led(at, leads, at.piece(offset + start, offset + end), rest)


def _led(at: Place, leads: Sequence[VerbatimSpan], *parts: VerbatimSpan) -> Statement:
    said = " ".join(part.text for part in parts)
    shown = " ".join([*(as_lead(part.text) for part in leads), said])
    return Statement(one_line(shown), (*parts, *leads), at.kind)


def _only_announces(at: Place, sentence: VerbatimSpan) -> bool:
    """Tell whether a sentence says no more than that a table or a paragraph follows: `Rates:`.

    Or items that are no deeper than it, and come with it. What announces another list stands for
    all of it (`chat.reader.lists`).
    """
    if not sentence.text.endswith(":") or sentence.end != at.whole().end:
        return False
    below = next(at.below(), None)
    if below is None or below.kind in ("paragraph", "table"):
        return below is not None
    is_item = at.kind == below.kind == "list_item"
    return is_item and 0 < below.block["level"] <= at.block["level"]


def _is_title(at: Place, text: str) -> bool:
    """Tell whether a line in capitals is the title of the text below, though it was read as text.

    `AFTER THE PROCEDURE`, not `STOP METFORMIN`, nor a line among others in capitals.
    """
    own, below = words(text), next(at.below(), None)
    if below is None or below.kind not in _FLOWING or below.text.isupper():
        return False
    is_short = len(own) <= _MOST_OF_A_TITLE and not any(map(str.isdigit, text))
    return is_short and text.isupper() and not is_imperative(text.lower()) and not has_verb(text)


def _rest(at: Place) -> VerbatimSpan | None:
    """Return what a page or column break has cut off a block's last sentence; None if not whole."""
    following = _flowing(at.below())
    if following is None or not _is_first_part(at) or not _is_second_part(following):
        return None
    spans = _spans(following.text)
    if not spans or (len(spans) == 1 and _is_first_part(following)):
        return None
    offset = following.block["start"]
    return following.piece(offset + spans[0][0], offset + spans[0][1])


def _spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of sentences, joined up to MAX_CHARS characters.

    A sentence that limits the one before it is joined to it at any length.
    """
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        fits = spans and end - spans[-1][0] <= MAX_CHARS
        if fits or (spans and binds_to_before(text[start:end])):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _whole_statements(at: Place, statements: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the statements of a block that no page or column break has cut.

    The first is left out if the block continues another, the last if another continues the block.
    """
    if at.kind not in _FLOWING:
        return statements
    if _is_second_part(at):
        statements = statements[1:]
    return statements[:-1] if _is_first_part(at) else statements


def _is_second_part(at: Place) -> bool:
    """Tell whether a block begins in the middle of a text from another page or column."""
    if at.block.get("continues"):
        return True
    before = _flowing(at.above())
    if before is None or before.page == at.page:
        has_page_before = at.page - 1 in at.views
        return at.position == 0 and has_page_before and _begins_inside(at)
    if at.kind == "list_item":
        return before.kind == "list_item" and is_cut_off(before.text)
    return _begins_inside(at) or _is_open(before, following=at)


def _is_first_part(at: Place) -> bool:
    """Tell whether a block ends in the middle of a text that continues elsewhere."""
    following = _flowing(at.below())
    if following is None:
        # A paragraph at the end of the last page may go on.
        rest = list(at.below())
        is_last = all(place.kind in _BETWEEN for place in rest)
        return is_last and at.kind == "paragraph" and _is_unended(at)
    if following.block.get("continues"):
        return _is_unended(at) or binds_to_before(following.text)
    if following.page == at.page:
        return False
    return _is_open(at, following=following) or binds_to_before(following.text)


def _is_open(at: Place, *, following: Place) -> bool:
    """Tell whether the last text of a page may continue in the first text of the next.

    A paragraph may if it ends with neither a full stop nor a colon. List items often have no full
    stop: one may continue if it ends on a word that can't be the last, if the item above it has a
    full stop, or if the next text is a paragraph that begins with a small letter.
    """
    if not _is_unended(at):
        return False
    if at.kind == "paragraph":
        return True
    text = at.text.strip()
    above = next(at.above(), None)
    sibling_stops = above is not None and above.kind == "list_item" and is_stopped(above.text)
    return is_cut_off(text) or sibling_stops or _begins_inside(following)


def _is_unended(at: Place) -> bool:
    text = at.text.rstrip()
    return not is_stopped(text) and not text.endswith(":")


def _begins_inside(at: Place) -> bool:
    return at.kind == "paragraph" and at.text.strip()[:1].islower()


def _flowing(places: Iterable[Place]) -> Place | None:
    """Return the next running text past notes and tables; None if a heading comes first."""
    for place in places:
        if place.kind in _FLOWING:
            return place
        if place.kind not in _BETWEEN:
            return None
    return None
