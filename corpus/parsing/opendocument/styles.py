"""Look up the styles of an OpenDocument file, and write what hides or changes words as CSS.

Source: OpenDocument 1.3, part 3, 16 (styles) and 20 (formatting properties).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from xml.etree.ElementTree import Element

from corpus.parsing.clean import clean_line
from corpus.parsing.lists import ordinal, whole_number
from corpus.parsing.published.xml_text import HIDDEN

Look = Mapping[str, str]  # properties by name without prefix; grounds by `kind/background-color`

_GROUND, _OPACITY = "background-color", "text-properties/opacity"
_STRIKES = ("text-line-through-style", "text-line-through-type", "text-crossing-out")
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_SIGN_FONTS = ("symbol", "wingdings")


class Styles:
    """The styles of a file's parts, those of later parts first."""

    def __init__(self, *roots: Element) -> None:
        self._styles: dict[tuple[str, str], Element] = {}
        self._named: dict[tuple[str, str], Element] = {}
        self._fonts: dict[str, str] = {}
        for root in roots:
            for element in root.iter():
                name = element.get("name", "")
                if element.tag in ("style", "default-style"):
                    self._styles[element.get("family", ""), name] = element
                elif element.tag == "font-face":
                    self._fonts[name] = element.get("font-family", name).strip("'\" ")
                elif element.tag.endswith(("-style", "page-layout", "master-page")):
                    self._named[element.tag, name] = element
        self.look = lru_cache(maxsize=None)(self._look)

    def named(self, kind: str, name: str) -> Element | None:
        """Return what is no style of words: a list's, a date's, a page's."""
        return self._named.get((kind, name))

    def _look(self, family: str, name: str) -> Look:
        """Return the properties of a style with those that it inherits."""
        look: dict[str, str] = {}
        for style in reversed(self._chain(family, name)):
            for properties in style:
                own = {
                    f"{properties.tag}/{key}" if key in (_GROUND, "opacity") else key: value
                    for key, value in properties.attrib.items()
                }
                if "color" in own:  # it is no longer that of the window
                    look.pop("use-window-font-color", None)
                    look.pop(_OPACITY, None)
                look |= own
            if data := style.get("data-style-name"):
                look["data-style-name"] = data
            if family == "paragraph" and style.get("name", "").casefold() == "title":
                look["is-title"] = "true"
        return look

    def _chain(self, family: str, name: str) -> list[Element]:
        """Return a style and those that it is based on; last, the default of its family."""
        chain: list[Element] = []
        style = self._styles.get((family, name)) if name else None
        while style is not None and style not in chain:
            chain.append(style)
            style = self._styles.get((family, style.get("parent-style-name", "-")))
        default = self._styles.get((family, ""))
        return chain if default is None or default in chain else [*chain, default]

    def css(self, look: Look) -> str:
        """Return what of a look hides, strikes out, colours or changes words, as CSS."""
        is_struck = any(look.get(name, "none") != "none" for name in _STRIKES)
        font = self.sign_font(look)
        said = {
            "color": "" if look.get("use-window-font-color") == "true" else look.get("color"),
            _GROUND: _ground(look),
            "text-decoration": "line-through" if is_struck else "",
            "font-family": f"'{font}'" if font else "",
        }
        return ";".join(f"{name}:{value}" for name, value in said.items() if value)

    def sign_font(self, look: Look) -> str:
        """Return the font of a look in which letters stand for signs; empty for any other."""
        font = self._fonts.get(look.get("font-name", ""), look.get("font-family", "")).strip("'\" ")
        return font if font.casefold() in _SIGN_FONTS else ""

    def marked(self, tag: str, look: Look, inside: str) -> str:
        """Return HTML in an element that looks so; a mark of one that is hidden."""
        is_clear = look.get(_OPACITY) == "0%" or look.get("color", "-") == _ground(look)
        is_own = look.get("use-window-font-color") != "true"  # not black or white, as it is read
        if look.get("display") == "none" or (is_clear and is_own):
            return HIDDEN if clean_line(inside) else ""
        css = self.css(look)
        style = f' style="{escape(css)}"' if css else ""
        return f"<{tag}{style}>{inside}</{tag}>"


def _ground(look: Look) -> str:
    """Return the colour behind words: that of a shape, else of a page, paragraph or cell."""
    fill = look.get("fill", "none")
    if fill != "none":
        return look.get("fill-color", "") if fill == "solid" else "grey"
    grounds = [value for key, value in look.items() if key.endswith(f"/{_GROUND}")]
    return next((value for value in reversed(grounds) if value != "transparent"), "")


def script_of(look: Look) -> str:
    """Return the element of raised or lowered words; empty for others."""
    place = look.get("text-position", "")
    if place.startswith(("sub", "-")):
        return "sub"
    return "sup" if re.match(r"super|[0.]*[1-9]", place) else ""


class Numbers:
    """Counts the items of lists and numbered headings."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}

    def restart(self, style: str, level: int) -> None:
        """Begin a list anew at a level, from 1 for the outermost."""
        self._counts[style] = self._counts.get(style, [])[: level - 1]

    def label(self, style: Element, name: str, level: int, start: str | None = None) -> str:
        """Count an item, and return its number as it is shown; empty for a bullet."""
        counts = self._counts.setdefault(name, [])
        del counts[level:]
        for at in range(len(counts) + 1, level + 1):
            form = _level(style, at)
            first = whole_number("1" if form is None else form.get("start-value", "1"), 1)
            counts.append(first if at < level else first - 1)
        counts[-1] = counts[-1] + 1 if start is None else whole_number(start, 1)
        form = _level(style, level)
        if form is None or not form.get("num-format"):
            return ""
        shown = whole_number(form.get("display-levels", "1"), 1)
        parts = []
        for at in range(max(1, level - shown + 1), level + 1):
            own = _level(style, at)
            kind = "" if own is None else own.get("num-format", "")
            parts += [ordinal(counts[at - 1], _FORMS.get(kind, "decimal"))] if kind else []
        return f"{form.get('num-prefix', '')}{'.'.join(parts)}{form.get('num-suffix', '')}"


def _level(style: Element, level: int) -> Element | None:
    return next((form for form in style if form.get("level") == str(level)), None)


def is_plain(style: Element | None, level: int) -> bool:
    """Tell whether a list shows neither numbers nor bullets at a level."""
    form = None if style is None else _level(style, level)
    return form is not None and not (form.get("num-format") or form.get("bullet-char"))
