"""The layout engine: turn the words and rules of all pages into blocks in reading order.

Works on geometry and fonts alone, so it needs no model. All pages are laid out together, because
body text, headings and running headers can only be told apart over many pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from core.language.en.titles import clean_title
from corpus.parsing.clean import UNREADABLE
from corpus.parsing.drafts import Draft, DraftTable, place_draft
from corpus.parsing.geometry import (
    PageCells,
    Word,
    contains,
    middle,
    typical_size,
    union,
    upright,
)
from corpus.parsing.layout.bylines import join_title, side_by_side, without_bylines
from corpus.parsing.layout.doubts import (
    COLUMNS_UNSURE,
    ORDER_LOST,
    SIGN_UNREADABLE,
    TURNED,
    WORD_PARTED,
    doubt_columns,
    doubt_parts,
)
from corpus.parsing.layout.figures import (
    Figure,
    captioned,
    demote_labels,
    doubt_figures,
    find_figures,
    without_figures,
)
from corpus.parsing.layout.flow import Part, join_flow
from corpus.parsing.layout.furniture import running_words
from corpus.parsing.layout.joining import Vocabulary, decide
from corpus.parsing.layout.ligatures import is_parted
from corpus.parsing.layout.nesting import item_levels
from corpus.parsing.layout.ordering import Item, columns_unsure, order_items
from corpus.parsing.layout.panels import FLOW_CHART, Panel, chart_nodes, distinct, find_panels
from corpus.parsing.layout.paragraphs import Group, draft_of, free_page_footers, group_lines
from corpus.parsing.layout.runs import Line, lines_of, link_runs, merge_row, rows_of, without
from corpus.parsing.layout.styles import (
    HeadingStyle,
    Styles,
    heading_levels,
    measure,
)
from corpus.parsing.tables.aligned import find_aligned, find_wordy, parted_runs, unsure_runs
from corpus.parsing.tables.continued import join_tables
from corpus.parsing.tables.find import FoundTable, find_ruled
from corpus.parsing.tables.grids import ruled_regions
from corpus.parsing.tables.margins import find_margins, put_notes
from corpus.parsing.tables.notes import Printed, note_places
from corpus.parsing.types import BlockKind, Box, Doubt

T = TypeVar("T")
Solid = FoundTable | Figure | Panel
MAX_WORDS = 5_000  # of a page whose blocks are sought; the fullest page of a guideline has 1,500


@dataclass(frozen=True)
class LaidOut:
    """The drafts of each page in reading order, and the document's title, which may be empty.

    Boxes are on the displayed page. `running` and `labels` are, for each page, the boxes of words
    left out on purpose: running headers, footers and page numbers; and labels in a figure.
    `running_lines` are the lines of the former.
    """

    pages: tuple[tuple[Draft | DraftTable, ...], ...]
    title: str
    running: tuple[tuple[Box, ...], ...]
    labels: tuple[tuple[Box, ...], ...]
    running_lines: tuple[tuple[str, ...], ...]


@dataclass
class _Frame:
    """A page, or the text on it in another direction, with its blocks.

    `labels` are the ids of words that label figures and are left out.
    """

    cells: PageCells
    parts: list[Part]
    labels: set[int]


def lay_out(pages: Sequence[PageCells], named: str = "") -> LaidOut:
    """Return the blocks of every page, as many pages as were given, and the document's title.

    `named` is the title in the metadata. Where the analysis of a page fails, its lines stay in
    printed order, with a doubt; the other pages are laid out as usual.
    """
    ready = [_tried(_prepared, page) for page in pages]
    running = _running([page for page in ready if page])
    pages = [page or raw for page, raw in zip(ready, pages, strict=True)]
    styles = _styles([_without(page, running) for page in pages])
    frames_of_pages = [
        [
            _frame(_without(cells, running), style, is_inset=at > 0, in_order=page is not None)
            for at, cells in enumerate((shown, *shown.insets))
        ]
        for page, shown, style in zip(ready, pages, styles, strict=True)
    ]
    parts = [frames[0].parts for frames in frames_of_pages]
    parts[:1] = [without_bylines(page) for page in parts[:1]]
    parts = join_tables(join_flow(parts), pages)
    _mark_notes(parts)
    title = join_title(parts, named)
    for (first, *_), joined in zip(frames_of_pages, parts, strict=True):
        first.parts = joined
    every = [frame.parts for page in frames_of_pages for frame in page]
    vocabulary = Vocabulary(list(_texts(_groups(every), pages)))
    headings = [group for group in _groups(every) if group.kind is BlockKind.HEADING]
    styled = [(HeadingStyle.of(group.lines), group.lines[0].text) for group in headings]
    levels = dict(zip(map(id, headings), heading_levels(styled), strict=True))
    levels |= item_levels(parts)
    for cells, joined in zip(pages, parts, strict=True):
        free_page_footers(_groups([joined]), [part.box for part in joined], cells.height)
    for inset in (frame for _, *insets in frames_of_pages for frame in insets):
        levels |= item_levels([inset.parts])
    drafts = []
    for page in frames_of_pages:
        made = (
            place_draft(_draft(part, vocabulary, levels), frame.cells.displayed)
            for frame in page
            for part in frame.parts
        )
        drafts.append(tuple(draft for draft in made if draft.has_text))
    labels = tuple(
        tuple(box for frame in page for box in _boxes(frame.cells, frame.labels))
        for page in frames_of_pages
    )
    dropped = tuple(
        tuple(box for cells in (page, *page.insets) for box in _boxes(cells, running))
        for page in pages
    )
    running_lines = tuple(tuple(_running_lines(page, running)) for page in pages)
    text = clean_title(draft_of(title, vocabulary).text) if title else ""
    return LaidOut(tuple(drafts), text, dropped, labels, running_lines)


def _running_lines(page: PageCells, running: set[int]) -> Iterator[str]:
    for cells in (page, *page.insets):
        words = [word for word in cells.words if id(word) in running]
        yield from (line.text for line in lines_of(words))


def _boxes(cells: PageCells, names: set[int]) -> list[Box]:
    """Return the boxes, on the displayed page, of the words with these ids."""
    return [cells.displayed(word.box) for word in cells.words if id(word) in names]


def _tried(look: Callable[[PageCells], T | None], page: PageCells) -> T | None:
    """Return the result of `look` for a page; None if it raises anything but MemoryError."""
    try:
        return look(page)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  whatever it is, it costs one page
        return None


def _prepared(page: PageCells) -> PageCells | None:
    """Return a page with the turned labels of its tables; None if it has too many words.

    Searches the page for running headers once, so that a page on which this fails does so here and
    not in the search over all pages.
    """
    if any(len(frame.words) > MAX_WORDS for frame in (page, *page.insets)):
        return None
    page = _settled(page, [region.box for region in ruled_regions(page)]) if page.insets else page
    for frame in (page, *page.insets):
        running_words([frame])
    return page


def _settled(page: PageCells, tables: Sequence[Box]) -> PageCells:
    """Make turned labels inside ruled `tables` words of the page, each line one word."""
    labels: list[Word] = []
    insets: list[PageCells] = []
    for inset in page.insets:
        runs = [
            (run, upright(inset.displayed(run.box), page.displayed_size, page.turn))
            for run in link_runs(inset.words)
        ]
        inside = [(run, box) for run, box in runs if any(contains(t, middle(box)) for t in tables)]
        labels += [
            Word(run.text, box, run.size, run.bold, run.words[0].font) for run, box in inside
        ]
        moved = {id(word) for run, _ in inside for word in run.words}
        words = tuple(word for word in inset.words if id(word) not in moved)
        insets += [replace(inset, words=words)] if words else []
    return replace(page, words=(*page.words, *labels), insets=tuple(insets))


def _running(pages: Sequence[PageCells]) -> set[int]:
    """Return the ids of words in running headers and footers, each direction searched alone."""
    running = running_words(pages)
    for turn in (0, 90, 180, 270):
        running |= running_words([i for page in pages for i in page.insets if i.turn == turn])
    return running


def _texts(groups: Sequence[Group], pages: Sequence[PageCells]) -> Iterator[str]:
    """Yield the lines of all groups in order, then every word that is in no group."""
    lines = [line for group in groups for line in group.lines]
    yield from (line.text for line in lines)
    yielded = {id(word) for line in lines for word in line.words}
    for page in pages:
        for cells in (page, *page.insets):
            yield from (word.text for word in cells.words if id(word) not in yielded)


def _frame(cells: PageCells, styles: Styles, *, is_inset: bool, in_order: bool) -> _Frame:
    """Return the blocks of a page or inset; if the analysis fails, its lines from the top down.

    Without `in_order` no analysis is tried. Blocks of an inset get the doubt `text_turned`.
    """
    read = _tried(lambda page: _page_parts(page, styles), cells) if in_order else None
    parts, labels = read or (_in_no_order(cells), set())
    for at, part in enumerate(parts if is_inset else ()):
        if isinstance(part, FoundTable):
            parts[at] = part.with_doubt(TURNED)
        else:
            part.doubts.append(TURNED)
            # A line or two, as a stamp at the edge, is no running text.
            part.kind = BlockKind.FOOTNOTE if len(part.lines) <= 2 else part.kind
    return _Frame(cells, parts, labels)


def _styles(pages: Sequence[PageCells]) -> list[Styles]:
    """Return each page's styles: common to all with a text layer, of its own for each scan."""
    native = measure([page for page in pages if not page.is_scan])
    return [measure([page]) if page.is_scan else native for page in pages]


def _in_no_order(page: PageCells) -> list[Part]:
    """Return each line of a page, or else each word, as a paragraph.

    The first paragraph gets the doubt `page_order_lost`.
    """
    lines = _tried(lambda page: lines_of(page.words), page)
    groups = [
        Group(BlockKind.PARAGRAPH, [line], line.box[0], line.box, stands_alone=True)
        for line in lines or [Line((word,)) for word in page.words]
    ]
    for group in groups[:1]:
        group.doubts.append(ORDER_LOST)
    return [*groups]


def _page_parts(page: PageCells, styles: Styles) -> tuple[list[Part], set[int]]:
    page = replace(page, frames=distinct(page.frames))
    nodes = chart_nodes(page)
    plain = _without(page, {name for node in nodes for name in node.ids})
    tables = find_ruled(plain)
    runs = link_runs(plain.words, page.rules)
    figures = find_figures(plain, runs, [table.box for table in tables])
    certain = [figure for figure in figures if figure.certain]
    drawn = {word for figure in certain for word in figure.words}
    tables = [table for table in tables if not table.words & drawn]
    taken = drawn.union(*(table.words for table in tables))
    free = _without(plain, taken)
    solids: list[Solid] = [*tables, *certain, *nodes]
    panels = find_panels(free, [solid.box for solid in solids])
    parts = _arranged(free, [*solids, *panels], styles)
    parts = without_figures(parts)
    demote_labels(parts, known={id(figure.caption.words[0]) for figure in certain})
    doubt_figures(parts, figures)
    doubt_parts(parts, styles)
    labels = {id(word) for figure in certain for run in figure.labels for word in run.words}
    return captioned(parts), labels


def _without(page: PageCells, taken: set[int]) -> PageCells:
    return replace(page, words=tuple(word for word in page.words if id(word) not in taken))


def _arranged(page: PageCells, solids: Sequence[Solid], styles: Styles) -> list[Part]:
    """Return the blocks of a page or panel in reading order, its solids among the text."""
    solids = list(solids)
    boxed = {name for solid in solids if isinstance(solid, Panel) for name in solid.ids}
    runs = link_runs(_without(page, boxed).words, page.rules)
    margins = find_margins(runs, [solid.box for solid in solids])
    runs = margins.runs
    for used, table in find_wordy(runs):
        solids.append(table)
        runs = without(runs, used)
    items = [Item(index, run.box) for index, run in enumerate(runs)]
    items += [Item(-1 - index, solid.box, solid=True) for index, solid in enumerate(solids)]
    parts: list[Part] = []
    regions = order_items(items)
    for region in regions:
        parts += _region_parts(region, runs, solids, styles, page)
    columns = [[runs[item.index] for item in region if not item.solid] for region in regions]
    doubt_columns(parts, parted_runs(columns))
    first = next((part for part in parts if isinstance(part, Group)), None)
    if first and columns_unsure(items):
        first.doubts.append(COLUMNS_UNSURE)
    return put_notes(parts, margins.notes)


def _region_parts(
    region: Sequence[Item],
    runs: Sequence[Line],
    solids: Sequence[Solid],
    styles: Styles,
    page: PageCells,
) -> list[Part]:
    """Return the blocks of one column, with tables, figures and panels in their places."""
    here = [solids[-1 - item.index] for item in region if item.solid]
    texts = [runs[item.index] for item in region if not item.solid]
    for used, table in find_aligned(texts):
        here.append(table)
        texts = without(texts, used)
    unsure = unsure_runs(texts)
    lines = [merge_row(row) for row in side_by_side(rows_of(texts))]
    parts: list[Part] = []
    for solid in sorted(here, key=lambda solid_part: (solid_part.box[1], solid_part.box[0])):
        above = [line for line in lines if middle(line.box)[1] < middle(solid.box)[1]]
        lines = without(lines, above)
        parts += group_lines(above, styles, page_height=page.height)
        parts += _solid_parts(solid, page, styles)
    parts += group_lines(lines, styles, page_height=page.height)
    doubt_columns(parts, unsure)
    return parts


def _solid_parts(solid: Solid, page: PageCells, styles: Styles) -> Sequence[Part]:
    if isinstance(solid, FoundTable):
        return [solid]
    if isinstance(solid, Figure):
        return [
            Group(BlockKind.CAPTION, list(part), part[0].box[0], union(line.box for line in part))
            for part in solid.parts
        ]
    if not solid.is_node:
        inner = replace(page, words=solid.words)
        body = min(styles.body, typical_size(solid.words))
        return _arranged(inner, find_panels(inner, ()), replace(styles, body=body))
    lines = lines_of(solid.words)
    left = lines[0].box[0]
    node = Group(BlockKind.PARAGRAPH, lines, left, solid.box, stands_alone=True)
    node.doubts.append(FLOW_CHART)
    return [node]


def _mark_notes(pages: Sequence[Sequence[Part]]) -> None:
    """Make footnotes of the texts below tables that begin with a mark of their cells."""
    parts = [(number, part) for number, page in enumerate(pages) for part in page]
    for at in note_places([_printed(number, part) for number, part in parts]):
        part = parts[at][1]
        part.kind = BlockKind.FOOTNOTE  # type: ignore[union-attr]  # no table is a note


def _printed(page: int, part: Part) -> Printed:
    if isinstance(part, FoundTable):
        return Printed(BlockKind.TABLE, part.draft.cell_lines, page, part.draft.continues)
    return Printed(part.kind, part.text, page)


def _groups(parts: Iterable[Sequence[Part]]) -> list[Group]:
    return [part for page in parts for part in page if isinstance(part, Group)]


def _draft(part: Part, vocabulary: Vocabulary, levels: dict[int, int]) -> Draft | DraftTable:
    if isinstance(part, FoundTable):
        table = part.draft.reworded(lambda text: decide(text, vocabulary))
        unsure = tuple(_doubts([cell.text for cell in table.cells]))
        return replace(table, doubts=(*table.doubts, *unsure))
    draft = draft_of(part, vocabulary, levels.get(id(part), 0))
    unsure = tuple(_doubts([piece.text for piece in draft.pieces]))
    return replace(draft, doubts=(*draft.doubts, *unsure))


def _doubts(texts: Sequence[str]) -> Iterator[Doubt]:
    if any(UNREADABLE in text for text in texts):
        yield SIGN_UNREADABLE
    if any(is_parted(text) for text in texts):
        yield WORD_PARTED
