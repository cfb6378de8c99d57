"""Word's formulas to MathML, which `xml_text.formula` writes on one line.

Source: ECMA-376, part 1, 22.1.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

_PARTS = {
    "f": ("mfrac", ("num", "den")),
    "sSup": ("msup", ("e", "sup")),
    "sSub": ("msub", ("e", "sub")),
    "sSubSup": ("msubsup", ("e", "sub", "sup")),
    "rad": ("msqrt", ("e",)),
}
_SIGNS = frozenset("=+−-×·<>≤≥")


def mathml(formula: Element) -> Element:
    """Return a formula as an element `math`."""
    math = Element("math")
    _write(formula, math)
    return math


def _write(element: Element, to: Element) -> None:
    for child in element:
        name, parts = _PARTS.get(child.tag, ("", ()))
        if name:
            made = SubElement(to, name)
            for part in parts:
                _write(child.find(part) or Element("e"), SubElement(made, "mrow"))
        elif child.tag == "t":
            for text in _pieces(child.text or ""):
                SubElement(to, "mo" if text in _SIGNS else "mi").text = text
        elif child.tag == "d":  # what stands in brackets
            SubElement(to, "mi").text = "("
            _write(child, to)
            SubElement(to, "mi").text = ")"
        elif not child.tag.endswith("Pr"):
            _write(child, to)


def _pieces(text: str) -> list[str]:
    spaced = "".join(f"\0{c}\0" if c in _SIGNS else c for c in text)
    return [piece for piece in spaced.split("\0") if piece]
