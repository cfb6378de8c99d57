"""Styles and automatic numbers of a Word file: the role of a paragraph, and its marker.

Source: ECMA-376, part 1, 17.7 (styles) and 17.9 (numbering).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from corpus.parsing.lists import ordinal, whole_number

_HEADING = re.compile(r"^heading ([1-9])$", re.I)
_CONTENTS = re.compile(r"^(?:toc \d|table of figures$)")
_PLACE = re.compile(r"%([1-9])")
_MAX_STYLES = 50  # in a chain, which may run in a circle


@dataclass(frozen=True)
class Level:
    """A level of a numbered list: its form, its text with `%1`, and its first number."""

    form: str
    text: str
    start: int


@dataclass(frozen=True)
class Look:
    """The role of a paragraph. `rank` is 0 for no heading, `marker` None for no list item."""

    rank: int = 0
    is_title: bool = False
    is_caption: bool = False
    depth: int = 0  # of a list, from 1
    marker: str | None = None


def value_of(element: Element | None, path: str, default: str = "") -> str:
    """Return the `val` attribute of the element at a path below `element`, else `default`."""
    child = None if element is None else element.find(path)
    return default if child is None else child.get("val", default)


@dataclass
class ParagraphLooks:
    """Tells the roles of paragraphs; call `look` in their order, since numbers continue."""

    styles: dict[str, Element]
    levels: dict[tuple[str, int], Level]
    abstract: dict[str, str]  # by numbering id, its list: two ids may count on in one list
    default: str
    _counts: dict[str, dict[int, int]] = field(default_factory=dict)

    def is_title(self, properties: Element | None) -> bool:
        return self._name(properties) == "title"

    def is_contents(self, properties: Element | None) -> bool:
        """Tell whether a paragraph is a line of a table of contents, by its style."""
        return bool(_CONTENTS.match(self._name(properties)))

    def _name(self, properties: Element | None) -> str:
        chain = self._chain(value_of(properties, "pStyle"))
        return value_of(chain[0], "name").casefold() if chain else ""

    def look(self, properties: Element | None) -> Look:
        style = value_of(properties, "pStyle", self.default)
        chain = self._chain(style)
        name = value_of(chain[0], "name") if chain else ""
        heading = _HEADING.match(name)
        outline = self._first(properties, chain, "outlineLvl")
        rank = int(heading.group(1)) if heading else int(outline) + 1 if outline in _RANKS else 0
        depth, marker = self._number(properties, chain)
        return Look(rank, self.is_title(properties), name.casefold() == "caption", depth, marker)

    def is_struck(self, properties: Element | None, kind: str = "rStyle") -> bool:
        """Tell whether the style of a run, or of a paragraph (`pStyle`), strikes it out."""
        return any(self._styled(properties, kind, tag) for tag in ("strike", "dstrike"))

    def is_hidden(self, properties: Element | None, kind: str = "rStyle") -> bool:
        """Tell whether the style of a run, or of a paragraph (`pStyle`), hides it."""
        return self._styled(properties, kind, "vanish")

    def _styled(self, properties: Element | None, kind: str, tag: str) -> bool:
        return is_on(self.first(properties, kind, f"rPr/{tag}"))

    def first(
        self, properties: Element | None, kind: str, path: str, *, own: str = ""
    ) -> Element | None:
        """Return what properties say at `own`, else their style of a kind at a path, or None."""
        direct = properties.find(own) if own and properties is not None else None
        found = (style.find(path) for style in self.styled(properties, kind))
        return direct if direct is not None else next((e for e in found if e is not None), None)

    def styled(self, properties: Element | None, kind: str) -> list[Element]:
        """Return the style that properties name, and those that it is based on."""
        return self._chain(value_of(properties, kind))

    def _chain(self, name: str) -> list[Element]:
        chain: list[Element] = []
        while name in self.styles and len(chain) < _MAX_STYLES:
            chain.append(self.styles[name])
            name = value_of(chain[-1], "basedOn")
        return chain

    def _first(self, properties: Element | None, chain: list[Element], path: str) -> str:
        styled = (value_of(style, f"pPr/{path}") for style in chain)
        return value_of(properties, path) or next(filter(None, styled), "")

    def _number(self, properties: Element | None, chain: list[Element]) -> tuple[int, str | None]:
        number = self._first(properties, chain, "numPr/numId")
        raw = self._first(properties, chain, "numPr/ilvl") or "0"
        at = int(raw) if raw in _RANKS else 0
        level = self.levels.get((number, at))
        if number in ("", "0") or level is None:
            return 0, None
        counts = self._counts.setdefault(self.abstract[number], {})
        counts[at] = counts.get(at, level.start - 1) + 1
        for deeper in [key for key in counts if key > at]:
            del counts[deeper]
        return at + 1, self._marker(number, level, counts)

    def _marker(self, number: str, level: Level, counts: dict[int, int]) -> str:
        if level.form in ("bullet", "none"):
            return ""

        def written(match: re.Match[str]) -> str:
            at = int(match.group(1)) - 1
            of = self.levels.get((number, at), level)
            return ordinal(counts.get(at, of.start), of.form)

        return _PLACE.sub(written, level.text)


_RANKS = frozenset("012345678")


def is_on(element: Element | None, value: str = "val") -> bool:
    """Tell whether a property is present and not switched off by its attribute `value`."""
    return element is not None and element.get(value, "1") not in ("0", "false", "off", "none")


def looks_of(styles: Element | None, numbering: Element | None) -> ParagraphLooks:
    """Return the paragraph roles of a file from its style and numbering parts, None if missing."""
    named = {} if styles is None else {s.get("styleId", ""): s for s in styles.findall("style")}
    defaults = (key for key, s in named.items() if s.get("default") in ("1", "true"))
    default = next((key for key in defaults if named[key].get("type") == "paragraph"), "")
    levels: dict[tuple[str, int], Level] = {}
    abstract: dict[str, str] = {}
    lists = [] if numbering is None else numbering.findall("abstractNum")
    by_id = {each.get("abstractNumId", ""): each for each in lists}
    for number in [] if numbering is None else numbering.findall("num"):
        key = number.get("numId", "")
        abstract[key] = value_of(number, "abstractNumId")
        overrides = number.findall("lvlOverride")
        own = [lvl for over in overrides for lvl in over.findall("lvl")]
        for lvl in [*by_id.get(abstract[key], Element("none")).findall("lvl"), *own]:
            if lvl.get("ilvl") in _RANKS:
                first = whole_number(value_of(lvl, "start", "1"), 1)
                form, text = value_of(lvl, "numFmt", "decimal"), value_of(lvl, "lvlText")
                levels[(key, int(lvl.get("ilvl", "0")))] = Level(form, text, first)
        if any(over.find("startOverride") is not None for over in overrides):
            abstract[key] = f"{abstract[key]} {key}"  # a list of its own, since it starts again
    return ParagraphLooks(named, levels, abstract, default)
