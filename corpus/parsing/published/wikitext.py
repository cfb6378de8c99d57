"""Wikitext to lines: markup resolved, notes and pictures left out, tables set aside.

What is left is the part of wikitext that goes by lines: headings, lists and paragraphs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import mwparserfromhell

from corpus.parsing.clean import clean_text
from corpus.parsing.layout.runs import raise_text
from corpus.parsing.published.wiki_templates import UNKNOWN, template_text
from corpus.parsing.published.xml_blocks import cells_of
from corpus.parsing.published.xml_text import FORMULA
from corpus.parsing.types import Cell

TABLE = re.compile("\ue010(\\d+)\ue011")
_MAX_NESTING = 40
_DROPPED = frozenset(
    "ref references gallery timeline syntaxhighlight source score imagemap graph mapframe "
    "templatestyles style script section indicator categorytree inputbox hiero".split()
)
_LINES = frozenset("p div blockquote center poem".split())
_ITEM_MARKS = frozenset("* # ; :".split())
# Pictures, categories and media, in the languages of the largest editions.
_BESIDE = re.compile(
    r"^\s*(?:file|image|category|media|datei|bild|kategorie|fichier|catégorie|archivo|imagen|"
    r"categoría|immagine|categoria|ficheiro|imagem|bestand|categorie|файл|категория)\s*:",
    re.IGNORECASE,
)


@dataclass
class Lines:
    """Text by lines; a line that matches `TABLE` stands for one of `tables`."""

    text: str
    tables: list[tuple[str, tuple[Cell, ...]]] = field(default_factory=list)  # caption, cells


def read_wikitext(source: str) -> Lines:
    """Resolve the markup. Raises ParseError (`table_too_large`)."""
    lines = Lines("")
    lines.text = _Flattener(lines.tables).code(mwparserfromhell.parse(clean_text(source)))
    return lines


class _Flattener:
    def __init__(self, tables: list[tuple[str, tuple[Cell, ...]]]) -> None:
        self._tables = tables
        self._depth = 0

    def code(self, code: Any) -> str:
        """Return the text of parsed wikitext; nothing of what is nested deeper than anyone
        writes."""
        if code is None or self._depth >= _MAX_NESTING:
            return UNKNOWN if self._depth >= _MAX_NESTING else ""
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
            return "" if _BESIDE.match(str(node.title)) else self._link(node)
        if kind == "ExternalLink":
            return self.code(node.title) if node.brackets else str(node.url)
        if kind == "Heading":
            mark = "=" * int(node.level)
            return f"\n{mark} {self._line(node.title)} {mark}\n"
        if kind == "HTMLEntity":
            return clean_text(str(node.normalize()))
        return self._template(node) if kind == "Template" else ""  # comments and arguments

    def _link(self, node: Any) -> str:
        text = self.code(node.text) if node.text is not None else str(node.title)
        return text.lstrip(":")

    def _line(self, code: Any) -> str:
        return " ".join(self.code(code).split())

    def _template(self, node: Any) -> str:
        values = [self._value(p.value) for p in node.params if not p.showkey]
        named = {str(p.name).strip(): self._value(p.value) for p in node.params if p.showkey}
        return template_text(str(node.name), values, named)

    def _value(self, code: Any) -> str:
        return self.code(code).strip()

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
        inside = self.code(node.contents)
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
        self._tables.append((caption, cells))
        return f"\n\n\ue010{len(self._tables) - 1}\ue011\n\n"

    def _rows(self, code: Any, table: Element) -> str:
        """Fill `table`; return its caption, which the parser gives as a cell that begins with +."""
        caption, row = "", SubElement(table, "tr")
        for node in code.nodes if code is not None else ():
            name = str(getattr(node, "tag", "")).strip().lower()
            if name in ("thead", "tbody", "tfoot"):
                caption = self._rows(node.contents, table) or caption
            elif name == "caption":
                caption = self._line(node.contents)
            elif name == "tr":
                row = SubElement(table, "tr")
                self._cells(node.contents, row)
            elif name in ("td", "th"):
                text = self._line(node.contents)
                if name == "td" and not len(row) and str(node.contents).startswith("+"):
                    caption = text.removeprefix("+").strip()
                else:
                    self._cell(node, row)
        for empty in [row for row in table if not len(row)]:
            table.remove(empty)
        return caption

    def _cells(self, code: Any, row: Element) -> None:
        for node in code.nodes if code is not None else ():
            if str(getattr(node, "tag", "")).strip().lower() in ("td", "th"):
                self._cell(node, row)

    def _cell(self, node: Any, row: Element) -> None:
        cell = SubElement(row, str(node.tag).strip().lower())
        cell.text = TABLE.sub("", self._line(node.contents)).replace("* ", "")
        for attribute in node.attributes:
            cell.set(str(attribute.name).strip().lower(), str(attribute.value).strip(" '\""))
