"""Tell whether a statement converts between the two ends that a question names. Pure.

A row that names only one of them has a factor for something else: `morphine to diamorphine`, where
methadone is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from chat.types import Unit
from core.language.en.medicines.names import drugs
from core.language.en.questions.asked import routes_or_swallowed
from core.language.en.questions.conversions import Conversion, End
from core.language.en.short_forms.medicines import members_named, with_medicines_spelled_out
from core.language.en.statements.cells import cells
from core.language.en.statements.wording import share_a_name

_EQUIVALENT = re.compile(r"\bequi-?(?:valen|poten|analges)", re.IGNORECASE)
_CLAUSE = re.compile(r"[;.]\s+")


def is_between(asked: Conversion | None, unit: Unit, headings: Iterable[str]) -> bool:
    """Tell whether a statement, with the texts above it, names both ends of a conversion.

    A row by itself needs only one where what is above it says that all rows are equivalent, and its
    passage names the other. True where no conversion is asked for.
    """
    if asked is None:
        return True
    above = tuple(headings)
    texts = (unit.text, *above)
    if asked.is_of_routes:
        return _is_of_routes(asked, texts)
    if asked.is_of_dose and not _has_routes(asked, texts):
        return False
    if unit.is_row and any(_is_by_other_route(end, unit.text) for end in asked.ends):
        return False
    named = _named(texts, unit.context)
    missing = [end for end in asked.ends if not share_a_name(end.medicines, named)]
    if not missing:
        return True
    if asked.is_of_dose:
        return _is_equivalent(missing, unit, above)
    of_class = members_named(" | ".join((unit.text, *above[:-1])))  # a title names any of them
    (first, *others) = missing
    return not others and _is_in(of_class, first) and not _is_in(of_class, _other(asked, first))


def _is_of_routes(asked: Conversion, texts: Sequence[str]) -> bool:
    """Tell whether one part of a statement names the medicine by both routes, and no other."""
    own, *above = texts
    (one, _) = asked.ends
    for part in (own, *_CLAUSE.split(own)):
        named = frozenset(drugs(part)) or _named(above, "")
        if named and named <= one.medicines and _has_routes(asked, (part, *above)):
            return True
    return False


def _has_routes(asked: Conversion, texts: Sequence[str]) -> bool:
    """Tell whether texts name the route of each end, or name none."""
    named = frozenset().union(*map(routes_or_swallowed, texts))
    return not named or all(not end.routes or end.routes & named for end in asked.ends)


def _is_by_other_route(end: End, row: str) -> bool:
    """Tell whether all cells on an end's medicine that name a route name another one."""
    given = [
        found
        for cell in cells(row)
        if share_a_name(end.medicines, frozenset(drugs(cell)))
        and (found := routes_or_swallowed(cell))
    ]
    return bool(end.routes and given) and all(end.routes.isdisjoint(each) for each in given)


def _is_equivalent(missing: Sequence[End], unit: Unit, above: Sequence[str]) -> bool:
    """Tell whether a row is one of a table of equivalent doses, each row on one medicine."""
    if not unit.is_row or len(missing) > 1 or not any(map(_EQUIVALENT.search, above)):
        return False
    passage = frozenset(drugs(unit.hit.text))
    return len(drugs(unit.text)) == 1 and all(share_a_name(e.medicines, passage) for e in missing)


def _named(texts: Sequence[str], context: str) -> frozenset[str]:
    return frozenset(
        name for text in texts for name in drugs(with_medicines_spelled_out(text, context))
    )


def _is_in(medicines: frozenset[str], end: End) -> bool:
    return not medicines.isdisjoint(end.medicines)


def _other(asked: Conversion, end: End) -> End:
    return next(each for each in asked.ends if each != end)
