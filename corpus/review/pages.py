"""Prepare a page for review: blocks, tables, passages and their places. Pure.

Everything that can be pointed at has a key: `b3` a block, `b3.7` a cell of its table, `c12` a
passage, `d0` a doubt of the parser. A place on the picture lists the keys that it belongs to, so
that showing a key highlights its places, and a place leads to its keys. Blocks and doubts are the
JSON of `corpus.parsing.types`; spans are half-open, in code points of the page's text; boxes are in
points from the page's top left corner.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from corpus.boxes import Span, overlaps
from corpus.parsing.doubts.grades import Grade

Raw = Mapping[str, Any]

_HIGHEST_HEADING, _LOWEST_HEADING = 3, 6  # of HTML: above them stand the page's own
_PADDING_PT = 1.0
_MAX_SPAN = 1000  # rows or columns of one cell; browsers stop there too


@dataclass(frozen=True)
class DoubtRun:
    """A run of text, and whether the parser was unsure of it."""

    text: str
    is_doubtful: bool = False


@dataclass(frozen=True)
class ShownCell:
    """A cell for HTML. `scope` is empty if it is no header, `key` if cells are unknown."""

    text: str
    rows: int
    columns: int
    scope: str
    key: str
    is_placed: bool = False  # on the picture


@dataclass(frozen=True)
class ShownBlock:
    """A block for the template.

    `level` is that of an HTML heading or the depth of a list item, else 0.
    """

    key: str
    number: int  # its position on the page
    kind: str
    level: int
    pieces: tuple[DoubtRun, ...]
    caption: str
    rows: tuple[tuple[ShownCell, ...], ...]
    continues: bool
    is_doubtful: bool


@dataclass(frozen=True)
class BlockGroup:
    """Blocks that belong together: adjacent list items, or a single block."""

    is_list: bool
    blocks: tuple[ShownBlock, ...]


@dataclass(frozen=True)
class ShownDoubt:
    """A doubt; `block` is the key of the first block concerned, empty for the whole page."""

    key: str
    code: str
    grade: str
    message: str
    block: str


@dataclass(frozen=True)
class Place:
    """A rectangle on the picture, in SVG terms, and its keys."""

    x: str
    y: str
    width: str
    height: str
    keys: tuple[str, ...]
    is_doubtful: bool = False
    is_cell: bool = False


@dataclass(frozen=True)
class ReadPage:
    """A page for the template. `places` is empty for formats without geometry."""

    groups: tuple[BlockGroup, ...]
    doubts: tuple[ShownDoubt, ...]
    places: tuple[Place, ...]


def read_page(
    text: str,
    *,
    blocks: Sequence[Raw],
    doubts: Sequence[Raw] = (),
    passages: Mapping[str, Sequence[Span]] | None = None,
) -> ReadPage:
    """Prepare a page. `passages` maps each passage's key to its spans on this page."""
    unsure = {f"d{n}": [(int(d["start"]), int(d["end"]))] for n, d in enumerate(doubts)}
    spans = [span for spans_of in unsure.values() for span in spans_of if span[0] < span[1]]
    owners = {**(passages or {}), **unsure}
    shown = [
        _block(
            text,
            number,
            block,
            spans,
            has_caption=number > 0 and blocks[number - 1]["kind"] == "caption",
        )
        for number, block in enumerate(blocks)
    ]
    places = (place for n, block in enumerate(blocks) for place in _places(n, block, owners))
    return ReadPage(
        groups=tuple(_groups(shown)),
        doubts=tuple(_doubt(n, doubt, blocks) for n, doubt in enumerate(doubts)),
        places=tuple(places),
    )


def _groups(blocks: Sequence[ShownBlock]) -> Iterable[BlockGroup]:
    for is_list, run in groupby(blocks, key=lambda block: block.kind == "list_item"):
        if is_list:
            yield BlockGroup(True, tuple(run))
        else:
            yield from (BlockGroup(False, (block,)) for block in run)


def _block(
    text: str, number: int, block: Raw, doubts: Sequence[Span], *, has_caption: bool
) -> ShownBlock:
    """Prepare a block; a caption that is a block of its own is not repeated in its table."""
    table = block.get("table")
    level = int(block["level"])
    if block["kind"] == "heading":
        level = min(max(level, 1) + _HIGHEST_HEADING - 1, _LOWEST_HEADING)
    return ShownBlock(
        key=f"b{number}",
        number=number,
        kind=str(block["kind"]),
        level=level,
        pieces=() if table else _pieces(text, (int(block["start"]), int(block["end"])), doubts),
        caption=str(table["caption"]) if table and not has_caption else "",
        rows=table_rows(number, table) if table else (),
        continues=bool(block.get("continues", False)),
        is_doubtful=overlaps(block, doubts),
    )


def _pieces(text: str, span: Span, doubts: Sequence[Span]) -> tuple[DoubtRun, ...]:
    start, end = span
    edges = {edge for doubt in doubts for edge in doubt if start < edge < end}
    cuts = [start, *sorted(edges), end]
    return tuple(
        DoubtRun(text[a:b], is_doubtful=any(a < y and x < b for x, y in doubts))
        for a, b in pairwise(cuts)
        if a < b
    )


def table_rows(number: int, table: Raw) -> tuple[tuple[ShownCell, ...], ...]:
    """Return the table as printed, or from labels and rows where the cells are unknown."""
    cells = list(table.get("cells") or ())
    if not cells:
        return _plain_rows(table)
    by_row: dict[int, list[tuple[int, Raw]]] = {}
    for index, cell in enumerate(cells):
        # A row whose cells all come down from the one above is empty, and still a row.
        for row in range(int(cell["row"]), int(cell["row"]) + _bounded(cell["rows"])):
            by_row.setdefault(row, [])
        by_row[int(cell["row"])].append((index, cell))
    return tuple(_row(number, indexed) for _, indexed in sorted(by_row.items()))


def _row(number: int, cells: Sequence[tuple[int, Raw]]) -> tuple[ShownCell, ...]:
    heading = "col" if all(cell["is_header"] for _, cell in cells) else "row"
    return tuple(
        ShownCell(
            text=str(cell["text"]),
            rows=_bounded(cell["rows"]),
            columns=_bounded(cell["columns"]),
            scope=heading if cell["is_header"] else "",
            key=f"b{number}.{index}",
            is_placed=bool(cell["box"]),
        )
        for index, cell in cells
    )


def _bounded(span: Any) -> int:
    return max(min(int(span), _MAX_SPAN), 1)


def _plain_rows(table: Raw) -> tuple[tuple[ShownCell, ...], ...]:
    header = tuple(ShownCell(str(label), 1, 1, "col", "") for label in table["header"])
    body = (tuple(ShownCell(str(c), 1, 1, "", "") for c in row["cells"]) for row in table["rows"])
    return (*((header,) if header else ()), *body)


def _doubt(number: int, doubt: Raw, blocks: Sequence[Raw]) -> ShownDoubt:
    span = (int(doubt["start"]), int(doubt["end"]))
    keys = (f"b{n}" for n, block in enumerate(blocks) if overlaps(block, [span]))
    code, message = str(doubt["code"]), str(doubt["message"])
    grade = str(doubt.get("grade", Grade.VALUE))
    return ShownDoubt(f"d{number}", code, grade, message, next(keys, ""))


def _places(number: int, block: Raw, owners: Mapping[str, Sequence[Span]]) -> Iterable[Place]:
    """Yield a place for each line of a block, then for each cell of its table."""
    inside = [
        tuple(key for key, spans in owners.items() if overlaps(line, spans))
        for line in block["lines"]
    ]
    for line, keys in zip(block["lines"], inside, strict=True):
        doubtful = any(key.startswith("d") for key in keys)
        yield _place(line["box"], (f"b{number}", *keys), is_doubtful=doubtful)
    table = block.get("table")
    for index, cell in enumerate((table.get("cells") or ()) if table else ()):
        if cell["box"]:
            lines = zip(block["lines"], inside, strict=True)
            shared = dict.fromkeys(
                k for x, keys in lines if _holds(cell["box"], x["box"]) for k in keys
            )
            yield _place(cell["box"], (f"b{number}.{index}", *shared), is_cell=True)


def _holds(outer: Sequence[float], inner: Sequence[float]) -> bool:
    """Tell whether the centre of `inner` is inside `outer`."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


def _place(box: Sequence[float], keys: tuple[str, ...], **marks: bool) -> Place:
    left, top, right, bottom = box
    x, y = left - _PADDING_PT, top - _PADDING_PT
    width = max(right - left, 0) + 2 * _PADDING_PT
    height = max(bottom - top, 0) + 2 * _PADDING_PT
    return Place(f"{x:.1f}", f"{y:.1f}", f"{width:.1f}", f"{height:.1f}", keys, **marks)
