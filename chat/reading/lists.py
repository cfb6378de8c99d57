"""A list whose items hold together is one statement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from chat.depends import as_lead
from chat.page_views import Place, Views, page_views
from chat.types import Quote, Unit

# What makes the items of a list one statement: its lead-in, or the end of an item.
_TOGETHER = re.compile(
    r"\b(?:the following|all of|any of|both|either|one of|at least (?:one|two|three|\d)"
    r"|one or more)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\b(?:and|or)\s*[,;:]?\s*$", re.IGNORECASE)


def with_whole_lists(units: Sequence[Unit]) -> list[Unit]:
    """Put the whole list in the place of a line that only announces it, or of a part of it.

    An item stands for itself unless its list says that several hold together or in place of each
    other: by its lead-in (`one or more of the following`), or by an item that ends in `and` or
    `or`. A list that its passage holds only in part stays as it was. Of what overlaps the
    better one is kept. One query.
    """
    views = page_views([unit.hit for unit in units])
    found: list[Unit] = []
    for unit in units:
        whole = _whole(unit, views) or unit
        if not any(_overlap(whole, other) for other in found):
            found.append(whole)
    return found


def _overlap(one: Unit, other: Unit) -> bool:
    mine, theirs = one.quotes[0], other.quotes[0]
    return (
        (one.hit.document_id, mine.page) == (other.hit.document_id, theirs.page)
        and mine.start < theirs.end
        and theirs.start < mine.end
    )


def _whole(unit: Unit, views: Views) -> Unit | None:
    """The unit with the list that it announces or is part of; None where it stands for itself."""
    said, *leads = unit.quotes
    at = _place(unit, views)
    if at.kind == "list_item":
        items = _items_around(at)
        start = items[0].block["start"]
        if len(items) < 2 or not _hold_together(items, leads):
            return None
    else:
        following = next(at.below(), None)
        if not said.text.endswith(":") or following is None or following.kind != "list_item":
            return None
        items = _items_around(following)
        start = said.start
    if not _is_in_passage(unit, items, start):
        return None
    quote = at.quote(start, items[-1].block["end"])
    shown = "\n".join([*(as_lead(part.text) for part in leads), quote.text])
    return replace(unit, text=shown, quotes=(quote, *leads))


def _place(unit: Unit, views: Views) -> Place:
    """The block that a unit stands in."""
    said = unit.quotes[0]
    blocks = views[(unit.hit.document_id, said.page)].blocks
    position = next(n for n, block in enumerate(blocks) if said.start < block["end"])
    return Place(unit.hit, said.page, position, views)


def _items_around(at: Place) -> list[Place]:
    """The items of a list on its page, with those under them, in order of reading."""

    def beside(places: Iterable[Place]) -> Iterator[Place]:
        for place in places:
            is_item = place.page == at.page and place.kind == "list_item"
            if not is_item or place.block["level"] < at.block["level"]:
                return
            yield place

    return [*reversed(list(beside(at.above()))), at, *beside(at.below())]


def _hold_together(items: Sequence[Place], leads: Sequence[Quote]) -> bool:
    announced = any(_TOGETHER.search(lead.text) for lead in leads)
    return announced or any(_JOINED.search(item.text) for item in items)


def _is_in_passage(unit: Unit, items: Sequence[Place], start: int) -> bool:
    """Whether the passage holds the list whole, and it does not go on over the page's end."""
    last = items[-1]
    after = next(last.below(), None)
    if after is not None and after.page != last.page and after.kind == "list_item":
        return False
    return any(
        span.page == last.page and span.start <= start and last.block["end"] <= span.end
        for span in unit.hit.spans
    )
