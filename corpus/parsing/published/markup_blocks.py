"""Turn sections, lists, tables and captions of JATS, BITS and HTML into blocks.

Sources: NISO Z39.96 (JATS) and its book extension BITS, which share the elements of their bodies;
HTML's tables are those of JATS.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from xml.etree.ElementTree import Element

from corpus.parsing.drafts import Draft, Drafted, DraftTable, LineText, text_draft
from corpus.parsing.lists import ordinal, whole_number
from corpus.parsing.published.xml_text import doubts_in, flat, line_of, runs, tidy
from corpus.parsing.tables.printed import label_rows, with_header
from corpus.parsing.types import BlockKind, Cell, Doubt, ParseError

MAX_CELLS = 50_000  # of one table; a cell counts once for each place that it covers
_NUMBERINGS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_MARKER = re.compile(r"list-style-type\s*:\s*['\"]([^'\"]*)['\"]")
PANEL = ":panel"  # a part that the reader of a page opens, with a name
OPENED, CLOSED = 0, -1  # levels of headings: of a panel's name, and of its end
_Reader = Callable[[Element, int], Iterator[Drafted]]
_NOTHING: _Reader = lambda element, level: iter(())  # noqa: E731

_PICTURED = Doubt(
    "table_is_picture", "This table is there as a picture only, so what it says is not searched."
)


def blocks(element: Element, level: int) -> Iterator[Drafted]:
    """Yield the blocks inside an element, in order; headings right inside it get `level`.

    References, pictures and supplements are left out; captions stay. Raises ParseError
    (`table_too_large`).
    """
    text: list[str] = []
    for child, part in runs(element, _STOP):
        if child is None:
            text.append(part)
            continue
        yield from _paragraph("".join(text))
        text = []
        yield from _READERS[child.tag](child, level)
    yield from _paragraph("".join(text))


def _paragraph(raw: str) -> Iterator[Draft]:
    text = tidy(raw)
    if text:
        yield Draft(BlockKind.PARAGRAPH, (LineText(text),), doubts=doubts_in(raw))


def _section(element: Element, level: int) -> Iterator[Drafted]:
    """Yield the heading and blocks of a section; no heading over references or supplements only."""
    name = _named(element, "title")
    body = list(blocks(element, level + 1 if name else level))
    back_matter = {"ref-list", "supplementary-material"} & {child.tag for child in element}
    if name and (body or not back_matter):
        yield text_draft(BlockKind.HEADING, name, level)
    yield from body


def _box(element: Element, level: int) -> Iterator[Drafted]:
    """Yield the blocks of a box, its title as a paragraph.

    As a heading it would seem to cover what follows the box.
    """
    name = _named(element, "title") or _caption(element)
    if name:
        yield text_draft(BlockKind.PARAGRAPH, name)
    yield from blocks(element, level)


def _named(element: Element, tag: str) -> str:
    parts = (line_of(element.find("label")), line_of(element.find(tag)))
    return tidy(" ".join(part for part in parts if part))


def _caption(element: Element) -> str:
    caption = element.find("caption")
    parts = [line_of(element.find("label"))]
    if caption is not None:
        parts += [draft.text for draft in blocks(caption, 1) if isinstance(draft, Draft)]
        parts.insert(1, line_of(caption.find("title")))
    return tidy(" ".join(part for part in parts if part))


def _heading(element: Element, level: int) -> Iterator[Drafted]:
    """Yield a heading of HTML: `h1` at `level`, `h2` one below it."""
    text = line_of(element)
    if text:
        rank = level + int(element.tag[1]) - 1
        yield Draft(BlockKind.HEADING, (LineText(text),), rank, doubts=doubts_in(flat(element)))


def _panel(element: Element, level: int) -> Iterator[Drafted]:
    """Yield a panel's name, its blocks, and a heading without words at its end."""
    body = list(blocks(element, level))
    if body:
        yield text_draft(BlockKind.HEADING, element.get("name", ""), OPENED)
        yield from body
        yield text_draft(BlockKind.HEADING, "", CLOSED)


def _list(element: Element, level: int) -> Iterator[Drafted]:
    """Yield the items of a list; their level is their depth, 1 for the outermost list.

    Word has no lists around its items; there the attribute `depth` gives an item's depth.
    """
    is_numbered = element.tag == "ol" or element.get("list-type") == "order"
    form = _NUMBERINGS.get(element.get("type", "1"), "decimal")
    at = whole_number(element.get("start", "1"), 1)
    deeper = int(element.get("depth", "1")) - 1
    yield from _title(element)
    yield from _paragraph(element.text or "")
    for child in element:
        if child.tag in ("list-item", "li"):
            styled = _MARKER.search(child.get("style", ""))
            own = f"{ordinal(at, form)}." if is_numbered else ""
            own = line_of(child.find("label")) or (styled.group(1).strip() if styled else own)
            drafts = _item(list(blocks(child, level)), own.lstrip("•·-– "))
            at += 1
        else:  # a list right inside a list
            drafts = _item(list(_READERS.get(child.tag, blocks)(child, level)))
        for draft in drafts:
            yield replace(draft, level=draft.level + deeper) if isinstance(draft, Draft) else draft
        yield from _paragraph(child.tail or "")


def _title(element: Element) -> Iterator[Draft]:
    text = line_of(element.find("title"))
    if text:
        yield text_draft(BlockKind.PARAGRAPH, text)


def _item(drafts: list[Drafted], label: str = "") -> Iterator[Drafted]:
    for at, draft in enumerate(drafts):
        if isinstance(draft, Draft) and draft.kind is BlockKind.PARAGRAPH:
            text = f"{label} {draft.text}" if label and at == 0 else draft.text
            yield Draft(BlockKind.LIST_ITEM, (LineText(text),), 1, doubts=draft.doubts)
        elif isinstance(draft, Draft) and draft.kind is BlockKind.LIST_ITEM:
            yield replace(draft, level=draft.level + 1)
        else:
            yield draft


def _definitions(element: Element, level: int) -> Iterator[Drafted]:
    """Yield each definition as an item `term: meaning`."""
    yield from _title(element)
    term = ""
    for entry in _entries_of_definitions(element):
        if entry.tag in ("term", "dt"):
            term = f"{term}, {line_of(entry)}".lstrip(", ")
        else:
            yield from _item(list(blocks(entry, level)), f"{term}:" if term else "")
            term = ""
    if term:
        yield Draft(BlockKind.LIST_ITEM, (LineText(term),), 1)


def _entries_of_definitions(element: Element) -> Iterator[Element]:
    for child in element:
        if child.tag in ("def-item", "div"):
            yield from _entries_of_definitions(child)
        elif child.tag in ("term", "dt", "def", "dd"):
            yield child


def _figure(element: Element, level: int) -> Iterator[Drafted]:
    if text := line_of(element) if element.tag == "figcaption" else _caption(element):
        yield text_draft(BlockKind.CAPTION, text)


def _table_wrap(element: Element, level: int) -> Iterator[Drafted]:
    caption = _caption(element)
    tables = [table for table in element.iter("table") if cells_of(table)]
    if caption:
        doubts = () if tables else (_PICTURED,)
        yield Draft(BlockKind.CAPTION, (LineText(caption),), doubts=doubts)
    for table in tables:
        yield DraftTable(cells_of(table), caption=caption, doubts=doubts_in(flat(table)))
    for foot in element.iter("table-wrap-foot"):
        for draft in blocks(foot, level):
            is_text = isinstance(draft, Draft) and draft.kind is BlockKind.PARAGRAPH
            yield Draft(BlockKind.FOOTNOTE, draft.pieces) if is_text else draft  # type: ignore[union-attr]


def _group(element: Element, level: int) -> Iterator[Drafted]:
    """Yield tables under a common caption, each with that caption before its own.

    The common caption may name the patients that the tables are for.
    """
    name = _caption(element)
    for draft in blocks(element, level):
        if isinstance(draft, DraftTable) and name:
            draft = replace(draft, caption=f"{name} {draft.caption}".strip())
            yield text_draft(BlockKind.CAPTION, draft.caption)
            yield draft
        elif not (isinstance(draft, Draft) and draft.kind is BlockKind.CAPTION and name):
            yield draft


def _table(element: Element, level: int) -> Iterator[Drafted]:
    caption = line_of(element.find("caption"))
    if caption:
        yield text_draft(BlockKind.CAPTION, caption)
    entries = [entry for row in element.iter("tr") for entry in _entries(row)]
    if len(entries) == 1:  # a frame around text
        yield from blocks(entries[0], level)
    elif cells := cells_of(element):
        doubts = doubts_in(flat(element))
        yield DraftTable(cells, caption=caption, doubts=doubts)


def _footnote(element: Element, level: int) -> Iterator[Drafted]:
    label = line_of(element.find("label"))
    text = " ".join(draft.text for draft in blocks(element, level) if isinstance(draft, Draft))
    if text:
        yield text_draft(BlockKind.FOOTNOTE, f"{label} {text}".strip())


def cells_of(table: Element) -> tuple[Cell, ...]:
    """Return the cells of a table as printed, in order; empty if none holds text.

    Header rows are those of its head, else the first rows of `th` cells and the rows of labels
    below them, since Word marks only the first row. Raises ParseError (`table_too_large`).
    """
    rows = [(row, group) for group in (table, *table) for row in group if row.tag == "tr"]
    order = {"thead": 0, "tfoot": 2}  # HTML lets the foot stand before the body
    rows.sort(key=lambda pair: order.get(pair[1].tag, 1))
    head = sum(group.tag == "thead" for _, group in rows)
    # The columns filled by rows of several cells; a cell alone in its row adds none.
    several = [entries for row, _ in rows if len(entries := _entries(row)) > 1]
    filled = (sum(_span(e, "colspan") or 1 for e in entries) for entries in several)
    width = max(filled, default=1)
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for number, (row, _) in enumerate(rows):
        limit = (head if number < head else len(rows)) - number
        column = 0
        for entry in _entries(row):
            while (number, column) in taken:
                column += 1
            cell = _cell(entry, (number, column), limit, width)
            if len(taken) + cell.rows * cell.columns > MAX_CELLS:
                raise ParseError(
                    f"A table has more than {MAX_CELLS} cells.",
                    code="table_too_large",
                    hint="Divide the table, or leave it out of the file.",
                )
            down, across = range(number, number + cell.rows), range(column, column + cell.columns)
            taken.update(itertools.product(down, across))
            cells.append(cell)
    if not any(cell.text for cell in cells):
        return ()
    if not head:
        tags = ({entry.tag for entry in _entries(row)} for row, _ in rows)
        first = sum(1 for _ in itertools.takewhile(lambda tags: tags == {"th"}, tags))
        head = label_rows(cells, first) if 0 < first < len(rows) else 0
    return with_header(cells, head)


def _entries(row: Element) -> list[Element]:
    return [entry for entry in row if entry.tag in ("td", "th")]


def _cell(entry: Element, place: tuple[int, int], limit: int, width: int) -> Cell:
    columns, rows = _span(entry, "colspan") or width, _span(entry, "rowspan") or limit
    columns = max(1, min(columns, width - place[1]))
    text = cell_text(blocks(entry, 1))
    return Cell(*place, text, rows=max(1, min(rows, limit)), columns=columns)


def cell_text(drafts: Iterator[Drafted]) -> str:
    """Return a cell's text on one line, items and rows of inner tables joined by semicolons."""
    text, before = "", BlockKind.PARAGRAPH
    for draft in drafts:
        if isinstance(draft, Draft):
            part, kind = draft.text, draft.kind
        else:
            rows = (", ".join(filter(None, row)) for row in (draft.header, *draft.rows))
            part, kind = "; ".join(filter(None, rows)), BlockKind.TABLE
        listed = {kind, before} & {BlockKind.LIST_ITEM, BlockKind.TABLE}
        joint = "; " if listed and text and text[-1] not in ".,;:" else " "
        text, before = f"{text}{joint}{part}".strip(), kind
    return text


def _span(entry: Element, name: str) -> int:
    """Return how many rows or columns a cell spans; 0 means to the end of its part of the table."""
    return whole_number(entry.get(name, "1").strip().rstrip("%"), 1, digits=8)


_READERS: dict[str, _Reader] = {
    **dict.fromkeys(
        "p div section blockquote verse-line speech article main header footer figure aside "
        "details summary pre address form fieldset legend hgroup dt dd hr html search "
        "disp-formula disp-formula-group fig-group center body".split(),
        blocks,
    ),
    **dict.fromkeys("sec app book-part".split(), _section),
    **dict.fromkeys("boxed-text statement disp-quote verse-group fn-group".split(), _box),
    **dict.fromkeys("h1 h2 h3 h4 h5 h6".split(), _heading),
    **dict.fromkeys("list ul ol menu".split(), _list),
    **dict.fromkeys("def-list dl".split(), _definitions),
    PANEL: _panel,
    "fig": _figure,
    "figcaption": _figure,
    "table-wrap": _table_wrap,
    "table": _table,
    "array": _table,
    "table-wrap-group": _group,
    "fn": _footnote,
    **dict.fromkeys(
        "title label caption sec-meta object-id attrib permissions ref-list ack glossary graphic "
        "media supplementary-material alt-text long-desc index-term table-wrap-foot "
        "script style sub-article response related-article".split(),
        _NOTHING,
    ),
}
_STOP = frozenset(_READERS)
