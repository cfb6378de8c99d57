"""Doubts of the layout engine for the person who approves a document."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from corpus.parsing.geometry import overlap, same_row, width
from corpus.parsing.layout.flow import Part
from corpus.parsing.layout.paragraphs import Group
from corpus.parsing.layout.runs import Line
from corpus.parsing.layout.styles import Styles, heading_depth, is_scrap
from corpus.parsing.tables.aligned import IN_COLUMNS
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
WORD_PARTED = Doubt(
    "word_parted",
    "A word here is parted after “fi” or “fl” and can't be found as it is printed. Look at the "
    "page and correct it.",
)
RAISED_UNSURE = Doubt(
    "raised_unsure",
    "A digit stands a little higher or is a little smaller than the one before it. It may be the "
    "mark of a footnote or a power: compare the line with the page.",
)
SIGN_MISNAMED = Doubt(
    "sign_misnamed",
    "A sign here is printed otherwise than its file names it, or its font names two signs alike: ≥ "
    "may be ≤, or mg µg. Compare the line with the page, and correct it if it is.",
)
_MOST_NAMED = 8  # kinds of mended signs that a note names


def signs_mended(counts: Mapping[tuple[str, str], int]) -> Doubt:
    """Return the note that signs were read by their print, by what they are named and printed."""
    kinds = sorted(counts.items(), key=lambda kind: (-kind[1], kind[0]))[:_MOST_NAMED]
    named = ", ".join(f"“{text}” as “{sign}” ({count})" for (text, sign), count in kinds)
    return Doubt(
        "signs_mended",
        f"Fonts of this document name {sum(counts.values())} signs otherwise than they print them. "
        f"They were read as they are printed: {named}. Nothing has to be done.",
    )


TEXT_CUT = Doubt(
    "text_cut",
    "The text runs off the edge of the page here, and the rest of it was not read: a dose or a "
    "condition may be missing. Save the file with its whole text on the page and upload it.",
)
WORDS_STRUCK = Doubt(
    "words_struck",
    "Words here are struck through or covered; […] stands in their place. Compare the line with "
    "the page, and correct it.",
)
CROSSED_OUT = Doubt(
    "words_struck",
    "A line is drawn slantwise over words of this page: they may be crossed out, and no longer in "
    "force. Compare the page with the file.",
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
TURNED = Doubt(
    "text_turned",
    "This text runs in another direction than its page and was read after it. Check where it "
    "belongs.",
)
_CLEARLY_LARGER = 1.25  # times the body size


def doubt_parts(parts: Sequence[Part], styles: Styles) -> None:
    """Add doubts to headings known by their size alone and to lines printed over each other."""
    groups = [part for part in parts if isinstance(part, Group)]
    for group in groups:
        if group.kind is not BlockKind.HEADING or styles.by_ocr:
            continue
        size = min(line.size for line in group.lines)
        plain = not styles.is_set_apart(group.lines) and heading_depth(group.text) is None
        if plain and size < _CLEARLY_LARGER * styles.body:
            group.doubts.append(HEADING_BY_SIZE)
    lines = [(group, line) for group in groups for line in group.lines]
    for (_, above), (group, line) in itertools.pairwise(lines):
        crossing = overlap(above.box[0], above.box[2], line.box[0], line.box[2])
        most = crossing > 0.6 * min(width(above.box), width(line.box))
        is_formula = is_scrap(above) or is_scrap(line)  # its parts stand above each other
        is_over = most and same_row(above.box, line.box) and not is_formula
        if is_over and OVERPRINTED not in group.doubts:
            group.doubts.append(OVERPRINTED)


def doubt_columns(parts: Sequence[Part], runs: Sequence[Line]) -> None:
    """Doubt the texts that hold any of these runs, which may be the cells of a table."""
    unsure = {id(word) for run in runs for word in run.words}
    for part in parts:
        if isinstance(part, Group) and IN_COLUMNS not in part.doubts:
            words = (id(word) for line in part.lines for word in line.words)
            part.doubts += [IN_COLUMNS] if not unsure.isdisjoint(words) else []
