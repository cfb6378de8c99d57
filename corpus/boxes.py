"""Find where a span of a page's text is on the page's picture. Pure.

`blocks` is the JSON of `corpus.parsing.types.Block`; a span is half-open, in code points of the
page's text; a box is `(left, top, right, bottom)` in points from the page's top left corner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Span = tuple[int, int]
Spans = Sequence[Span]
Blocks = Sequence[Mapping[str, Any]]


def boxes_of(blocks: Blocks, spans: Spans) -> Iterator[Sequence[float]]:
    """Yield the box of each line that holds a part of a span, in reading order.

    Nothing for a page without geometry.
    """
    lines = (line for block in blocks for line in block["lines"])
    return (line["box"] for line in lines if overlaps(line, spans))


def overlaps(part: Mapping[str, Any], spans: Spans) -> bool:
    """Tell whether an item with `start` and `end` overlaps a span."""
    return any(part["start"] < end and start < part["end"] for start, end in spans)
