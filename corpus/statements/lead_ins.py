"""Find the headings that limit a block, and the lines that introduce it.

Quoted without these the block could say the opposite. The functions return None where they can't be
determined; then the block is not to be quoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.language.en.sentences import sentence_spans
from core.language.en.statements.clauses import has_verb, is_imperative
from core.language.en.statements.leads import CONDITION, announces, heads_items, is_stopped
from corpus.statements.places import Place, VerbatimSpan, one_line

Leads = tuple[VerbatimSpan, ...]
_TEXTS = ("paragraph", "list_item", "heading")
HEADING_PAGES = 20  # pages above a block on which a heading that limits it is looked for


def limiting_headings(at: Place, section_path: Sequence[str]) -> Leads | None:
    """Return the headings of the section path that limit or negate a block, outermost first.

    None if one of them is not found above the block, 20 pages up at most.
    """
    wanted = [one_line(part) for part in section_path if CONDITION.search(part)]
    if not wanted:
        return ()
    heading_of: dict[str, VerbatimSpan] = {}
    for place in (place for place in at.above() if place.kind == "heading"):
        if place.page < at.page - HEADING_PAGES or len(heading_of) == len(set(wanted)):
            break
        if (text := one_line(place.text)) in wanted:
            heading_of.setdefault(text, place.whole())
    if len(heading_of) < len(set(wanted)):
        return None
    return tuple(heading_of[text] for text in wanted)


def introduction(at: Place) -> Leads | None:
    """Return the lines that introduce a list, a table or a paragraph, the outermost first.

    Such a line has no full stop, speaks of `the following` or, above a list, limits it. Items of
    the same list that head the block count too (`Never give in:`). A paragraph is introduced by a
    line with a colon right above. None if an item above may or may not hold for the block, or if
    its list begins on a page that is missing.
    """
    if at.kind == "paragraph":
        line = next(at.above(), None)  # right above, with a colon
        leads = line and line.kind == "paragraph" and line.text.rstrip().endswith(":")
        return _lines(line, is_list=True) if line and leads else ()
    items: list[Place] = []
    for place in at.above():
        if place.page != at.page and place.kind in ("footnote", "caption"):
            continue
        if at.kind == "list_item" and place.kind == "list_item":
            items.append(place)
        elif at.kind != "table" or place.kind not in ("caption", "footnote", "table"):
            over, outer = _over(at, items), _outer(place, at, items)
            if over is None or outer is None:
                return None
            return (*outer, *_lines(place, is_list=at.kind != "table"), *over)
    is_first_page = min([at.page, *(item.page for item in items)]) == 1 or at.kind == "table"
    return _over(at, items) if is_first_page else None


def _over(at: Place, items: Sequence[Place]) -> Leads | None:
    """Return the items that a list item is nested in or headed by; None if they are uncertain.

    `items` are those above, the nearest first. If the level of each is known, the result is the
    open items of lower levels, and items of the same level that head the others by their words and
    have no deeper items of their own.
    """
    if not _depths_known(at, items):
        return _items_over(at, items)
    parents = _parents(at.block["level"], items)
    siblings = list(_siblings(at, items))
    heading = any(map(_heads, siblings))
    own = _items_over(at, siblings) if heading else ()
    return None if own is None or parents is None else (*parents, *own)


def _depths_known(at: Place, items: Sequence[Place]) -> bool:
    return at.kind == "list_item" and all(place.block["level"] for place in (at, *items))


def _siblings(at: Place, items: Sequence[Place]) -> Iterator[Place]:
    """Yield the items of the same list and level, nearest first, without deeper items below."""
    below = depth = at.block["level"]
    for item in items:
        if item.block["level"] < depth:
            return
        if item.block["level"] == depth == below:
            yield item
        below = item.block["level"]


def _parents(depth: int, items: Sequence[Place]) -> Leads | None:
    """Return the items that contain an item of level `depth`, the outermost first.

    `items` are those above, the nearest first. Full sentences that limit nothing are left out. An
    item that runs over a break consists of all its parts: None if its first part is not among
    `items`.
    """
    parents: list[Place] = []
    for at, item in enumerate(items):
        if not 0 < item.block["level"] < depth:
            continue
        depth = item.block["level"]
        parts = [item]
        for above in items[at + 1 :]:
            if not parts[-1].block.get("continues") or above.block["level"] != depth:
                break
            parts.append(above)
        if parts[-1].block.get("continues"):
            return None
        if not is_stopped(item.text) or any(CONDITION.search(part.text) for part in parts):
            parents += parts
    return tuple(place.whole() for place in reversed(parents))


def _outer(above: Place, at: Place, items: Sequence[Place]) -> Leads | None:
    """Return the items that contain a list which a paragraph or a table has interrupted.

    `above` is the block that the list's own items end at. None if the items begin on a page that is
    missing.
    """
    depth = min((place.block["level"] for place in (at, *items)), default=0)
    if above.kind == "heading" or depth <= 1 or not _depths_known(at, items):
        return ()
    beyond: list[Place] = []
    last = above
    for last in above.above():
        if last.kind == "heading":
            break
        if last.kind == "list_item":
            beyond.append(last)
            if last.block["level"] <= 1 and not last.block.get("continues"):
                break
    else:
        if last.page > 1:
            return None
    return _parents(depth, beyond)


def _heads(item: Place) -> bool:
    """Tell whether an item heads those below it by its words, and isn't cut by the page's end."""
    if not heads_items(item.text):
        return False
    below = next((place for place in item.below() if place.kind in _TEXTS), None)
    return below is None or below.page == item.page or not below.block.get("continues")


def _items_over(at: Place, items: Sequence[Place]) -> Leads | None:
    """Return the nearest items that head the ones below them by their words.

    `items` are those above, the nearest first. None if it is uncertain what they head.
    """
    heads = [n for n, item in enumerate(items) if _heads(item)]
    if not heads:
        return None if _may_be_under(at, items) else ()
    if _is_closed(items[: heads[0]]):
        return ()
    last = heads[0]
    while last + 1 in heads:
        last += 1
    chain = items[heads[0] : last + 1]
    if not _begins_anew(chain[-1]) and any(
        CONDITION.search(items[n].text) for n in heads if n > last
    ):
        return None
    if _may_be_under(at, items[: heads[0]]):
        return None
    return tuple(item.whole() for item in reversed(chain))


def _is_closed(items: Sequence[Place]) -> bool:
    """Tell whether a list of items with semicolons ended in one with a full stop.

    `items` are those between its head and an item below, the nearest first.
    """
    return any(
        is_stopped(item.text) and items[n + 1].text.rstrip().endswith((";", "; and", "; or"))
        for n, item in enumerate(items[:-1])
    )


def _begins_anew(item: Place) -> bool:
    """Tell whether an item that heads others says what to do, and so is none of a list itself."""
    *_, last = _sentences(item)
    return is_imperative(last.text)


def _may_be_under(at: Place, items: Sequence[Place]) -> bool:
    """Tell whether an item without a verb may continue a limit above it (`Avoid ibuprofen`).

    Where levels are not known, an item below may be nested in the one above, or its sibling.
    """
    text = at.text.strip()
    if not items or is_stopped(text) or has_verb(text) or is_imperative(text):
        return False
    return any(
        CONDITION.search(item.text) and is_imperative(item.text) and not is_stopped(item.text)
        for item in items
    )


def _lines(at: Place, *, is_list: bool) -> Leads:
    """Return the last one or two sentences of the text up to a block, if they introduce it."""
    before = list(_sentences_up_to(at))
    if not before:
        return ()
    last = before[-1]
    if len(before) > 1 and announces(before[-2].text) and CONDITION.search(before[-2].text):
        return (before[-2], last)
    introduces = announces(last.text) or (is_list and CONDITION.search(last.text))
    return (last,) if introduces else ()


def _sentences_up_to(at: Place) -> Iterator[VerbatimSpan]:
    """Yield the last sentence of the text right above a paragraph, then its own sentences."""
    if at.kind not in ("paragraph", "footnote"):
        return
    above = next(at.above(), None)
    if above is not None and above.kind in ("paragraph", "list_item"):
        yield from list(_sentences(above))[-1:]
    yield from _sentences(at)


def _sentences(at: Place) -> Iterator[VerbatimSpan]:
    offset = at.block["start"]
    for start, end in sentence_spans(at.text):
        yield at.piece(offset + start, offset + end)


def as_lead(text: str) -> str:
    """Return a line to be put in front of the text that it introduces, with a colon if needed."""
    return text if text.rstrip()[-1:] in ":.,;" else f"{text.rstrip()}:"
