"""Parse HTML into the tree that XML gives, and prune it to what a reader sees.

Nothing is fetched or run.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, TreeBuilder

from corpus.parsing.clean import clean_line
from corpus.parsing.office.html_fonts import Fonts, Styled, shown_in
from corpus.parsing.published.xml_text import MAX_DEPTH, STRUCK
from corpus.parsing.types import ParseError, too_deep

MAX_CELLS = 100_000  # of all tables, as of a workbook

_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_BLOCKS = frozenset("p div ul ol dl table h1 h2 h3 h4 h5 h6 blockquote section".split())
# The open elements that a new element of this name ends, and those up to which they are sought.
_ENDS = {
    **dict.fromkeys(_BLOCKS, ({"p"}, {"li", "dd", "td", "th", "div", "blockquote"})),
    "li": ({"li", "p"}, {"ul", "ol"}),
    "dt": ({"dt", "dd", "p"}, {"dl"}),
    "dd": ({"dt", "dd", "p"}, {"dl"}),
    "tr": ({"tr", "td", "th", "p"}, {"table"}),
    "td": ({"td", "th", "p"}, {"tr", "table"}),
    "th": ({"td", "th", "p"}, {"tr", "table"}),
}

# Elements that no reader sees, or that are not content of the page.
_DROPPED = frozenset(
    "script style noscript template iframe object embed svg canvas audio video nav dialog "
    "button select textarea".split()
)
_STRUCK = frozenset("del s strike".split())  # no longer said
_RANKS = frozenset("h1 h2 h3 h4 h5 h6".split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.I)
_LINE_THROUGH = re.compile(r"text-decoration[\w-]*\s*:[^;]*line-through", re.I)


def html_tree(text: str) -> Element:
    """Return a `body` element with the content of HTML.

    Raises ParseError (`too_deep`, `table_too_large`) beyond 200 levels or 100,000 cells.
    """
    parser = _Parser()
    parser.feed(text)
    parser.close()
    return parser.finish()


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._builder = TreeBuilder()
        self._open: list[str] = []
        self._cells = 0
        self._sheets = Fonts()
        self._css = ""  # of the open `style`
        self._styled: list[Styled] = []  # of the open elements, as these two
        self._fonts: list[str] = []  # a symbol font, or none
        self._start("body", {})

    def finish(self) -> Element:
        while self._open:
            self._end()
        return self._builder.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        ends, within = _ENDS.get(tag, (set(), set()))
        for depth in range(len(self._open) - 1, 0, -1):
            if self._open[depth] in within:
                break
            if self._open[depth] in ends:
                while len(self._open) > depth:
                    self._end()
        self._cells += tag in ("td", "th")
        if self._cells > MAX_CELLS:
            raise ParseError(
                f"The tables of the file have more than {MAX_CELLS:,} cells.",
                code="table_too_large",
                hint="Keep only the part that is guidance, and upload that.",
            )
        self._start(tag, {name: value or "" for name, value in attrs})
        if tag in _VOID:
            self._end()

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open[1:]:
            while self._open[-1] != tag:
                self._end()
            self._end()

    def handle_data(self, data: str) -> None:
        if self._open[-1] == "style":
            self._css += data
        self._builder.data(shown_in(data, self._fonts[-1]) if self._fonts[-1] else data)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise too_deep()
        self._open.append(tag)
        self._styled.append(Styled.of(tag, attributes))
        outer = self._fonts[-1] if self._fonts else ""
        self._fonts.append(self._sheets.font_of(self._styled, attributes, outer))
        self._builder.start(tag, attributes)

    def _end(self) -> None:
        self._fonts.pop()
        self._styled.pop()
        tag = self._open.pop()
        if tag == "style":
            self._sheets.add(self._css)
            self._css = ""
        self._builder.end(tag)


def prune(parent: Element) -> None:
    """Remove what a reader does not see or the page does not say; the text after it stays.

    A struck-out text leaves the mark `STRUCK`.
    """
    kept: list[Element] = []
    for child in parent:
        after = child.tail or ""
        style, is_hidden = child.get("style", ""), "hidden" in child.attrib
        is_hidden = is_hidden or child.get("aria-hidden") == "true" or bool(_HIDDEN.search(style))
        at_top = child.tag == "header" and parent.tag == "body"
        is_banner = at_top and not any(below.tag in _RANKS for below in child.iter())
        if child.tag in _STRUCK or _LINE_THROUGH.search(style):
            after = (STRUCK if clean_line("".join(child.itertext())) else "") + after
        elif not (is_hidden or is_banner or child.tag in _DROPPED):
            prune(child)
            kept.append(child)
            continue
        if kept:
            kept[-1].tail = (kept[-1].tail or "") + after
        else:
            parent.text = (parent.text or "") + after
    parent[:] = kept
