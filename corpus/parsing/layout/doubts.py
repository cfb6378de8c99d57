"""What the layout engine tells the person who approves: few sentences, each worth a look."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from corpus.parsing.geometry import overlap, same_row, width
from corpus.parsing.layout.flow import Part
from corpus.parsing.layout.paragraphs import Group
from corpus.parsing.layout.runs import Line
from corpus.parsing.layout.styles import Styles, heading_depth, is_scrap
from corpus.parsing.types import BlockKind, Doubt

HEADING_BY_SIZE = Doubt(
    "heading_by_size",
    "This line was taken for a heading by its size alone. Check that it is one.",
)
SIGN_UNREADABLE = Doubt(
    "sign_unreadable",
    "A sign here is printed in a font that does not say which it is; […] stands in its place. It "
    "may be a bound, a unit or a number: look at the page.",
)
ORDER_LOST = Doubt(
    "page_order_lost",
    "The lines of this page could not be put in order and stand as they come from the top down. "
    "Check the whole page.",
)
OVERPRINTED = Doubt(
    "overprinted_words",
    "Words are printed over each other here, so that what was read may differ from what is meant.",
)
COLUMNS_UNSURE = Doubt(
    "column_order_unsure",
    "Lines on this page run across its columns. Check that the text is in the order of reading.",
)
_CLEARLY_LARGER = 1.25  # times the body size


def doubt_parts(parts: Sequence[Part], styles: Styles) -> None:
    """Mark the groups of a page that a careful reader should look at."""
    groups = [part for part in parts if isinstance(part, Group)]
    for group in groups:
        if group.kind is BlockKind.HEADING and _is_guess(group, styles):
            group.doubts.append(HEADING_BY_SIZE)
    lines = [(group, line) for group in groups for line in group.lines]
    for (_, above), (group, line) in itertools.pairwise(lines):
        if _is_overprinted(above, line) and OVERPRINTED not in group.doubts:
            group.doubts.append(OVERPRINTED)


def doubt_columns(parts: Sequence[Part]) -> None:
    """Mark the first text of what was read in columns that many lines cross."""
    for group in (part for part in parts if isinstance(part, Group)):
        group.doubts.append(COLUMNS_UNSURE)
        break


def _is_guess(heading: Group, styles: Styles) -> bool:
    size = min(line.size for line in heading.lines)
    plain = not styles.is_set_apart(heading.lines) and heading_depth(heading.text) is None
    return plain and size < _CLEARLY_LARGER * styles.body and not styles.by_ocr


def _is_overprinted(above: Line, line: Line) -> bool:
    """Tell two lines of which most of one stands on the other; not so the parts of a formula."""
    crossing = overlap(above.box[0], above.box[2], line.box[0], line.box[2])
    most = crossing > 0.6 * min(width(above.box), width(line.box))
    return most and same_row(above.box, line.box) and not (is_scrap(above) or is_scrap(line))
