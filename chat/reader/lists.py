"""Join the items of a list that only make sense together into one statement."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from django.db.models import Q

from chat.types import Quote, Unit
from core.language.en.statements.lists import joins_the_next, takes_items_together
from corpus.models import Page
from corpus.statements.lead_ins import as_lead
from corpus.statements.places import PageView, Place, VerbatimSpan, Views

MAX_CHARS = 1500  # of a whole list
_Views = Mapping[int, Views]  # by document
_PAGE = ("document", "number", "text", "blocks")


def with_whole_lists(units: Sequence[Unit], *, all_items: bool = False) -> list[Unit]:
    """Replace a list's lead-in, or a part of a list, by the whole list.

    An item stays alone unless its list says that items combine or are alternatives: by its lead-in
    (`one or more of the following`) or by an item that ends in `and` or `or`. Several items of a
    list are also joined, and all lists with `all_items`. Very long lists stay as they are, and so
    do those with an item that a number of the question falls into. Of overlapping units the better
    one is kept. Runs one query.
    """
    views = _views(units)
    lists = Counter(_list_of(unit, views) for unit in units)
    chosen = {_list_of(unit, views) for unit in units if unit.holds_asked_number}
    wholes: list[Unit] = []
    for unit in units:
        own = _list_of(unit, views)
        several = all_items or lists[own] > 1
        whole = unit if own in chosen else _whole(unit, views, several=several) or unit
        if not any(_overlap(whole, other) for other in wholes):
            wholes.append(whole)
    return wholes


def _overlap(unit: Unit, other: Unit) -> bool:
    """Tell whether the main quote of one unit is part of the other."""
    return _is_quoted(unit.quotes[0], other) or _is_quoted(other.quotes[0], unit)


def _is_quoted(main: Quote, unit: Unit) -> bool:
    return any(
        (main.hit.document_id, main.page) == (quote.hit.document_id, quote.page)
        and main.start < quote.end
        and quote.start < main.end
        for quote in unit.quotes
    )


def _list_of(unit: Unit, views: _Views) -> Hashable:
    """Identify the list of a unit by its first item; other units by themselves."""
    at = _place(unit, views)
    first = _items_around(at)[0] if at.kind == "list_item" else at
    return unit.hit.document_id, first.page, first.position, at.kind == "list_item" or unit.text


def _whole(unit: Unit, views: _Views, *, several: bool) -> Unit | None:
    """Return the unit extended to its whole list; None where it stays alone."""
    main, *leads = unit.quotes
    at = _place(unit, views)
    if at.kind == "list_item":
        items = _items_around(at)
        if len(items) < 2 or not (several or _hold_together(items, leads)):
            return None
    else:
        following = next(at.below(), None)
        if not main.text.endswith(":") or following is None or following.kind != "list_item":
            return None
        items = _items_around(following)
    pieces = _pieces(unit, at, items)
    if sum(len(piece.text) for piece in pieces) > MAX_CHARS:
        return None
    shown = "\n".join([*(as_lead(part.text) for part in leads), *(part.text for part in pieces)])
    inside = next(piece for piece in pieces if piece.page == main.page and piece.end > main.start)
    others = [piece for piece in pieces if piece != inside]
    return replace(unit, text=shown, quotes=(inside, *leads, *others))


def _pieces(unit: Unit, at: Place, items: Sequence[Place]) -> list[Quote]:
    """Return quotes of the lead-in and all items, one for each page, in reading order.

    The part inside the unit's passage is a quote of its own, since a citation starts in its
    passage.
    """
    main = unit.quotes[0]
    bounds: dict[int, tuple[int, int]] = {}
    announced = [] if at.kind == "list_item" else [(at.page, main.start, main.end)]
    parts = [(item.page, item.block["start"], item.block["end"]) for item in items]
    for page, start, end in [*announced, *parts]:
        bounds[page] = (bounds.get(page, (start, end))[0], end)
    span = next(span for span in unit.hit.spans if span.page == at.page and main.start < span.end)
    quotes: list[Quote] = []
    for page, (start, end) in bounds.items():
        cuts = {start, end}
        if page == at.page:
            cuts |= {cut for cut in (span.start, span.end) if start < cut < end}
        on_page = replace(at, page=page)
        quotes += [_quote(unit, on_page.piece(*ends)) for ends in pairwise(sorted(cuts))]
    return [quote for quote in quotes if quote.text]


def _quote(unit: Unit, piece: VerbatimSpan) -> Quote:
    return Quote(unit.hit, piece.page, piece.start, piece.end, piece.text)


def _views(units: Sequence[Unit]) -> _Views:
    """Return the units' pages and neighbouring pages, by document and number. Runs one query."""
    near = Q(pk__in=[])
    for document, page in {(unit.hit.document_id, unit.quotes[0].page) for unit in units}:
        near |= Q(document=document, number__range=(page - 1, page + 1))
    views: dict[int, dict[int, PageView]] = defaultdict(dict)
    pages = Page.objects.filter(near) if units else Page.objects.none()
    for document, number, text, blocks in pages.values_list(*_PAGE):
        views[document][number] = PageView(text, blocks)
    return views


def _place(unit: Unit, views: _Views) -> Place:
    """Return the block of a unit."""
    main = unit.quotes[0]
    pages = views[unit.hit.document_id]
    blocks = pages[main.page].blocks
    position = next(n for n, block in enumerate(blocks) if main.start < block["end"])
    return Place(main.page, position, pages)


def _items_around(at: Place) -> list[Place]:
    """Return the items of the list in order, nested and on adjoining pages too."""

    def adjoining(places: Iterable[Place]) -> Iterator[Place]:
        for place in places:
            if place.kind == "footnote" and place.page != at.page:
                continue
            if place.kind != "list_item" or place.block["level"] < at.block["level"]:
                return
            yield place

    return [*reversed(list(adjoining(at.above()))), at, *adjoining(at.below())]


def _hold_together(items: Sequence[Place], leads: Sequence[Quote]) -> bool:
    announced = any(takes_items_together(lead.text) for lead in leads)
    return announced or any(joins_the_next(item.text) for item in items)
