"""Tell which text of HTML its styles show in a symbol font, or hide. Pure.

In a symbol font letters stand for signs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpus.parsing.clean import UNREADABLE
from corpus.parsing.published.xml_text import UNKNOWN_SIGN, in_font

# The first family is the one that is shown; a size and a weight may stand before it.
_FONT = re.compile(r"(?<![\w-])font(?:-family\s*:|\s*:[^;,]*\s)\s*[\"']?([^;,\"'!]*)", re.I)
_SIGN_FONTS = ("symbol", "wingdings")
# In a symbol font these may be meant as they are, by writers whose programs know Unicode.
_UNSURE_SIGNS = frozenset("µ×÷²¹¼½¾")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_PRINT = re.compile(r"@media\s+print\b[^{,]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", re.I)
_DISPLAY = re.compile(r"(?<![\w-])(?:display|visibility|opacity)\s*:\s*([^;!]+)", re.I)
_HIDES = re.compile(r"none|hidden|collapse|0(?![.\d])", re.I)
_COMPOUND = re.compile(r"(?:[\w-]+|\*|(?=[.#]))((?:[.#][\w-]+)*)")
_MARK = re.compile(r"[.#][\w-]+")


@dataclass(frozen=True)
class Styled:
    """What a selector can ask of an element: its name, classes (`.x`) and id (`#x`)."""

    tag: str
    marks: frozenset[str]

    @classmethod
    def of(cls, tag: str, attributes: Mapping[str, str]) -> Styled:
        marks = {f".{name}" for name in attributes.get("class", "").split()}
        named = attributes.get("id", "").strip()
        return cls(tag, frozenset(marks | ({f"#{named}"} if named else set())))

    def fits(self, wanted: Styled) -> bool:
        return wanted.tag in ("", "*", self.tag) and wanted.marks <= self.marks


@dataclass(frozen=True)
class _Rule:
    weight: tuple[int, int, int, int]  # ids, classes, names, place: the highest applies
    path: tuple[Styled, ...]  # of the elements around it, outermost first, then the element
    font: str
    hides: bool | None = None  # None if it says nothing about it

    def applies(self, elements: Sequence[Styled]) -> bool:
        """Tell whether it styles the last of these open elements."""
        *around, own = self.path
        if not elements[-1].fits(own):
            return False
        outer = iter(elements[:-1])
        return all(any(element.fits(wanted) for element in outer) for wanted in around)


class Fonts:
    """The fonts that `style` elements set, by name, class, id and the elements around.

    Other selectors, as `:hover` and `a > b`, are passed over.
    """

    def __init__(self) -> None:
        self._rules: dict[str, list[_Rule]] = defaultdict(list)  # by a part of the last compound
        self._count = 0
        self._has_signs = self._may_hide = False

    def add(self, css: str) -> None:
        """Take over the rules of a `style` element."""
        for rule in _PRINT.sub("", _COMMENT.sub("", css)).split("}"):
            before, _, declarations = rule.rpartition("{")
            fonts = _FONT.findall(declarations)
            font = fonts[-1].strip() if fonts else ""
            said = [bool(_HIDES.match(value)) for value in _DISPLAY.findall(declarations)]
            if not font and not said:
                continue
            self._has_signs |= font.casefold() in _SIGN_FONTS
            self._may_hide |= any(said)
            for selector in before.rpartition("{")[2].split(","):
                self._add(selector, font, hides=any(said) if said else None)

    def _add(self, selector: str, font: str, *, hides: bool | None) -> None:
        parts = selector.replace(">", " ").split()
        if not parts or not all(map(_COMPOUND.fullmatch, parts)):
            return
        path = tuple(
            Styled(re.split("[.#]", part)[0].lower(), frozenset(_MARK.findall(part)))
            for part in parts
        )
        marks = [mark for wanted in path for mark in wanted.marks]
        ids, names = (
            sum(mark[0] == "#" for mark in marks),
            sum(x.tag not in ("", "*") for x in path),
        )
        self._count += 1
        key = min(path[-1].marks, default=path[-1].tag)
        self._rules[key].append(
            _Rule((ids, len(marks) - ids, names, self._count), path, font, hides)
        )

    def font_of(self, elements: Sequence[Styled], attributes: Mapping[str, str], outer: str) -> str:
        """Return the symbol font of the last open element, or nothing.

        It may be that of the element around it, `outer`.
        """
        styled = _FONT.search(attributes.get("style", ""))
        font = styled.group(1).strip() if styled else self._set_for(elements)
        font = font or attributes.get("face", "").partition(",")[0].strip(" \t\n\"'")
        if not font:
            return outer
        return font if font.casefold() in _SIGN_FONTS else ""

    def hides(self, elements: Sequence[Styled], attributes: Mapping[str, str]) -> bool:
        """Tell whether the styles hide the last open element; its own style comes first."""
        if not self._may_hide or _DISPLAY.search(attributes.get("style", "")):
            return False
        rules = [rule for rule in self._fitting(elements) if rule.hides is not None]
        return bool(rules) and bool(max(rules, key=lambda rule: rule.weight).hides)

    def _set_for(self, elements: Sequence[Styled]) -> str:
        rules = self._fitting(elements) if self._has_signs else ()
        return max((r for r in rules if r.font), key=lambda r: r.weight, default=_NO_RULE).font

    def _fitting(self, elements: Sequence[Styled]) -> list[_Rule]:
        own = elements[-1]
        rules = [rule for key in (*own.marks, own.tag, "*") for rule in self._rules.get(key, ())]
        return [rule for rule in rules if rule.applies(elements)]


_NO_RULE = _Rule((0, 0, 0, 0), (), "")


def shown_in(text: str, font: str) -> str:
    """Return text as a symbol font shows it: there, letters stand for signs."""

    def sign(char: str) -> str:
        if char in _UNSURE_SIGNS:
            return UNREADABLE + UNKNOWN_SIGN
        is_letter = ord(char) < 256 and not char.isspace()
        return in_font(chr(0xF000 | ord(char)), font) if is_letter else char

    return "".join(map(sign, text))
