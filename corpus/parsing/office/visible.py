"""Take out of a tree of HTML what a reader does not see, or what is struck out."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from corpus.parsing.clean import clean_line
from corpus.parsing.published.marks import STRUCK

# Never part of what a reader sees, or not part of what the page says.
_DROPPED = frozenset(
    "script style noscript template iframe object embed svg canvas audio video nav dialog "
    "button select textarea".split()
)
_STRUCK = frozenset("del s strike".split())  # no longer said
_RANKS = frozenset("h1 h2 h3 h4 h5 h6".split())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.I)
_LINE_THROUGH = re.compile(r"text-decoration[\w-]*\s*:[^;]*line-through", re.I)


def prune(parent: Element) -> None:
    """Drop what is not said, with a mark where it was struck out. What follows it stays."""
    kept: list[Element] = []
    for child in parent:
        after = child.tail or ""
        if _is_struck(child):
            after = (STRUCK if clean_line("".join(child.itertext())) else "") + after
        elif not _is_unseen(child, parent):
            prune(child)
            kept.append(child)
            continue
        if kept:
            kept[-1].tail = (kept[-1].tail or "") + after
        else:
            parent.text = (parent.text or "") + after
    parent[:] = kept


def _is_struck(element: Element) -> bool:
    return element.tag in _STRUCK or bool(_LINE_THROUGH.search(element.get("style", "")))


def _is_unseen(element: Element, parent: Element) -> bool:
    hidden = "hidden" in element.attrib or element.get("aria-hidden") == "true"
    at_top = element.tag == "header" and parent.tag == "body"
    banner = at_top and not any(below.tag in _RANKS for below in element.iter())
    unseen = hidden or banner or element.tag in _DROPPED
    return unseen or bool(_HIDDEN.search(element.get("style", "")))
