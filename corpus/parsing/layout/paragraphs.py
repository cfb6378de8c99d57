"""Group lines of one column into paragraphs, headings, list items, captions and footnotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.language.marks import note_mark
from corpus.parsing.broken import goes_on
from corpus.parsing.drafts import Draft, LineText
from corpus.parsing.geometry import middle, union
from corpus.parsing.layout.furniture import EDGE
from corpus.parsing.layout.joining import Vocabulary, glue_between
from corpus.parsing.layout.runs import Line, pitch_of
from corpus.parsing.layout.styles import (
    CAPTION,
    Styles,
    heading_depth,
    is_limit,
    is_scrap,
    is_title_of,
)
from corpus.parsing.lists import is_bullet, is_recommendation, is_tick, list_marker
from corpus.parsing.types import BlockKind, Box, Doubt

_ENDED = re.compile(r"[.:;?!]['\")\]”’]?$")
_STOPPED = re.compile(r"[.;?!]['\")\]”’]?$")
_NOTE = re.compile(
    r"^(?:[*†‡§¶#]+|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\(?[a-z1-9]\)?\s|\d{1,2}(?=[A-Z])|Notes?\b|Source\b)"
)
_SMALL = 0.93  # of the body size


@dataclass
class Group:
    """Lines that make one block."""

    kind: BlockKind
    lines: list[Line]
    text_left: float  # where text stands after a list marker
    column: Box  # around all lines of its column
    continues: bool = False  # the last group of the page before goes on here
    stands_alone: bool = False  # it continues no group, and no group continues it
    doubts: list[Doubt] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @property
    def box(self) -> Box:
        return union(line.box for line in self.lines)


def group_lines(lines: Sequence[Line], styles: Styles, *, page_height: float) -> list[Group]:
    """Return the blocks of a column's lines, which are ordered from the top down."""
    if not lines:
        return []
    column = union(line.box for line in lines)
    pitch = pitch_of([line for line in lines if abs(line.size - styles.body) < 1] or lines)
    groups: list[Group] = []
    for line in lines:
        if groups and not _starts(groups[-1], line, styles, column, pitch):
            groups[-1].lines.append(line)
        else:
            is_item = list_marker(line.text) is not None and len(line.words) >= 2
            left = line.words[1].box[0] if is_item else line.box[0]
            groups.append(Group(_kind(line), [line], left, column))
    for group in groups:
        group.kind = _final_kind(group, styles, page_height)
    return [part for group in groups for part in _without_run_in(group)]


def _without_run_in(group: Group) -> list[Group]:
    """Split a numbered heading from the paragraph that begins on the same line.

    Only a number marks such a heading: in `Not for children. Give ...` the words in bold belong to
    the sentence.
    """
    words = group.lines[0].words
    fonts = [word.font for word in words]
    count = next((at for at, font in enumerate(fonts) if font != fonts[0]), 0)
    first, rest = words[:count], words[count:]
    text = " ".join(word.text for word in first)
    numbered = (heading_depth(text) or 0) >= 2 and text.endswith((".", ":"))
    fits = group.kind is BlockKind.PARAGRAPH and len(group.lines) > 1 and fonts[0]
    if not (fits and numbered and fonts[count] == group.lines[-1].words[-1].font):
        return [group]
    heading = Group(BlockKind.HEADING, [Line(first)], group.text_left, group.column)
    body = Group(BlockKind.PARAGRAPH, [Line(rest), *group.lines[1:]], group.text_left, group.column)
    return [heading, body]


def _kind(line: Line) -> BlockKind:
    if CAPTION.match(line.text):
        return BlockKind.CAPTION
    return BlockKind.LIST_ITEM if list_marker(line.text) else BlockKind.PARAGRAPH


def _starts(group: Group, line: Line, styles: Styles, column: Box, pitch: float) -> bool:
    """Tell whether `line` begins a new block below `group`."""
    above = group.lines[-1]
    overlapping = line.box[1] < group.box[3] - 0.2 * styles.body
    if (overlapping and (is_scrap(line) or is_scrap(above))) or is_limit(above, line):
        return False  # parts of a fraction or a sum, one above the other
    if _kind(line) is not BlockKind.PARAGRAPH and not _mid_sentence(above, line, column):
        return True
    if _style_changes(group.lines, line, styles) or _is_next_note(group, line):
        return True
    small = line.size < _SMALL * styles.body and not styles.by_ocr
    if small and _NOTE.match(line.text) and _ENDED.search(above.text):
        return True
    step = line.box[3] - above.box[3]
    usual = pitch * max(1.0, line.size / styles.body)
    if step > 1.35 * usual or step < -0.5 * line.size:
        return True
    if goes_on(above.text, line.text):
        return False
    if group.kind is BlockKind.LIST_ITEM:
        return not _goes_on_item(group, line)
    indented = line.box[0] - group.lines[-1].box[0] > 0.8 * line.size
    off = abs((above.box[0] + above.box[2]) - (line.box[0] + line.box[2]))
    if indented and _ENDED.search(above.text) and off >= 4:  # it is not centred
        return True
    short = above.box[2] < column[2] - 0.2 * (column[2] - column[0])
    return short and bool(_ENDED.search(above.text)) and not line.text[0].islower()


def _is_next_note(group: Group, line: Line) -> bool:
    """Tell whether a line begins with a dagger, another sign than its group's, or the next mark.

    `a Note?` goes on from `[5] What's in`.
    """
    mark, before = note_mark(line.text), note_mark(group.lines[0].text)
    if mark is None or mark == before:
        return False
    if before is None or mark.isalnum() != before.isalnum():
        return mark[0] in "†‡"
    return not mark.isalnum() or ord(mark) == ord(before) + 1


def _goes_on_item(group: Group, line: Line) -> bool:
    """Tell whether a line belongs to a list item.

    It is indented like the item's text, or begins at the marker's edge after an unfinished
    sentence.
    """
    first, above = group.lines[0], group.lines[-1]
    if line.box[0] >= min(group.text_left, first.box[0] + 4) - 3:
        return True
    if len(group.lines) > 1 and above.box[0] > first.box[0] + 3:
        return False  # the item's lines have a hanging indent
    return abs(line.box[0] - first.box[0]) < 3 and not _STOPPED.search(above.text)


def _mid_sentence(above: Line, line: Line, column: Box) -> bool:
    """Tell whether a line begins with a marker only because its sentence was wrapped there."""
    marker = list_marker(line.text)
    if marker is None or _ENDED.search(above.text):
        return False
    full = above.box[2] > column[2] - 0.12 * (column[2] - column[0])
    if marker.strip() in "-–—" and above.text[-1].isdigit():
        return full and line.text[len(marker) :][:1].isdigit()  # a range: `5` / `– 10 mg`
    if is_bullet(line.text):
        return False
    return full and (line.text[len(marker) :][:1].islower() or above.text[-1] in "-,")


def _style_changes(lines: Sequence[Line], line: Line, styles: Styles) -> bool:
    last = lines[-1]
    ratio = line.size / last.size
    if not 0.93 <= ratio <= 1.08 and not styles.by_ocr:
        return True
    if styles.by_ocr:
        return styles.is_heading([*lines]) != styles.is_heading([line])
    apart = styles.is_set_apart(lines)
    if apart == styles.is_set_apart([line]):
        # Two headings, one right above the other, differ in size or font.
        fonts = [{word.font for word in item.words} for item in (last, line)]
        near = abs(last.size - line.size) <= 0.03 * last.size and not fonts[0].isdisjoint(fonts[1])
        return apart and not near and styles.is_heading([line])
    if apart:
        return styles.is_heading(lines) and not line.text[0].islower()
    return styles.is_heading([line]) and (line.bold or bool(_ENDED.search(last.text)))


def _final_kind(group: Group, styles: Styles, page_height: float) -> BlockKind:
    if group.kind is BlockKind.CAPTION:
        return group.kind
    if styles.is_heading(group.lines):
        if is_title_of(group.text):
            return BlockKind.CAPTION
        if not is_bullet(group.text) and not is_tick(group.text):
            return BlockKind.HEADING
    small = all(line.size < _SMALL * styles.body for line in group.lines)
    low = group.lines[0].box[1] > 0.6 * page_height
    if small and (_NOTE.match(group.lines[0].text) or low) and not styles.by_ocr:
        return BlockKind.FOOTNOTE
    if is_recommendation(group.lines[0].text):
        return BlockKind.PARAGRAPH  # it stands by itself, and may lead a list
    return group.kind


def free_page_footers(groups: Sequence[Group], boxes: Sequence[Box], page_height: float) -> None:
    """Make paragraphs of small print that is the page's footer, and no note of what is above it.

    A footer stands at the page's edge, apart from all `boxes` of the page, without a note's mark or
    the end of a sentence.
    """
    for group in groups:
        top, first = group.box[1], group.lines[0]
        above = max((box[3] for box in boxes if box[3] <= top + 1), default=0.0)
        is_apart = middle(group.box)[1] > (1 - EDGE) * page_height and top - above > first.size
        is_note = _NOTE.match(first.text) or _ENDED.search(group.text)
        if group.kind is BlockKind.FOOTNOTE and is_apart and not is_note:
            group.kind = BlockKind.PARAGRAPH


def draft_of(group: Group, vocabulary: Vocabulary | None, level: int = 0) -> Draft:
    """Return a group as a text block: a piece for each printed line, divided words joined.

    Without a vocabulary a hyphen that may divide a word becomes `UNDECIDED`.
    """
    kind, lines = group.kind, group.lines
    pieces: list[LineText] = []
    for line in lines:
        text, glue = vocabulary.mended(line.text) if vocabulary else line.text, " "
        if pieces:
            kept, glue = glue_between(pieces[-1].text, text, vocabulary)
            pieces[-1] = LineText(kept, pieces[-1].box, pieces[-1].glue)
        pieces.append(LineText(text, line.box, glue))
    if kind is BlockKind.LIST_ITEM and not group.continues:
        # A bullet is left out; a number is kept, since the text may refer to it.
        first, words = pieces[0], lines[0].words
        marker = list_marker(first.text)
        if marker is not None and is_bullet(first.text):
            alone = len(words) > 1 and words[0].text == marker.strip()
            box = union(word.box for word in words[1:]) if alone else first.box
            pieces[0] = LineText(first.text[len(marker) :], box, first.glue)
    printed = tuple(piece for piece in pieces if piece.text)
    return Draft(kind, printed, level, group.continues, tuple(group.doubts))
