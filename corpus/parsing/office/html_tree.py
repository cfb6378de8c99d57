"""Parse HTML into the tree that XML gives, and prune it to what a reader sees.

Nothing is fetched or run.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, TreeBuilder

from corpus.parsing.clean import clean_line
from corpus.parsing.office.html_fonts import UNSEEN, Fonts, Paint, Styled, shown_in
from corpus.parsing.published.xml_text import MAX_DEPTH, STRUCK
from corpus.parsing.standing import is_said
from corpus.parsing.types import ParseError, too_deep

MAX_CELLS = 100_000  # of all tables, as of a workbook

_VOID = frozenset("area base br col embed hr img input link meta source track wbr frame".split())
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

# Elements without words of the page: programs, navigation, controls.
_EMPTY = frozenset("script style nav button link meta base param source track".split())
# Elements whose words are not read, as no reader sees them at first, or to choose from.
_ADDED = "words that styles add"
_WHITE = "white text"
_WORDLESS = _EMPTY | {"title"}
_DOUBTED = frozenset(
    "noscript noframes template iframe object embed svg canvas audio video dialog select datalist "
    "option optgroup selectedcontent progress meter frame frameset".split()
) | {_ADDED, _WHITE}
_FOREIGN = frozenset("iframe object embed audio video frame canvas".split())  # with words elsewhere
# What these hold beside their parts is in none of them, and is not read.
_PARTS = {
    "table": frozenset("caption colgroup col thead tbody tfoot tr".split()),
    **dict.fromkeys(("thead", "tbody", "tfoot"), frozenset(("tr",))),
    "tr": frozenset(("td", "th")),
    "dl": frozenset(("dt", "dd", "div")),
}
_SHOWN_INPUTS = frozenset("text number date time month week tel email url search range".split())
_STRUCK = frozenset("del s strike".split())  # no longer said
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_ORNAMENT = re.compile(r"logo|icon|banner|spacer|avatar|crest|emblem", re.I)
_SMALL_PX = 100
OPENER = ":opener"  # an attribute of what opens a panel, and is its name
_STYLES = re.compile(r"<!--(?:(?!<style).)*?-->|(<style[^>]*>)(.*?)(?:</style|\Z)", re.I | re.S)
_LINE_THROUGH = re.compile(r"text-decoration[\w-]*\s*:[^;]*line-through", re.I)


def html_tree(text: str, *, unseen: str = " ") -> Element:
    """Return a `body` element with the content of HTML; `unseen` stands for white words.

    Raises ParseError (`too_deep`, `table_too_large`) beyond 200 levels or 100,000 cells.
    """
    parser = _Parser(unseen)
    for _, css in _STYLES.findall(text):
        parser.sheets.add(css)
    parser.feed(text)
    parser.close()
    return parser.finish()


class _Parser(HTMLParser):
    def __init__(self, unseen: str) -> None:
        super().__init__(convert_charrefs=True)
        self._unseen = unseen
        self._builder = TreeBuilder()
        self._open: list[str] = []
        self._cells = 0
        self._lost: dict[str, None] = {}  # what styles add, or show in white
        self.sheets = Fonts()
        self._styled: list[Styled] = []  # of the open elements, as these two
        self._fonts: list[str] = []  # a symbol font, or none
        self._paints: list[Paint] = []
        self._start("body", {})

    def finish(self) -> Element:
        for name in self._lost:
            self._builder.start(name, {})
            self._builder.data(name)
            self._builder.end(name)
        while self._open:
            self._end()
        return self._builder.close()

    def unknown_decl(self, data: str) -> None:
        if data.startswith("CDATA["):  # of XHTML and of Confluence's pages
            self.handle_data(data.removeprefix("CDATA["))

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
        if self._paints[-1].is_unseen and _says(data) and not _WORDLESS & set(self._open):
            self._lost[_WHITE] = None
            data = self._unseen
        self._builder.data(shown_in(data, self._fonts[-1]) if self._fonts[-1] else data)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise too_deep()
        self._open.append(tag)
        self._styled.append(Styled.of(tag, attributes))
        own = attributes.get("style", "")
        if self.sheets.hides(self._styled, attributes):
            attributes = {**attributes, "style": f"{own};display:none"}
        elif self.sheets.strikes(self._styled, attributes):
            attributes = {**attributes, "style": f"{own};text-decoration:line-through"}
        if self.sheets.adds(self._styled):
            self._lost[_ADDED] = None
        paint = self._paints[-1] if self._paints else Paint()
        self._paints.append(self.sheets.paint(self._styled, attributes, paint))
        outer = self._fonts[-1] if self._fonts else ""
        self._fonts.append(self.sheets.font_of(self._styled, attributes, outer))
        self._builder.start(tag, attributes)

    def _end(self) -> None:
        self._fonts.pop()
        self._paints.pop()
        self._styled.pop()
        tag = self._open.pop()
        self._builder.end(tag)


def is_hidden(element: Element) -> bool:
    """Tell whether nobody sees an element until something shows it."""
    told = element.get("hidden", "until-found") != "until-found" or "popover" in element.attrib
    hidden = told or element.get("aria-hidden") == "true"
    return hidden or bool(UNSEEN.search(element.get("style", "")))


def show(element: Element) -> None:
    """Take from an element what hides it."""
    for name in ("hidden", "popover", "aria-hidden", "style"):
        element.attrib.pop(name, None)


def prune(parent: Element) -> dict[str, None]:
    """Remove what a reader does not see or the page does not say; the text after it stays.

    A struck-out text leaves the mark `STRUCK`. Return the names of what had words, in order.
    """
    kept: list[Element] = []
    left: dict[str, None] = {}
    for child in parent:
        after = child.tail or ""
        words = clean_line("".join(child.itertext()))
        at_top = child.tag == "header" and parent.tag == "body"
        is_banner = at_top and not any(below.tag in HEADINGS for below in child.iter())
        is_dialog = child.tag == "dialog" and "open" in child.attrib
        unsaid = is_banner or child.tag in ("nav", "button")
        left |= {child.tag: None} if unsaid and is_said([words]) else {}
        if child.tag in _STRUCK or _LINE_THROUGH.search(child.get("style", "")):
            after = (STRUCK if words else "") + after
        elif is_hidden(child):
            left |= {"hidden text": None} if _says(words) else {}
        elif child.tag in _DOUBTED and not is_dialog:
            left |= {child.tag: None} if words or child.tag in _FOREIGN else {}
        elif child.tag in ("input", "img"):
            said = _said(child)
            if child.tag == "img" and _is_figure(child, parent):
                left["picture"] = None
            else:
                after = f" {said} {after}" if said else after
        elif not (is_banner or child.tag in _EMPTY or OPENER in child.attrib):
            left |= prune(child)
            kept.append(child)
            continue
        if kept:
            kept[-1].tail = (kept[-1].tail or "") + after
        else:
            parent.text = (parent.text or "") + after
    parent[:] = kept
    if parent.tag in _PARTS:
        loose = ["".join(child.itertext()) for child in kept if child.tag not in _PARTS[parent.tag]]
        beside = [parent.text or "", *(child.tail or "" for child in kept), *loose]
        left |= {parent.tag: None} if any(map(_says, beside)) else {}
    return left


def _is_figure(image: Element, around: Element) -> bool:
    """Tell whether a picture may say something that the page does not: it is no ornament."""
    sides = [image.get(side, "").removesuffix("px") for side in ("width", "height")]
    if any(side.isdigit() and int(side) < _SMALL_PX for side in sides):
        return False
    if image.get("alt") == "" or _ORNAMENT.search(" ".join(image.attrib.values())):
        return False
    return around.tag == "figure" or not clean_line("".join(around.itertext()))


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))


def _said(element: Element) -> str:
    """Return what a field shows, or the words that stand for a picture."""
    if element.tag == "img":
        return clean_line(element.get("alt", ""))
    shown = element.get("type", "text").lower() in _SHOWN_INPUTS
    return clean_line(element.get("value", "")) if shown else ""
