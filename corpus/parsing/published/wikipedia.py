"""Read an article of Wikipedia from a dump of its pages.

Source of the format: the export schema of MediaWiki (`pages-articles.xml`). Markup is first turned
into lines: notes and pictures are left out, tables are set aside, and templates that stand for
words of a sentence are replaced by those. An unknown template is left out and marked, since it may
have held a dose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit
from xml.etree.ElementTree import Element, SubElement

import mwparserfromhell

from corpus.parsing.clean import clean_line, clean_text
from corpus.parsing.drafts import Draft, Drafted, DraftTable, LineText, text_draft
from corpus.parsing.layout.runs import raise_mark, raise_text
from corpus.parsing.published.markup_blocks import cells_of
from corpus.parsing.published.publications import Reader, known, language_code, no_text, year_in
from corpus.parsing.published.xml_text import FORMULA, line_of, read_plain, the_one
from corpus.parsing.types import BlockKind, Cell, Doubt, ParseError

LICENCE = "CC BY-SA 4.0"
_HEADING = re.compile(r"^(={1,6})\s(.+?)\s=+$")
_ITEM = re.compile(r"^([*#;:]+)\s*(.*)$")
_REDIRECT = re.compile(r"^\s*#redirect\b", re.IGNORECASE)
_LEFT_OUT_SECTIONS = frozenset(
    "references|notes|see also|external links|further reading|bibliography|sources|footnotes|"
    "citations|works cited|notes and references|gallery".split("|")
)
_GAP = "[…]"  # tells readers that something is missing
_LEFT_OUT = Doubt(
    "template_left_out",
    "Something that Wikipedia fills in by a template is missing here: compare it with the source.",
)
_FORMULA = Doubt("formula", "A formula stands here as it was typed; compare it with the source.")


class _Article:
    """The one page of a dump; its markup is parsed at first use."""

    def __init__(self, source: Path | bytes) -> None:
        self.root = read_plain(source)
        self.page = the_one(self.root, "page")
        revisions = self.page.findall("revision")
        text = revisions[-1].find("text") if revisions else None
        self.source = (text.text or "") if text is not None else ""

    @cached_property
    def lines(self) -> _Lines:
        """The text of the article. Raises ParseError (`table_too_large`)."""
        return _Lines(self.source)


def _facts(article: _Article) -> dict[str, str]:
    root, page, source = article.root, article.page, article.source
    is_other = line_of(page.find("ns")) not in ("", "0") or page.find("redirect") is not None
    if is_other or _REDIRECT.match(source):
        raise ParseError(
            "The page is a redirect, or is about Wikipedia itself.",
            code="not_article",
            hint="It is left out on purpose; nothing needs to be done.",
        )
    if not source.strip():
        raise no_text("text")
    return known(
        source=line_of(root.find("siteinfo/sitename")) or "Wikipedia",
        year=year_in([line_of(page.find("revision/timestamp"))]),
        source_type="reference",
        url=_address(root, page),
        licence=LICENCE,
        language=language_code(root.get("lang") or "en"),
    )


def _address(root: Element, page: Element) -> str:
    """Return the address of this very revision, so that the imported text can be read again."""
    base = urlsplit(line_of(root.find("siteinfo/base")))
    if base.scheme not in ("http", "https"):
        return ""
    number = line_of(page.find("revision/id"))
    if number.isdigit():
        return f"{base.scheme}://{base.netloc}/w/index.php?oldid={number}"
    title = quote(line_of(page.find("title")).replace(" ", "_"))
    return f"{base.scheme}://{base.netloc}/wiki/{title}"


def _drafts(lines: _Lines) -> Iterator[Drafted]:
    wrapped: list[str] = []
    number = 0
    for line in [*lines.text.split("\n"), ""]:
        heading, item, table = _HEADING.match(line), _ITEM.match(line), _TABLE.match(line.strip())
        if heading or item or table or _is_box(line) or not line.strip():
            yield from _text(BlockKind.PARAGRAPH, " ".join(wrapped))
            wrapped = []
        if heading:
            yield text_draft(BlockKind.HEADING, clean_line(heading.group(2)), len(heading.group(1)))
        elif table:
            caption, cells = lines.tables[int(table.group(1))]
            yield from _text(BlockKind.CAPTION, caption)
            yield DraftTable(cells, caption=clean_line(caption))
        elif item:
            number = number + 1 if item.group(1) == "#" else number * item.group(1).startswith("#")
            mark, text = item.groups()  # `;` and `:` alone indent a paragraph
            kind = BlockKind.LIST_ITEM if mark[0] in "*#" else BlockKind.PARAGRAPH
            yield from _text(kind, f"{number}. {text}" if mark == "#" and text else text)
        elif line.strip() and not _is_box(line):
            wrapped.append(line)
        number = number if item else 0


def _is_box(line: str) -> bool:
    """Tell whether a line is nothing but unknown templates: a box more often than text."""
    return _UNKNOWN in line and not line.strip(f"{_UNKNOWN} ")


def _text(kind: BlockKind, raw: str) -> Iterator[Draft]:
    text = clean_line(raw.replace(_UNKNOWN, f" {_GAP} "))
    if any(c.isalnum() for c in text):
        doubts = [d for mark, d in ((_UNKNOWN, _LEFT_OUT), (FORMULA, _FORMULA)) if mark in raw]
        yield Draft(kind, (LineText(text),), doubts=tuple(doubts))


def _body(article: _Article) -> Iterator[Drafted]:
    """Yield the sections with their levels, lists and tables.

    References, notes, boxes and headings without text below them are left out.
    """
    kept: list[Drafted] = []
    within = 0  # level of the section that is left out
    for draft in _drafts(article.lines):
        level = _level(draft)
        if level and (not within or level <= within):
            is_left_out = isinstance(draft, Draft) and draft.text.casefold() in _LEFT_OUT_SECTIONS
            within = level if is_left_out else 0
        if not within:
            kept.append(draft)
    for draft, after in zip_longest(kept, kept[1:]):
        level = _level(draft)
        if not level or (after is not None and not 0 < _level(after) <= level):
            yield draft


def _level(draft: Drafted) -> int:
    return draft.level if isinstance(draft, Draft) else 0


_TABLE = re.compile("\ue010(\\d+)\ue011")
_MAX_NESTING = 40
_DROPPED = frozenset(
    "ref references gallery timeline syntaxhighlight source score imagemap graph mapframe "
    "templatestyles style script section indicator categorytree inputbox hiero".split()
)
_LINES = frozenset("p div blockquote center poem".split())
_ITEM_MARKS = frozenset("* # ; :".split())
# Pictures, categories and media, in the languages of the largest editions.
_OTHER_LINKS = re.compile(
    r"^\s*(?:file|image|category|media|datei|bild|kategorie|fichier|catégorie|archivo|imagen|"
    r"categoría|immagine|categoria|ficheiro|imagem|bestand|categorie|файл|категория)\s*:",
    re.IGNORECASE,
)


class _Lines:
    """The text of an article by lines, and its tables.

    A line that matches `_TABLE` stands for one of `tables`, each a caption and its cells.
    """

    def __init__(self, source: str) -> None:
        self.tables: list[tuple[str, tuple[Cell, ...]]] = []
        self._depth = 0
        self.text = self._code(mwparserfromhell.parse(clean_text(source)))

    def _code(self, code: Any) -> str:
        """Return the text of parsed wikitext; beyond 40 levels `_UNKNOWN`."""
        if code is None or self._depth >= _MAX_NESTING:
            return _UNKNOWN if self._depth >= _MAX_NESTING else ""
        self._depth += 1
        try:
            return "".join(self._node(node) for node in code.nodes)
        finally:
            self._depth -= 1

    def _node(self, node: Any) -> str:
        kind = type(node).__name__
        if kind == "Text":
            return str(node.value)
        if kind == "Tag":
            return self._tag(node)
        if kind == "Wikilink":
            if _OTHER_LINKS.match(str(node.title)):
                return ""
            return (str(node.title) if node.text is None else self._code(node.text)).lstrip(":")
        if kind == "ExternalLink":
            return self._code(node.title) if node.brackets else str(node.url)
        if kind == "Heading":
            mark = "=" * int(node.level)
            return f"\n{mark} {self._line(node.title)} {mark}\n"
        if kind == "HTMLEntity":
            return clean_text(str(node.normalize()))
        if kind == "Template":
            values: list[str] = []
            named: dict[str, str] = {}
            for given in node.params:
                value = self._code(given.value).strip()
                if given.showkey:
                    named[str(given.name).strip()] = value
                else:
                    values.append(value)
            return _template_text(str(node.name), values, named)
        return ""  # comments and arguments

    def _line(self, code: Any) -> str:
        return " ".join(self._code(code).split())

    def _tag(self, node: Any) -> str:
        name = str(node.tag).strip().lower()
        if node.wiki_markup is not None and str(node.wiki_markup) in _ITEM_MARKS:
            return str(node.wiki_markup)
        if name in _DROPPED:
            return ""
        if name == "table":
            return self._table(node)
        if name in ("math", "chem", "ce"):
            return f"{self._line(node.contents)}{FORMULA}"
        if name in ("br", "hr"):
            return " " if name == "br" else "\n"
        inside = self._code(node.contents)
        if name == "li":
            return f"\n* {inside.strip()}\n"
        if name == "sup":
            return raise_text(inside) or (f"^{inside}" if inside[:1].isdigit() else inside)
        return f"\n\n{inside}\n\n" if name in _LINES else inside

    def _table(self, node: Any) -> str:
        table = Element("table")
        caption = self._rows(node.contents, table)
        cells = cells_of(table)
        if not cells:
            return ""
        self.tables.append((caption, cells))
        return f"\n\n\ue010{len(self.tables) - 1}\ue011\n\n"

    def _rows(self, code: Any, table: Element) -> str:
        """Fill `table` with rows, and return its caption.

        The parser may give the caption as a cell that begins with `+`.
        """
        caption, row = "", SubElement(table, "tr")
        for node in code.nodes if code is not None else ():
            name = str(getattr(node, "tag", "")).strip().lower()
            if name in ("thead", "tbody", "tfoot"):
                caption = self._rows(node.contents, table) or caption
            elif name == "caption":
                caption = self._line(node.contents)
            elif name == "tr":
                row = SubElement(table, "tr")
                for below in node.contents.nodes if node.contents is not None else ():
                    if str(getattr(below, "tag", "")).strip().lower() in ("td", "th"):
                        self._cell(below, row)
            elif name in ("td", "th"):
                text = self._line(node.contents)
                if name == "td" and not len(row) and str(node.contents).startswith("+"):
                    caption = text.removeprefix("+").strip()
                else:
                    self._cell(node, row)
        for empty in [row for row in table if not len(row)]:
            table.remove(empty)
        return caption

    def _cell(self, node: Any, row: Element) -> None:
        cell = SubElement(row, str(node.tag).strip().lower())
        cell.text = _TABLE.sub("", self._line(node.contents)).replace("* ", "")
        for attribute in node.attributes:
            cell.set(str(attribute.name).strip().lower(), str(attribute.value).strip(" '\""))


_UNKNOWN = "\ue001"  # where a template was left out that may have held text
# Templates for navigation, sources and maintenance, without text of the article.
_SILENT = re.compile(
    r"^(?:cite\b|citation|cn$|fact$|sfn|efn|refn?$|r$|rp$|ref|notelist|harv|main( article)?$|see|"
    r"further|about$|for$|for |distinguish|redirect|other uses|hatnote|short description|use |"
    r"engvar|infobox|drugbox|chembox|speciesbox|automatic taxobox|medical|portal|commons|wik|"
    r"sister|authority|reflist|clear|toc|good article|featured|pp$|pp-|protection|webarchive|isbn|"
    r"pmid|pmc|doi|when$|who\?*$|which$|clarify|vague|update|expand|more (?:citations|sources)|"
    r"unreferenced|refimprove|better|page needed|dead link|permanent dead|multiple image|image|"
    r"tall image|navbox|anchor|ipa|respell|audio|listen|stack|col-|div col|columns|quote box|"
    r"side box|sidebar|failed|verify|original research|primary|medref|cleanup|missing|globalize|"
    r"dubious|disputed|contradict|tone|stub|defaultsort|coord)",
    re.IGNORECASE,
)
_SYMBOLS = {
    **dict.fromkeys(["ndash", "en dash", "–"], "–"),
    **dict.fromkeys(["mdash", "em dash", "—"], "—"),
    **dict.fromkeys(["snd", "spnd", "spaced ndash"], " – "),
    **dict.fromkeys(["nbsp", "space", "thinsp", "hsp"], " "),
    **dict.fromkeys(["degree", "deg"], "°"),
    **dict.fromkeys(["shy", "wbr", "zwsp"], ""),
    **dict(zip("± plusmn minus times dot = ! ' mu alpha beta".split(), "±±−×·=|'µαβ", strict=True)),
}
_JOINERS = {"to", "-", "–", "and", "or", "by", "x", "×", "to(-)", "+/-", "±"}

_Named = Mapping[str, str]


def _template_text(name: str, values: Sequence[str], named: _Named) -> str:
    """Return the text of a template; empty if it has none, `_UNKNOWN` if it is not known."""
    key = name.strip().lower().replace("_", " ")
    if key in _SYMBOLS:
        return _SYMBOLS[key]
    if key in _SPOKEN:
        return _SPOKEN[key](values, named) or _UNKNOWN
    if _SILENT.match(key) or key.endswith(("-stub", "sidebar", "navbox")):
        return ""
    return _UNKNOWN


def _first(values: Sequence[str], named: _Named) -> str:
    return values[0] if values else named.get("1", "")


def _convert(values: Sequence[str], named: _Named) -> str:
    """Return the figures and the unit of `{{convert|5|to|10|mg|…}}` as given, not converted."""
    parts: list[str] = []
    for value in values:
        if parts and not parts[-1][:1].isdigit() and parts[-1] not in _JOINERS:
            break
        parts.append(value.strip())
        is_figure = value.strip()[:1].isdigit() or value[:1] in "-−"
        if parts[-1] not in _JOINERS and not is_figure:
            return " ".join(parts)
    return ""


def _value(values: Sequence[str], named: _Named) -> str:
    """Return the text of `{{val|1.5|0.2|e=3|u=mg}}`: `1.5 ± 0.2×10³ mg`."""
    if not values:
        return ""
    figure = values[0] + (f" ± {values[1]}" if len(values) > 1 else "")
    figure += _power([named.get("e", "")], {})
    unit = named.get("u") or named.get("ul") or ""
    per = named.get("up") or named.get("upl") or ""
    return f"{figure} {unit}{'/' + per if per else ''}".strip()


def _fraction(values: Sequence[str], named: _Named) -> str:
    if len(values) > 2:
        return f"{values[0]} {values[1]}/{values[2]}"
    return "/".join(["1", *values][-2:]) if values else ""


def _power(values: Sequence[str], named: _Named) -> str:
    power = _first(values, named)
    return f"×10{raise_text(power) or '^' + power}" if power else ""


_SPOKEN: dict[str, Callable[[Sequence[str], _Named], str]] = {
    **dict.fromkeys(
        "nowrap nobr nobold small smaller big em strong b i bold italic italics math mvar "
        "abbr tooltip sub smallsub linktext linkify chem name notatypo sic not a typo "
        "avoid wrap ill interlanguage link quote cquote blockquote".split(),
        _first,
    ),
    **dict.fromkeys(["avoid wrap", "not a typo", "interlanguage link", "block quote"], _first),
    **dict.fromkeys(
        ["lang", "transliteration", "color", "colour", "font color"],
        lambda v, n: v[1] if len(v) > 1 else n.get("2", ""),
    ),
    **dict.fromkeys(["transl", "angbr"], lambda v, n: v[-1] if v else ""),
    **dict.fromkeys(["chem", "chem2", "gene"], lambda v, n: "".join(v)),
    **dict.fromkeys(["convert", "cvt"], _convert),
    **dict.fromkeys(["frac", "sfrac", "fraction"], _fraction),
    **dict.fromkeys(["e", "10^", "x10^"], _power),
    **dict.fromkeys(["circa", "c.", "ca"], lambda v, n: f"c. {_first(v, n)}".strip()),
    **dict.fromkeys(  # a list as typed, or made from the values
        ["plainlist", "unbulleted list", "ubl", "bulleted list", "blist"],
        lambda v, n: "".join(f"\n{t}" if t[:1] in "*#" else f"\n* {t}" for t in v if t) + "\n",
    ),
    "val": _value,
    "sup": lambda v, n: ((text := _first(v, n)) and raise_mark(text)) or text,
}

READER = Reader(
    _Article,
    _facts,
    lambda article: line_of(article.page.find("title")),
    _body,
    lambda article: [_LEFT_OUT] if any(map(_is_box, article.lines.text.split("\n"))) else [],
)
