"""Sentences that a break of a page or a column cuts: the other half may hold the `not`."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.statements.leads import binds_to_before, is_cut_off, is_stopped
from corpus.statements.places import Place

FLOWING = ("paragraph", "list_item")
_BETWEEN = ("footnote", "table", "caption")  # may stand between two parts of one text

Spans = list[tuple[int, int]]


def whole_statements(at: Place, statements: Spans) -> Spans:
    """Return those of a block's statements that no break cuts off from what belongs to them.

    Of a part that goes on from before the first is left out, of one that goes on below the last.
    """
    if at.kind not in FLOWING:
        return statements
    if _is_second_part(at):
        statements = statements[1:]
    return statements[:-1] if _is_first_part(at) else statements


def _is_second_part(at: Place) -> bool:
    """Tell whether a block begins in the middle of what another page or column began."""
    if at.block.get("continues"):
        return True
    before = _flowing(at.above())
    if before is None or before.page == at.page:
        has_page_before = at.page - 1 in at.views
        return at.position == 0 and has_page_before and _begins_inside(at)
    if at.kind == "list_item":
        return before.kind == "list_item" and is_cut_off(before.text)
    return _begins_inside(at) or _is_open(before, following=at)


def _is_first_part(at: Place) -> bool:
    """Tell whether a block ends in the middle of what another page or column goes on with."""
    following = _flowing(at.below())
    if following is None:
        # A paragraph at the end of all that is known may go on.
        rest = list(at.below())
        is_last = all(place.kind in _BETWEEN for place in rest)
        return is_last and at.kind == "paragraph" and _is_unended(at)
    if following.block.get("continues"):
        return _is_unended(at) or binds_to_before(following.text)
    if following.page == at.page:
        return False
    return _is_open(at, following=following) or binds_to_before(following.text)


def _is_open(at: Place, *, following: Place) -> bool:
    """Tell whether the last text of a page may go on with the first of the next.

    Items often have no full stop: one is open where it ends on a word that can't be the last, or
    where the item above it has one. A line above a list is no half of it.
    """
    if not _is_unended(at):
        return False
    if at.kind == "paragraph":
        return True
    text = at.text.strip()
    above = next(at.above(), None)
    sibling_stops = above is not None and above.kind == "list_item" and is_stopped(above.text)
    return is_cut_off(text) or sibling_stops or _begins_inside(following)


def _is_unended(at: Place) -> bool:
    text = at.text.rstrip()
    return not is_stopped(text) and not text.endswith(":")


def _begins_inside(at: Place) -> bool:
    return at.kind == "paragraph" and at.text.strip()[:1].islower()


def _flowing(places: Iterable[Place]) -> Place | None:
    """Return the next text over notes and tables; None where a heading comes first."""
    for place in places:
        if place.kind in FLOWING:
            return place
        if place.kind not in _BETWEEN:
            return None
    return None
