"""Tell which text of HTML its styles show in a symbol font or white, hide or strike out. Pure.

In a symbol font letters stand for signs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from corpus.parsing.clean import UNREADABLE
from corpus.parsing.published.xml_text import UNKNOWN_SIGN, in_font

# The first family is the one that is shown; a size and a weight may stand before it.
_FONT = re.compile(r"(?<![\w-])font(?:-family\s*:|\s*:[^;,]*\s)\s*[\"']?([^;,\"'!]*)", re.I)
_SIGN_FONTS = ("symbol", "wingdings")
# In a symbol font these may be meant as they are, by writers whose programs know Unicode.
_UNSURE_SIGNS = frozenset("µ×÷²¹¼½¾")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_UNUSED = re.compile(  # rules for paper, and for screens with a dark ground
    r"@media\s+(?:print\b|[^{]*prefers-color-scheme\s*:\s*dark)[^{,]*"
    r"\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}",
    re.I,
)
_DISPLAY = re.compile(r"(?<![\w-])(?:display|visibility|opacity)\s*:\s*([^;!]+)", re.I)
_HIDES = re.compile(r"none|hidden|collapse|0(?![.\d])", re.I)
# Ways to hide that need more than a word of `_HIDES`, and what may undo them.
_SQUEEZED = (
    r"(?:font-size|opacity)\s*:\s*0(?![.\d])|(?:left|top|text-indent)\s*:\s*-\d{3}"
    r"|transform\s*:[^;]*scale\(\s*0?\.?0*\s*\)"
    r"|(?=.*overflow\s*:\s*hidden).*(?<!-)\b(?:max-)?height\s*:\s*0(?![.\d])"
)
_SQUEEZES = re.compile(_SQUEEZED, re.I | re.S)
_SIZED = re.compile(r"(?<![\w-])(?:(?:max-)?height|font-size|left|top)\s*:", re.I)
UNSEEN = re.compile(
    rf"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|{_SQUEEZED}", re.I | re.S
)
_DECORATION = re.compile(r"(?<![\w-])text-decoration(?:-line)?\s*:\s*([^;]+)", re.I)
_STRIKES = re.compile(r".*line-through", re.I | re.S)
_INK = re.compile(r"(?<![\w-])color\s*:\s*([^;!]+)", re.I)
_GROUND = re.compile(r"(?<![\w-])background(?:-color|-image)?\s*:\s*([^;]+)", re.I)
_UNSET = re.compile(r"(?:inherit|unset|initial|revert|currentcolor|none)?", re.I)
_CLEAR = re.compile(r"transparent|(?:rgb|hsl)a\(.*[,/]\s*0?\.?0*%?\s*\)", re.I)
_WHITE = re.compile(  # or nearly so
    r"white|snow|ghostwhite|#f{3,4}|#(?:f[7-9a-f]){3}(?:ff)?|hsla?\([^,]*,[^,]*,\s*100%.*"
    r"|rgba?\((?:\s*(?:24[7-9]|25[0-5]|100%)\s*[,\s)/]){3}.*",
    re.I,
)
_ADDED = re.compile(r"(?<![\w-])content\s*:\s*[\"'](.*?)[\"']", re.I)
_WORDS = re.compile(r"[a-z]{3}", re.I)
_CODE = re.compile(r"\\[0-9a-f]{1,6}", re.I)
_BESIDE = re.compile(r"::?(?:before|after)$", re.I)
# Classes whose rules stand in files of their own: of Bootstrap and Tailwind.
_KNOWN = (
    ".line-through,.text-decoration-line-through{text-decoration:line-through} "
    ".d-none{display:none}"
    + ",".join(f".d-none.d-{at}-{how}" for at in ("sm", "md", "lg", "xl", "xxl")
               for how in ("block", "flex", "inline", "inline-block", "grid", "table-cell"))
    + "{display:block}"
)  # fmt: skip
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
class Paint:
    """How the words of an element are shown: in white, and whether something else is behind."""

    is_white: bool = False
    is_on_colour: bool = False

    @property
    def is_unseen(self) -> bool:
        return self.is_white and not self.is_on_colour


@dataclass(frozen=True)
class _Rule:
    weight: tuple[int, int, int, int]  # ids, classes, names, place: the highest applies
    path: tuple[Styled, ...]  # of the elements around it, outermost first, then the element
    font: str
    hides: bool | None = None  # None if it says nothing about it, as the next
    squeezes: bool | None = None
    strikes: bool | None = None
    adds: bool = False  # words
    ink: str = ""
    ground: str = ""

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
        self._has_signs = False
        self.add(_KNOWN)

    def add(self, css: str) -> None:
        """Take over the rules of a `style` element."""
        for part in _UNUSED.sub("", _COMMENT.sub("", css)).split("}"):
            before, _, declarations = part.rpartition("{")
            fonts = _FONT.findall(declarations)
            font = fonts[-1].strip() if fonts else ""
            rule = _Rule(
                (0, 0, 0, 0),
                (),
                font,
                _said(_DISPLAY, _HIDES, declarations),
                _is_squeezed(declarations),
                _said(_DECORATION, _STRIKES, declarations),
                any(_WORDS.search(_CODE.sub("", text)) for text in _ADDED.findall(declarations)),
                _last(_INK, declarations),
                _last(_GROUND, declarations),
            )
            if rule == _NO_RULE:
                continue
            self._has_signs |= font.casefold() in _SIGN_FONTS
            for selector in before.rpartition("{")[2].split(","):
                bare = _BESIDE.sub("", selector.strip())
                if rule.adds == (bare != selector.strip()):
                    self._add(bare, rule)

    def _add(self, selector: str, rule: _Rule) -> None:
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
        weight = (ids, len(marks) - ids, names, self._count)
        self._rules[key].append(replace(rule, weight=weight, path=path))

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
        own = attributes.get("style", "")
        is_squeezed = not _SIZED.search(own) and self._tells(elements, "squeezes")
        return is_squeezed or (not _DISPLAY.search(own) and self._tells(elements, "hides"))

    def strikes(self, elements: Sequence[Styled], attributes: Mapping[str, str]) -> bool:
        """Tell whether the styles strike out the last open element; its own style comes first."""
        own = _DECORATION.search(attributes.get("style", ""))
        return not own and self._tells(elements, "strikes")

    def adds(self, elements: Sequence[Styled]) -> bool:
        """Tell whether the styles add words before or after the last open element."""
        return self._tells(elements, "adds")

    def paint(
        self, elements: Sequence[Styled], attributes: Mapping[str, str], outer: Paint
    ) -> Paint:
        """Return how the last open element is painted, in one that is painted as `outer`."""
        own, rules = attributes.get("style", ""), self._fitting(elements)

        def value(of: re.Pattern[str], name: str) -> str:
            best = max((r for r in rules if getattr(r, name)), key=lambda r: r.weight, default=None)
            return _last(of, own) or str(getattr(best, name, ""))

        ink = value(_INK, "ink") or attributes.get("color", "")
        ground = value(_GROUND, "ground") or attributes.get("bgcolor", "")
        ground = ground or attributes.get("background", "")
        ground = ground or ("yellow" if elements[-1].tag == "mark" else "")
        is_white, is_on_colour = outer.is_white, outer.is_on_colour
        if ink:
            is_white = bool(_WHITE.fullmatch(ink) or _CLEAR.fullmatch(ink))
        if ground and not _CLEAR.fullmatch(ground):
            is_on_colour = not _WHITE.fullmatch(ground)
        return Paint(is_white, is_on_colour)

    def _tells(self, elements: Sequence[Styled], what: str) -> bool:
        rules = [rule for rule in self._fitting(elements) if getattr(rule, what) is not None]
        return bool(rules) and bool(getattr(max(rules, key=lambda rule: rule.weight), what))

    def _set_for(self, elements: Sequence[Styled]) -> str:
        rules = self._fitting(elements) if self._has_signs else ()
        return max((r for r in rules if r.font), key=lambda r: r.weight, default=_NO_RULE).font

    def _fitting(self, elements: Sequence[Styled]) -> list[_Rule]:
        own = elements[-1]
        rules = [rule for key in (*own.marks, own.tag, "*") for rule in self._rules.get(key, ())]
        return [rule for rule in rules if rule.applies(elements)]


def _said(of: re.Pattern[str], wanted: re.Pattern[str], declarations: str) -> bool | None:
    """Tell whether a property has a wanted value; None if it is not declared."""
    values = of.findall(declarations)
    return any(map(wanted.match, values)) if values else None


def _is_squeezed(declarations: str) -> bool | None:
    if _SQUEEZES.search(declarations):
        return True
    return False if _SIZED.search(declarations) else None


def _last(of: re.Pattern[str], declarations: str) -> str:
    """Return the value of a property that applies, the last; empty if none is declared."""
    values = [value.partition("!")[0].strip() for value in of.findall(declarations)]
    return next((value for value in reversed(values) if not _UNSET.fullmatch(value)), "")


_NO_RULE = _Rule((0, 0, 0, 0), (), "")


def shown_in(text: str, font: str) -> str:
    """Return text as a symbol font shows it: there, letters stand for signs."""

    def sign(char: str) -> str:
        if char in _UNSURE_SIGNS:
            return UNREADABLE + UNKNOWN_SIGN
        is_letter = ord(char) < 256 and not char.isspace()
        return in_font(chr(0xF000 | ord(char)), font) if is_letter else char

    return "".join(map(sign, text))
