"""Find which medicines or routes a question wants a dose converted between. Pure.

`Convert oral morphine to sc oxycodone`: a factor from or to anything else is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.language.en.medicines.names import drug_places
from core.language.en.questions.asked import asked_routes, asks_dose
from core.language.en.statements.wording import gives_dose

_CONVERTS = re.compile(
    r"\b(?:re-?)?conver(?:t\w*|sions?)\b|\bequivalen(?:t(?!s\b)|c\w+)|\bequi-?(?:analges|poten)\w*"
    r"|\bequ(?:als?|ates?)\b|\bratio (?:of|between|for)\b|\b(?:dos(?:e|ing)|potency) ratio\b",
    re.IGNORECASE,
)
_SWITCHES = re.compile(
    r"\b(?:switch|swap|rotat|chang|transfer)(?:e[ds]?|ing|ped|ping|red|ring|ion|s)?\b",
    re.IGNORECASE,
)
_TO = re.compile(r"\b(?:to|into|from)\b|->|→", re.IGNORECASE)
_CLAUSES = re.compile(r"[?!;\n]|\.(?=\s|$)")
# What stands between the two ends: `to`; or else `equivalent of ... in ...`.
_LINK = re.compile(
    r"\b(?:to|into|from|between|and|vs|versus|in|as|is|with)\b|->|→|=", re.IGNORECASE
)


@dataclass(frozen=True)
class End:
    """One of the two things that a dose is converted between."""

    medicines: frozenset[str]  # several for a brand that combines them
    routes: frozenset[str]


@dataclass(frozen=True)
class Conversion:
    """Two medicines, or one by two routes. `is_of_dose`: not only a change from one to another."""

    ends: tuple[End, End]
    is_of_dose: bool

    @property
    def is_of_routes(self) -> bool:
        return self.ends[0].medicines == self.ends[1].medicines


def conversion(question: str) -> Conversion | None:
    """Return what a question converts; None if it doesn't, or doesn't name two ends."""
    for clause in _CLAUSES.split(question):
        is_of_dose = bool(_CONVERTS.search(clause))
        is_bare = _is_bare(clause)
        if not (is_of_dose or is_bare or _SWITCHES.search(clause)):
            continue
        is_of_dose = is_of_dose or (is_bare and bool(asked_routes(clause)))
        # `Change A to B, what dose?`; not `from A 30 mg to B`, whose dose depends on that of A.
        is_of_second = not is_of_dose and asks_dose(clause) and not gives_dose(clause)
        if not is_of_second and (ends := _two_medicines(clause)):
            return Conversion(ends, is_of_dose)
        if (is_of_dose or asks_dose(clause)) and (ends := _two_routes(clause)):
            return Conversion(ends, is_of_dose=True)
    return None


def _is_bare(clause: str) -> bool:
    """Tell whether a clause is no more than its two ends: `oral morphine to sc oxycodone`."""
    places = drug_places(clause)
    before = clause[: places[0][0]].split() if places else []
    is_first = not before or (len(before) == 1 and bool(asked_routes(before[0])))
    return bool(places) and is_first and bool(_TO.search(clause)) and not asks_dose(clause)


def _two_medicines(clause: str) -> tuple[End, End] | None:
    """Return the first two medicines that a word links, else the only two; None for fewer."""
    named: list[tuple[int, int, frozenset[str]]] = []
    for start, end, name in drug_places(clause):
        if named and named[-1][0] == start:
            named[-1] = (start, end, named[-1][2] | {name})
        elif not named or name not in named[-1][2]:
            named.append((start, end, frozenset((name,))))
    pairs = [
        place
        for place in range(len(named) - 1)
        if _TO.search(clause[named[place][1] : named[place + 1][0]])
    ]
    if len(named) < 2 or (len(named) > 2 and not pairs):
        return None
    at = pairs[0] if pairs else 0
    (_, end, one), (start, _, other) = named[at], named[at + 1]
    low = named[at - 1][1] if at else 0
    high = named[at + 2][0] if at + 2 < len(named) else len(clause)
    link = _LINK.search(clause, end, start)
    middle = link.start() if link else start
    first, second = clause[low:middle], clause[middle:high]
    return End(one, asked_routes(first)), End(other, asked_routes(second))


def _two_routes(clause: str) -> tuple[End, End] | None:
    """Return the only medicine by two routes."""
    medicines = frozenset(name for _, _, name in drug_places(clause))
    routes = [found for part in _LINK.split(clause) if (found := asked_routes(part))]
    if len(medicines) != 1 or not _are_two(routes):
        return None
    return End(medicines, routes[0]), End(medicines, routes[1])


def _are_two(routes: Sequence[frozenset[str]]) -> bool:
    return len(routes) == 2 and routes[0].isdisjoint(routes[1])
