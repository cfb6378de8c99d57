"""Read the text around each hit: small passages are searched, larger ones are read.

A window holds up to `max_chars` of the pages around a hit. It never leaves the hit's section or
document, never reaches into a passage that somebody disabled, and begins and ends with whole
sentences. Citations still point at the hit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.language.en.sentences import sentence_spans
from core.replica import connection
from retrieval.types import Hit, Span, Surroundings

REACH = 4  # passages on either side of a hit that its window may reach into

# Runs of passages of one section; a disabled one parts two runs.
_SPANS_SQL = """
SELECT h.key, c.index, c.spans
FROM unnest(%s::text[], %s::bigint[], %s::int[]) AS h(key, document_id, index)
     JOIN corpus_chunk own ON own.key = h.key
     JOIN corpus_chunk c ON c.document_id = h.document_id
          AND c.index BETWEEN h.index - %s AND h.index + %s
          AND c.section_path = own.section_path AND c.disabled_at IS NULL
ORDER BY h.key, c.index
"""
_TEXT_SQL = """
SELECT w.place, substr(p.text, w.first + 1, w.last - w.first)
FROM unnest(%s::int[], %s::bigint[], %s::int[], %s::int[], %s::int[])
         AS w(place, document_id, page, first, last)
     JOIN corpus_page p ON p.document_id = w.document_id AND p.number = w.page
ORDER BY w.place
"""


@dataclass(frozen=True)
class Stretch:
    """A piece of a page: characters `start` to `end`."""

    page: int
    start: int
    end: int


@dataclass(frozen=True)
class _Window:
    document_id: int
    key: str
    stretches: tuple[Stretch, ...]  # in reading order, apart from each other
    own: tuple[Stretch, ...]  # of the hit: never cut
    section: tuple[Stretch, ...]  # what it was taken from: its ends cut no sentence


def surroundings(hits: Sequence[Hit], *, max_chars: int) -> tuple[Surroundings, ...]:
    """Return the surroundings of each hit, in order; none for `max_chars` 0. Runs two queries.

    A hit longer than `max_chars` is its own surroundings.
    """
    if not hits or not max_chars:
        return ()
    runs = _runs(hits)
    return _read([_around(hit, runs[hit.key], max_chars) for hit in hits])


def window(
    own: Sequence[Stretch], section: Sequence[Stretch], max_chars: int
) -> tuple[Stretch, ...]:
    """Return `own` with as much of its `section` around it as fits into `max_chars`.

    Both are in reading order without overlaps. Half of the room goes to the text after, the rest to
    the text before, and each side may use what the other doesn't need.
    """
    room = max(0, max_chars - _length(own))
    before = _clipped(section, until=(own[0].page, own[0].start))
    after = _clipped(section, since=(own[-1].page, own[-1].end))
    behind = min(_length(after), max(room // 2, room - _length(before)))
    ahead = min(_length(before), room - behind)
    return united([*_last(before, ahead), *own, *_first(after, behind)])


def united(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """Merge overlapping and adjacent stretches, in reading order."""
    kept: list[Stretch] = []
    for stretch in sorted(stretches, key=lambda s: (s.page, s.start, s.end)):
        last = kept[-1] if kept else None
        # One character apart is a line's end between two passages.
        if last and last.page == stretch.page and stretch.start <= last.end + 1:
            kept[-1] = Stretch(last.page, last.start, max(last.end, stretch.end))
        elif stretch.end > stretch.start:
            kept.append(stretch)
    return tuple(kept)


def _around(hit: Hit, section: tuple[Stretch, ...], max_chars: int) -> _Window:
    own = _stretches(hit)
    return _Window(hit.document_id, hit.key, window(own, section, max_chars), own, section)


def _runs(hits: Sequence[Hit]) -> dict[str, tuple[Stretch, ...]]:
    """Return, by key of each hit, the unbroken run of passages of its section around it."""
    places: list[list[Any]] = [
        [hit.key for hit in hits],
        [hit.document_id for hit in hits],
        [h.index for h in hits],
    ]
    stretches: dict[str, dict[int, list[Stretch]]] = {hit.key: {} for hit in hits}
    with connection.cursor() as cursor:
        cursor.execute(_SPANS_SQL, [*places, REACH, REACH])
        for key, index, spans in cursor.fetchall():
            stretches[key][index] = [Stretch(*span) for span in json.loads(spans)]
    return {hit.key: united(_unbroken(stretches[hit.key], hit)) for hit in hits}


def _unbroken(by_index: dict[int, list[Stretch]], hit: Hit) -> Iterator[Stretch]:
    yield from _stretches(hit)
    for step in (1, -1):
        index = hit.index + step
        while index in by_index:
            yield from by_index[index]
            index += step


def _stretches(hit: Hit) -> tuple[Stretch, ...]:
    return tuple(Stretch(span.page, span.start, span.end) for span in hit.spans)


def _read(windows: Sequence[_Window]) -> tuple[Surroundings, ...]:
    wanted = [
        (place, window.document_id, stretch.page, stretch.start, stretch.end)
        for place, (window, stretch) in enumerate((w, s) for w in windows for s in w.stretches)
    ]
    with connection.cursor() as cursor:
        cursor.execute(_TEXT_SQL, [list(column) for column in zip(*wanted, strict=True)])
        texts = iter([text for _, text in cursor.fetchall()])
    return tuple(
        _whole_sentences(window, [next(texts) for _ in window.stretches]) for window in windows
    )


def _whole_sentences(window: _Window, texts: list[str]) -> Surroundings:
    """Trim partial sentences from both ends of the window."""
    pieces = list(zip(window.stretches, texts, strict=True))
    first, text = pieces[0]
    if first.start > window.section[0].start or first.page > window.section[0].page:
        pieces[0] = _from_sentence(first, text, keep=window.own[0])
    last, text = pieces[-1]
    if last.end < window.section[-1].end or last.page < window.section[-1].page:
        pieces[-1] = _to_sentence(last, text, keep=window.own[-1])
    pieces = [(stretch, text) for stretch, text in pieces if text]
    spans: list[Span] = []
    offset = 0
    for stretch, text in pieces:
        spans.append(Span(stretch.page, stretch.start, stretch.end, offset))
        offset += len(text) + 1
    text = "\n".join(text for _, text in pieces)
    return Surroundings(window.document_id, window.key, text, tuple(spans))


def _from_sentence(stretch: Stretch, text: str, *, keep: Stretch) -> tuple[Stretch, str]:
    """Cut the text before the first whole sentence or line, but nothing of `keep`."""
    latest = keep.start - stretch.start if keep.page == stretch.page else len(text)
    starts = [start for start, _ in _sentences(text) if 0 < start <= latest]
    cut = min(starts, default=latest)
    return Stretch(stretch.page, stretch.start + cut, stretch.end), text[cut:]


def _to_sentence(stretch: Stretch, text: str, *, keep: Stretch) -> tuple[Stretch, str]:
    """Cut the text after the last whole sentence or line, but nothing of `keep`."""
    earliest = keep.end - stretch.start if keep.page == stretch.page else 0
    ends = [end for _, end in _sentences(text) if earliest <= end < len(text)]
    cut = max(ends, default=earliest)
    return Stretch(stretch.page, stretch.start, stretch.start + cut), text[:cut]


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of sentences; none spans lines: list items and table rows are lines."""
    offset = 0
    for line in text.split("\n"):
        yield from ((offset + start, offset + end) for start, end in sentence_spans(line))
        offset += len(line) + 1


def _length(stretches: Iterable[Stretch]) -> int:
    return sum(stretch.end - stretch.start for stretch in stretches)


def _clipped(
    stretches: Sequence[Stretch],
    *,
    since: tuple[int, int] = (0, 0),
    until: tuple[int, int] | None = None,
) -> list[Stretch]:
    """Return the parts of the stretches between two positions (page, character)."""
    kept: list[Stretch] = []
    for stretch in stretches:
        start = max(stretch.start, since[1]) if stretch.page == since[0] else stretch.start
        end = min(stretch.end, until[1]) if until and stretch.page == until[0] else stretch.end
        if stretch.page >= since[0] and (until is None or stretch.page <= until[0]) and start < end:
            kept.append(Stretch(stretch.page, start, end))
    return kept


def _first(stretches: Sequence[Stretch], room: int) -> list[Stretch]:
    kept: list[Stretch] = []
    for stretch in stretches:
        taken = min(room, stretch.end - stretch.start)
        if taken > 0:
            kept.append(Stretch(stretch.page, stretch.start, stretch.start + taken))
        room -= taken
    return kept


def _last(stretches: Sequence[Stretch], room: int) -> list[Stretch]:
    kept: list[Stretch] = []
    for stretch in reversed(stretches):
        taken = min(room, stretch.end - stretch.start)
        if taken > 0:
            kept.append(Stretch(stretch.page, stretch.end - taken, stretch.end))
        room -= taken
    return kept[::-1]
