"""The layout engine: cells of all pages of a document to blocks in reading order.

Works on geometry and fonts alone, so it needs no model. The whole document is seen at once, because
what is body text, a heading or a running header shows only over many pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corpus.parsing.drafts import Draft, DraftTable
from corpus.parsing.furniture import running_words
from corpus.parsing.geometry import PageCells, middle
from corpus.parsing.joining import Vocabulary
from corpus.parsing.ordering import Item, order_items
from corpus.parsing.paragraphs import Group, draft_of, group_lines
from corpus.parsing.runs import Line, link_runs, merge_row, rows_of
from corpus.parsing.styles import HeadingStyle, Styles, heading_depth, heading_levels, measure
from corpus.parsing.tables import FoundTable, find_aligned, find_ruled
from corpus.parsing.types import BlockKind

Part = Group | FoundTable


@dataclass(frozen=True)
class LaidOut:
    """Drafts of each page in reading order, and the document's title (may be empty)."""

    pages: tuple[tuple[Draft | DraftTable, ...], ...]
    title: str


def lay_out(pages: Sequence[PageCells]) -> LaidOut:
    """Return the blocks of every page; as many pages as came in."""
    running = running_words(pages)
    bodies = [
        replace(page, words=tuple(word for word in page.words if id(word) not in running))
        for page in pages
    ]
    styles = _styles(bodies)
    parts = [_page_parts(page, style) for page, style in zip(bodies, styles, strict=True)]
    vocabulary = Vocabulary([part_line.text for part in _groups(parts) for part_line in part.lines])
    levels = _levels(parts)
    drafts = tuple(
        tuple(_draft(part, vocabulary, levels) for part in page_parts if _has_text(part))
        for page_parts in parts
    )
    return LaidOut(drafts, _title(parts, vocabulary))


def _styles(pages: Sequence[PageCells]) -> list[Styles]:
    """Return the styles of each page: one for all with a text layer, one for each page read by
    OCR."""
    native = measure([page for page in pages if page.ocr_confidence is None])
    return [native if page.ocr_confidence is None else measure([page]) for page in pages]


def _page_parts(page: PageCells, styles: Styles) -> list[Part]:
    tables = find_ruled(page)
    taken = {word for table in tables for word in table.words}
    runs = link_runs([word for word in page.words if id(word) not in taken], page.rules)
    items = [Item(index, run.box) for index, run in enumerate(runs)]
    items += [Item(-1 - index, table.box, solid=True) for index, table in enumerate(tables)]
    parts: list[Part] = []
    for region in order_items(items):
        parts += _region_parts(region, runs, tables, styles, page)
    parts = _without_figures(parts)
    _demote_figure_labels(parts)
    return _captioned(_joined_columns(parts, styles))


def _region_parts(
    region: Sequence[Item],
    runs: Sequence[Line],
    tables: Sequence[FoundTable],
    styles: Styles,
    page: PageCells,
) -> list[Part]:
    """Return the blocks of one column, tables in their places."""
    here = [tables[-1 - item.index] for item in region if item.solid]
    texts = [runs[item.index] for item in region if not item.solid]
    for used, table in find_aligned(texts):
        here.append(table)
        texts = [run for run in texts if run not in used]
    lines = [merge_row(row) for row in rows_of(texts)]
    parts: list[Part] = []
    for table in sorted(here, key=lambda found: found.box[1]):
        above = [line for line in lines if middle(line.box)[1] < middle(table.box)[1]]
        lines = [line for line in lines if line not in above]
        parts += group_lines(above, styles, page_height=page.height)
        parts.append(table)
    return parts + list(group_lines(lines, styles, page_height=page.height))


def _joined_columns(parts: list[Part], styles: Styles) -> list[Part]:
    """Join a paragraph that goes on at the top of the next column."""
    joined: list[Part] = []
    for part in parts:
        last = _last_paragraph(joined)
        if last is not None and isinstance(part, Group) and _goes_on(last, part, styles):
            last.lines.extend(part.lines)
        else:
            joined.append(part)
    return joined


def _without_figures(parts: Sequence[Part]) -> list[Part]:
    """Take back tables that stand right above the caption of a figure: they are labels in a
    drawing."""
    kept: list[Part] = []
    for index, part in enumerate(parts):
        below = parts[index + 1] if index + 1 < len(parts) else None
        above = parts[index - 1] if index else None
        drawn = isinstance(below, Group) and _is_figure_caption(below)
        if isinstance(part, FoundTable) and drawn and not (above and _is_table_caption(above)):
            kept += [Group(BlockKind.PARAGRAPH, [line], line.box[0]) for line in part.lines]
        else:
            kept.append(part)
    return kept


def _demote_figure_labels(parts: Sequence[Part]) -> None:
    """Words inside a figure are no headings, however large: the short lines above its caption."""
    for index, part in enumerate(parts):
        if not (isinstance(part, Group) and _is_figure_caption(part)):
            continue
        for above in reversed(parts[:index]):
            if not isinstance(above, Group) or not _is_label(above):
                break
            above.kind = BlockKind.PARAGRAPH


def _is_figure_caption(part: Group) -> bool:
    return part.kind is BlockKind.CAPTION and part.lines[0].text.lower().startswith("fig")


def _is_label(part: Group) -> bool:
    text = " ".join(line.text for line in part.lines)
    return len(text) <= 60 and text[-1] not in ".:?!" and heading_depth(text) is None


def _last_paragraph(parts: Sequence[Part]) -> Group | None:
    """Return the paragraph that the text may go on from, footnotes and captions passed over."""
    for part in reversed(parts):
        if not isinstance(part, Group):
            continue
        if part.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM):
            return part
        if part.kind is BlockKind.HEADING:
            return None
    return None


def _goes_on(above: Group, below: Group, styles: Styles) -> bool:
    if below.kind is not BlockKind.PARAGRAPH or above.lines[-1].box[1] <= below.lines[0].box[1]:
        return False  # not in another column
    end, start = above.lines[-1], below.lines[0]
    if abs(end.size - start.size) > 0.6 or abs(end.size - styles.body) > 0.6:
        return False
    return end.text[-1] not in ".:?!" and (start.text[0].islower() or end.text[-1] in "-,;(")


def _captioned(parts: list[Part]) -> list[Part]:
    """Give each table the caption that stands next to it."""
    result = list(parts)
    free = {index for index, part in enumerate(parts) if _is_table_caption(part)}
    for index, part in enumerate(parts):
        if not isinstance(part, FoundTable):
            continue
        near = [other for other in (index - 1, index + 1) if other in free]
        if near:
            caption = parts[near[0]]
            free.discard(near[0])
            if isinstance(caption, Group):
                text = draft_of(caption.lines, caption.kind, Vocabulary()).text
                result[index] = part.with_caption(text)
    return result


def _is_table_caption(part: Part) -> bool:
    return (
        isinstance(part, Group)
        and part.kind is BlockKind.CAPTION
        and not part.lines[0].text.lower().startswith("fig")
    )


def _groups(parts: Iterable[Sequence[Part]]) -> list[Group]:
    return [part for page in parts for part in page if isinstance(part, Group)]


def _has_text(part: Part) -> bool:
    return isinstance(part, FoundTable) or any(line.text for line in part.lines)


def _levels(parts: Sequence[Sequence[Part]]) -> dict[int, int]:
    headings = [group for group in _groups(parts) if group.kind is BlockKind.HEADING]
    styled = [(HeadingStyle.of(group.lines), group.lines[0].text) for group in headings]
    return {id(g): level for g, level in zip(headings, heading_levels(styled), strict=True)}


def _draft(part: Part, vocabulary: Vocabulary, levels: dict[int, int]) -> Draft | DraftTable:
    if isinstance(part, FoundTable):
        return part.draft
    return draft_of(part.lines, part.kind, vocabulary, levels.get(id(part), 0))


def _title(parts: Sequence[Sequence[Part]], vocabulary: Vocabulary) -> str:
    """Return the largest heading of the first page, the upper one of equals."""
    first = [group for group in _groups(parts[:1]) if group.kind is BlockKind.HEADING]
    if not first:
        return ""
    best = max(first, key=lambda group: (round(group.lines[0].size), -group.lines[0].box[1]))
    return draft_of(best.lines, best.kind, vocabulary).text
