"""Tell by its wording what a statement or a heading is about. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.language.en.medicines.names import told_places

_DOSE = re.compile(
    r"\d\s*(?:mg|mcg|micrograms?|g|ml|units?|iu|mmol|tablets?)(?![a-z])"
    r"|\b(?:one|two|three|four|half|\d) (?:to (?:two|three|four|\d) )?(?:a )?"
    r"(?:tablets?|capsules?|puffs?|drops?|sachets?|ampoules?|vials?)\b",
    re.IGNORECASE,
)
_ORGANS = re.compile(
    r"\b(?:e?gfr|crcl|creatinine|renal|kidney|dialysis|hepatic|liver|cirrh\w+|child-pugh)\b",
    re.IGNORECASE,
)
# Who may have something at all answers also for those who may not.
_RESTRICTS = re.compile(
    r"\b(?:only|restrict\w*|licen[sc]ed|contra-?indicated|avoid\w*|(?:do|should|must) not|not"
    r" (?:be|recommended|for|suitable)|never|unless)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s*(?:[,/]|,?\s*\b(?:or|and)\b)?\s*", re.IGNORECASE)
_TREATS = re.compile(r"\b(?:treat\w*|therapeutic)\b", re.IGNORECASE)
_PREVENTS = re.compile(r"\b(?:thrombo)?prophyla\w+|\bprevent\w*", re.IGNORECASE)
_INSTEAD = re.compile(r"\b(?:instead of|rather than|in place of)\s+$", re.IGNORECASE)
_KINDS = frozenset({"penicillin"})  # names that stand for all that end with them


def gives_dose(text: str) -> bool:
    return bool(_DOSE.search(text))


_LEVEL = re.compile(r"\d[\d.,]*\s*(?:[mn]mol|micromol|mg|g|units?|iu)/(?:d?L|mL)\b", re.IGNORECASE)


def without_levels(text: str) -> str:
    """Return a text without what is measured in blood: `potassium below 5.0 mmol/L` is no dose."""
    return _LEVEL.sub(" ", text)


# A dose that says nothing without the strength of what is counted.
_COUNTED = re.compile(
    r"\d ?(?:mls?|millilit\w+|puffs?|tablets?|capsules?|drops?|sprays?|sachets?|spoonfuls?)\b", re.I
)


def counts_units(text: str) -> bool:
    """Tell whether a text counts tablets, puffs or millilitres."""
    return bool(_COUNTED.search(text))


def names_organs(text: str) -> bool:
    """Tell whether a text is about kidneys or liver."""
    return bool(_ORGANS.search(text))


def restricts(text: str) -> bool:
    """Tell whether a text says who may have something: `only`, `licensed`, `never`."""
    return bool(_RESTRICTS.search(text))


def is_under_prevention(headings: Sequence[str]) -> bool:
    """Tell whether the first heading that names a purpose names prevention and not treatment."""
    for text in headings:
        if _TREATS.search(text):
            return False
        if _PREVENTS.search(text):
            return True
    return False


def doses_are_of(medicines: frozenset[str], text: str) -> bool:
    """Tell whether one of a sentence's doses may be of an asked medicine.

    A dose is of the medicine named last before it. `Oxazepam 15 mg instead of chlordiazepoxide`
    answers for both.
    """
    places = told_places(text)
    if not any(_in(medicines, name) for *_, name in places):
        return True
    of = [_medicines_before(match.start(), text, places) for match in _DOSE.finditer(text)]
    if not of or any(not names or share_a_name(medicines, names) for names in of):
        return True
    return any(_INSTEAD.search(text[:start]) for start, _, name in places if _in(medicines, name))


def _medicines_before(at: int, text: str, places: Sequence[tuple[int, int, str]]) -> frozenset[str]:
    """Return the last medicine before a place, and those joined to it by `or`."""
    names: list[str] = []
    reached = at
    for start, end, name in reversed([place for place in places if place[0] < at]):
        if names and not _JOINED.fullmatch(text[end:reached]):
            break
        names.append(name)
        reached = start
    return frozenset(names)


def share_a_name(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Tell whether the sets share a name, or a kind: `phenoxymethylpenicillin` is a `penicillin`.

    An ending alone doesn't count: noradrenaline is no adrenaline.
    """
    return any(_is_kind(name, other) or _is_kind(other, name) for name in ours for other in theirs)


def _in(medicines: frozenset[str], name: str) -> bool:
    return share_a_name(medicines, frozenset((name,)))


def _is_kind(name: str, kind: str) -> bool:
    return name == kind or (kind in _KINDS and name.endswith(kind))
