"""What a piece of a page depends on: headings that limit it, and the lines that introduce it.

Quoted without them it could say the opposite. Where it can't be told what it depends on, it is not
to be quoted: None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.text.clauses import has_verb, is_imperative
from core.text.sentences import sentence_spans
from corpus.statements.leads import CONDITION, announces, heads_items, is_stopped
from corpus.statements.places import Piece, Place, one_line

Leads = tuple[Piece, ...]
HEADING_PAGES = 20  # up to which a heading that limits is looked for above a block


def limiting_headings(at: Place, section_path: Sequence[str]) -> Leads | None:
    """Return the headings above a block that turn it round, the outermost first.

    None where one of the passage's section path is not found above.
    """
    wanted = [one_line(part) for part in section_path if CONDITION.search(part)]
    if not wanted:
        return ()
    found: dict[str, Piece] = {}
    for place in (place for place in at.above() if place.kind == "heading"):
        if place.page < at.page - HEADING_PAGES or len(found) == len(set(wanted)):
            break
        if (text := one_line(place.text)) in wanted:
            found.setdefault(text, place.whole())
    if len(found) < len(set(wanted)):
        return None
    return tuple(found[text] for text in wanted)


def introduction(at: Place) -> Leads | None:
    """Return the lines above a list, a table or a paragraph that say what it is, the outermost
    first.

    That is a line with no full stop, one that speaks of `the following`, or one that limits; and
    items of the same list that stand over it (`Never give in:`). None where an item above may or
    may not hold for it, or where its list begins on a page that is not known.
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
    """Return the items that an item stands under; `items` are those above, the nearest first.

    Where the file tells how deep each stands, those are the open ones less deep than what is below
    them, and items beside it that head it by their words and have no deeper ones of their own.
    """
    if not _depths_known(at, items):
        return _items_over(at, items)
    parents = _parents(at.block["level"], items)
    beside = list(_beside(at, items))
    heading = any(heads_items(item.text) for item in beside)
    own = _items_over(at, beside) if heading else ()
    return None if own is None or parents is None else (*parents, *own)


def _depths_known(at: Place, items: Sequence[Place]) -> bool:
    return at.kind == "list_item" and all(place.block["level"] for place in (at, *items))


def _beside(at: Place, items: Sequence[Place]) -> Iterator[Place]:
    """Yield the items beside one, the nearest first, but those that deeper ones stand right
    under.
    """
    below = depth = at.block["level"]
    for item in items:
        if item.block["level"] < depth:
            return
        if item.block["level"] == depth == below:
            yield item
        below = item.block["level"]


def _parents(depth: int, items: Sequence[Place]) -> Leads | None:
    """Return the items that open what stands so deep, the outermost first; `items` from the nearest
    on.

    An item over a break is all of its parts: None where its first is not among them.
    """
    found: list[Place] = []
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
            found += parts
    return tuple(place.whole() for place in reversed(found))


def _outer(above: Place, at: Place, items: Sequence[Place]) -> Leads | None:
    """Return the items that a list stands under beyond a paragraph or a table among them.

    `above` is what the list's own items end at; None where they begin on a page that is not known.
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


def _items_over(at: Place, items: Sequence[Place]) -> Leads | None:
    """Return the items that head the ones below them; `items` are those above, the nearest
    first.
    """
    heads = [n for n, item in enumerate(items) if heads_items(item.text)]
    if not heads:
        return None if _may_be_under(at, items) else ()
    last = heads[0]
    while last + 1 in heads:
        last += 1
    chain = items[heads[0] : last + 1]
    if any(CONDITION.search(items[n].text) for n in heads if n > last):
        return None
    if _may_be_under(at, items[: heads[0]]):
        return None
    return tuple(item.whole() for item in reversed(chain))


def _may_be_under(at: Place, items: Sequence[Place]) -> bool:
    """Tell whether an item that says nothing by itself may go on a limit above it (`Avoid
    ibuprofen`).

    Where levels are not known, the next item may be under it or beside it.
    """
    text = at.text.strip()
    if not items or is_stopped(text) or has_verb(text) or is_imperative(text):
        return False
    return any(
        CONDITION.search(item.text) and is_imperative(item.text) and not is_stopped(item.text)
        for item in items
    )


def _lines(at: Place, *, is_list: bool) -> Leads:
    """Return the last one or two sentences of the text that ends at a block, where they
    introduce.
    """
    found = list(_sentences_up_to(at))
    if not found:
        return ()
    last = found[-1]
    if len(found) > 1 and announces(found[-2].text) and CONDITION.search(found[-2].text):
        return (found[-2], last)
    introduces = announces(last.text) or (is_list and CONDITION.search(last.text))
    return (last,) if introduces else ()


def _sentences_up_to(at: Place) -> Iterator[Piece]:
    """Yield the sentences of a paragraph, and the last one of the text right above it, in order."""
    if at.kind != "paragraph":
        return
    above = next(at.above(), None)
    if above is not None and above.kind in ("paragraph", "list_item"):
        yield from list(_sentences(above))[-1:]
    yield from _sentences(at)


def _sentences(at: Place) -> Iterator[Piece]:
    offset = at.block["start"]
    for start, end in sentence_spans(at.text):
        yield at.piece(offset + start, offset + end)


def as_lead(text: str) -> str:
    """Return a line as it is put in front of what it introduces."""
    return text if text.rstrip()[-1:] in ":.,;" else f"{text.rstrip()}:"
