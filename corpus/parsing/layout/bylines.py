"""Who wrote a document: names and addresses below its title are no headings, and those that stand
side by side are read one after the other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from corpus.parsing.geometry import overlap, same_row
from corpus.parsing.layout.flow import Part
from corpus.parsing.layout.paragraphs import Group
from corpus.parsing.layout.runs import Line
from corpus.parsing.layout.styles import heading_depth
from corpus.parsing.types import BlockKind

_PART = r"(?:[A-Z][\w.'’-]*|de|van|von|der|la|bin|al)"
_NAME = rf"{_PART}(?:\s+{_PART}){{1,4}}"
_MARKS = r"[\s*†‡§¹²³⁴-⁹\d,]*"
_NAMES = re.compile(rf"^{_NAME}{_MARKS}(?:(?:,|;|\band\b|&)\s*{_NAME}{_MARKS}){{2,}}$")
_MARKED = re.compile(rf"^{_NAME}\s?[*†‡§¹²³⁴-⁹]")
_CENTRED = 3.0  # points between the middles of lines of one column


def without_bylines(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of the first page with the names below its title as paragraphs."""
    groups = [part for part in parts if isinstance(part, Group)]
    headings = [
        (group, below)
        for group, below in itertools.pairwise([*groups, None])
        if group is not None and group.kind is BlockKind.HEADING
    ]
    for heading, below in headings[1:]:
        if heading_depth(heading.text) is not None or not _is_smaller(heading, headings[0][0]):
            break
        beside = any(_beside(heading, other) for other, _ in headings)
        if not (_is_names(heading.text) or (beside and below and _is_centred(heading, below))):
            break
        heading.kind = BlockKind.PARAGRAPH
    return list(parts)


def _is_smaller(heading: Group, title: Group) -> bool:
    return heading.lines[0].size < title.lines[0].size


def _beside(heading: Group, other: Group) -> bool:
    return other is not heading and same_row(heading.lines[0].box, other.lines[0].box)


def _is_centred(heading: Group, below: Group) -> bool:
    """Tell a name over its address from a heading over its text."""
    above, under = heading.lines[0].box, below.lines[0].box
    off = abs((above[0] + above[2]) - (under[0] + under[2]))
    return off < 2 * _CENTRED < 2 * abs(above[0] - under[0])


def _is_names(text: str) -> bool:
    return bool(_NAMES.match(text) or _MARKED.match(text))


def side_by_side(rows: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return rows in reading order: centred lines beside each other column by column.

    Lines that begin at common left edges stay in rows: they may be labels and what they say.
    """
    ordered: list[list[Line]] = []
    stretch: list[Sequence[Line]] = []
    for row in [*rows, []]:
        if row and stretch and _in_columns(stretch[-1], row):
            stretch.append(row)
            continue
        if len(stretch) > 1:
            ordered += [[run] for column in zip(*stretch, strict=True) for run in column]
        else:
            ordered += [list(above) for above in stretch]
        stretch = [row]
    return ordered


def _in_columns(above: Sequence[Line], row: Sequence[Line]) -> bool:
    if len(row) != len(above) or len(row) < 2:
        return False
    if row[0].box[1] - above[0].box[3] > 2 * row[0].size:
        return False
    middles = [
        abs((a.box[0] + a.box[2]) - (b.box[0] + b.box[2])) < 2 * _CENTRED
        for a, b in zip(above, row, strict=True)
    ]
    lefts = [abs(a.box[0] - b.box[0]) < _CENTRED for a, b in zip(above, row, strict=True)]
    apart = all(
        overlap(a.box[0], a.box[2], b.box[0], b.box[2]) == 0
        for a, b in [*zip(above, row[1:], strict=False), *itertools.pairwise(row)]
    )
    return all(middles) and not all(lefts) and apart
