"""Hide the words of a Word file that are white where nothing else colours the paper.

Source: ECMA-376, part 1, 17.3.2.6 (colour) and 17.3.5 (shading).
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement

from corpus.parsing.office.word_lists import ParagraphLooks, value_of

_WHITE = re.compile(r"#?(?:f[7-9a-f]){3}|white", re.I)  # or nearly so
_UNSET = ("", "auto", "none", "nil")
_SHAPES = frozenset(("shape", "rect", "roundrect", "oval"))  # of VML
_FILLS = ("solidFill", "gradFill", "blipFill", "pattFill")


def hide_white(root: Element, looks: ParagraphLooks) -> None:
    """Mark as hidden the runs that are white on white below an element of a file."""
    page = root.find("background")
    is_coloured = page is not None and bool(_is_coloured(page.get("color", "")))
    waiting: list[tuple[Element, Element | None, bool]] = [(root, None, is_coloured)]
    while waiting:
        element, paragraph, is_coloured = waiting.pop()
        own = _ground(element, looks)
        is_coloured = is_coloured if own is None else own
        if element.tag == "p":
            paragraph = element.find("pPr")
        if element.tag == "r" and not is_coloured and _is_white(element, paragraph, looks):
            properties = element.find("rPr")
            if properties is None:
                properties = Element("rPr")
                element.insert(0, properties)
            SubElement(properties, "vanish")
        waiting += [(child, paragraph, is_coloured) for child in element]


def _ground(element: Element, looks: ParagraphLooks) -> bool | None:
    """Tell whether an element colours the paper behind its words; None if it leaves it as it is."""
    if element.tag == "tbl":
        style = looks.styled(element.find("tblPr"), "tblStyle")
        shades = [shade for each in style for shade in each.iter("shd")]
        return any(map(_shaded, shades)) or _shaded(element.find("tblPr/shd"))
    if element.tag == "tc":
        return _shaded(element.find("tcPr/shd"))
    if element.tag == "p":
        properties = element.find("pPr")
        return _shaded(looks.first(properties, "pStyle", "pPr/shd", own="shd"))
    if element.tag == "r":
        properties = element.find("rPr")
        marked = _is_coloured(value_of(properties, "highlight"))
        shaded = _shaded(looks.first(properties, "rStyle", "rPr/shd", own="shd"))
        return shaded if marked is None else marked
    if element.tag == "wsp":
        return _is_filled(element)
    if element.tag in _SHAPES:
        return element.get("filled") not in ("f", "false") and _is_coloured(
            element.get("fillcolor", "").partition(" ")[0]
        )
    return None


def _is_filled(shape: Element) -> bool:
    fills = [fill for name in _FILLS if (fill := shape.find(f"spPr/{name}")) is not None]
    styled = shape.find("style/fillRef")
    if not fills:
        is_bare = shape.find("spPr/noFill") is not None
        return not is_bare and styled is not None and styled.get("idx") != "0"
    colour = fills[0].find("srgbClr")
    return colour is None or not _WHITE.fullmatch(colour.get("val", ""))


def _is_white(run: Element, paragraph: Element | None, looks: ParagraphLooks) -> bool:
    colour = looks.first(run.find("rPr"), "rStyle", "rPr/color", own="color")
    if colour is None:
        colour = looks.first(paragraph, "pStyle", "rPr/color")
    return colour is not None and bool(_WHITE.fullmatch(colour.get("val", "")))


def _shaded(shade: Element | None) -> bool | None:
    if shade is None:
        return None
    is_patterned = shade.get("val", "clear") not in ("clear", "nil")
    return is_patterned or _is_coloured(shade.get("fill", ""))


def _is_coloured(value: str) -> bool | None:
    return None if value in _UNSET else not _WHITE.fullmatch(value)
