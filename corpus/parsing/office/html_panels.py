"""Name the parts of a page of HTML that its reader opens: tabs, details, accordions.

Each is read under the name of what opens it, as under a heading. After them their own section goes
on, so its heading is said again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from xml.etree.ElementTree import Element

from corpus.parsing.drafts import Draft, Drafted, text_draft
from corpus.parsing.office.html_tree import HEADINGS, OPENER, is_hidden, show
from corpus.parsing.published.markup_blocks import CLOSED, OPENED, PANEL
from corpus.parsing.published.xml_text import line_of
from corpus.parsing.types import BlockKind

_POINTS = (
    *("aria-controls", "data-target", "data-bs-target", "data-tab", "popovertarget"),
    *("commandfor", "href"),
)
_NAMED_IN_CODE = re.compile(r"['\"]#?([\w-]+)['\"]")
_OPENABLE = re.compile(r"\b(?:tab|accordion|collaps|panel|toggle|expand)", re.I)
_PLAIN = frozenset("div section article aside details dialog main fieldset form".split())
_BLOCKS = _PLAIN | frozenset("p ul ol dl table blockquote pre".split())
_MOST_NAME = 200  # characters of a name; a link around a paragraph is none


def name_panels(tree: Element) -> None:
    """Show what a reader can open, each part under its name, and turn roles into elements."""
    _plain_headings(tree)
    by_id = {name: element for element in tree.iter() if (name := element.get("id"))}
    headed = {id(below) for each in tree.iter() if each.tag in HEADINGS for below in each.iter()}
    panels: dict[int, tuple[Element, str]] = {}

    def add(panel: Element, opener: Element | None, name: str = "") -> None:
        """Keep a panel's first name; one that a heading opens has it already."""
        said = name or ("" if opener is None else line_of(opener))
        is_told = opener is not None and id(opener) in headed
        panels.setdefault(id(panel), (panel, "" if is_told else said[:_MOST_NAME]))
        if opener is not None and not is_told:
            opener.set(OPENER, "")

    for opener in list(tree.iter()):
        for panel in _targets(opener, by_id):
            if all(below is not opener for below in panel.iter()):
                labels = map(by_id.get, panel.get("aria-labelledby", "").split())
                name = " ".join(line_of(label) for label in labels if label is not None)
                add(panel, opener, name or panel.get("aria-label", ""))
    for parent in list(tree.iter()):
        if parent.get("role") == "tabpanel":
            label = by_id.get(parent.get("aria-labelledby", ""))
            add(parent, label, parent.get("aria-label", ""))
        elif parent.tag in ("details", "fieldset"):
            first = parent.find("summary" if parent.tag == "details" else "legend")
            if first is not None:
                add(parent, first)
    for before, after in [pair for each in tree.iter() for pair in pairwise(list(each))]:
        if _opens_next(before, after):
            add(after, before)
    for panel, name in panels.values():
        _open(panel, name)


def _plain_headings(tree: Element) -> None:
    for element in tree.iter():
        if element.get("role") == "heading":
            level = element.get("aria-level", "2")
            element.tag = f"h{level}" if level in "123456" else "h6"
        if element.tag in HEADINGS:
            for button in element.iter("button"):
                button.tag = "span"


def _targets(opener: Element, by_id: dict[str, Element]) -> Iterator[Element]:
    """Yield what an element opens; a link to a place that is always shown opens nothing."""
    names = [word.lstrip("#") for key in _POINTS for word in opener.get(key, "").split()]
    names += _NAMED_IN_CODE.findall(opener.get("onclick", ""))
    is_link = opener.tag == "a" and not (opener.attrib.keys() - {"href", "class", "id", "title"})
    for panel in (by_id[name] for name in names if name in by_id):
        may_open = is_hidden(panel) or panel.tag == "dialog" or _OPENABLE.search(_classes(panel))
        if panel.tag in _BLOCKS and (may_open or not is_link):
            yield panel


def _classes(element: Element) -> str:
    return f"{element.get('class', '')} {element.get('role', '')}"


def _opens_next(before: Element, after: Element) -> bool:
    """Tell whether an element opens, or labels, the block right behind it."""
    if after.tag not in _BLOCKS or (before.tail or "").strip() or OPENER in before.attrib:
        return False
    has_button = before.tag == "button" or before.get("role") == "button"
    is_heading = before.tag in HEADINGS
    may_open = is_hidden(after) or bool(_OPENABLE.search(_classes(after)))
    if "for" in before.attrib and not any(
        below.tag in ("input", "select", "textarea") for below in before.iter()
    ):
        return bool(line_of(before))
    return (has_button and may_open) or (is_heading and is_hidden(after))


def _open(panel: Element, name: str) -> None:
    """Show a panel, and mark it as one that has a name."""
    show(panel)
    if panel.tag == "dialog":
        panel.tag = "div"
    if not name:
        return
    if panel.tag not in _PLAIN:
        inner = Element(panel.tag, panel.attrib)
        inner.text, inner[:], panel.text, panel[:] = panel.text, panel[:], None, [inner]
    panel.tag = PANEL
    panel.attrib.clear()
    panel.set("name", name)


def sectioned(drafts: Iterable[Drafted]) -> Iterator[Drafted]:
    """Give the names of panels the level below the heading around them, and say that again after.

    Headings in a panel stand below its name.
    """
    around: list[Draft | None] = []  # the headings in force outside the open panels
    current: Draft | None = None
    due = False
    for draft in drafts:
        is_heading = isinstance(draft, Draft) and draft.kind is BlockKind.HEADING
        if isinstance(draft, Draft) and is_heading and draft.level == CLOSED:
            current, due = around.pop(), True
            continue
        if isinstance(draft, Draft) and is_heading:
            floor = around[-1].level + 2 if around and around[-1] else len(around) + 1
            if draft.level == OPENED:
                around.append(current)
                level = current.level + 1 if current else 1
                draft = text_draft(BlockKind.HEADING, draft.text, level)
            elif around:
                draft = replace(draft, level=max(draft.level, floor))
            current = draft
        elif due and current:
            yield current
        due = False
        yield draft
