"""Compare what a turn stored with what its replay gave: a verdict, then every difference, grouped.

Pure: takes both as JSON values. A list of objects is compared by what identifies them, so that an
entry more at the top is one difference and not one in each line below.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.rounding import COSINE_DIGITS

SHOWN_CHARS = 300  # of a value that differs
# A score at the edge of a digit may be rounded either way.
_ROUNDING = 10**-COSINE_DIGITS * (1 + 1e-6)
# What is no part of the result: how long it took, what it cost, and the database's own numbers.
_NOT_COMPARED = {"durations_ms", "duration_ms", "rewriting", "usage", "notes", "chunk_id"}
_NOT_COMPARED |= {"complexity", "reasons"}  # of a question; an older release stored them
_STEPS = (
    "asked failure answers gate retrieval generator verifier fingerprint documents searches "
    "generation verdicts judgement outcome"
).split()
_SETTINGS = {"answers", "gate", "retrieval", "generator", "verifier", "fingerprint"}
_SETTINGS_OF_SEARCH = {"fingerprint", "encoder", "encoders", "lexicon", "threshold"}
_TEXTS_OF_SEARCH = {"query", "analysis", "lexemes", "variants"}
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_IDENTITIES = ("key", "chunk", "sha256", "name", "text")


class Group(StrEnum):
    """What differs, in the order in which it is told."""

    CORPUS = "corpus"
    SETTINGS = "settings"
    SCORES = "scores"
    TEXTS = "texts"


@dataclass(frozen=True)
class Difference:
    """One value that differs. Values may hold what was asked and answered."""

    place: str  # such as `searches.0.rankings.bm25.entries.KEY.rank`
    stored: Any  # None: there was none
    now: Any

    @property
    def stored_text(self) -> str:
        return _short(self.stored)

    @property
    def now_text(self) -> str:
        return _short(self.now)


@dataclass(frozen=True)
class Sameness:
    """The verdict: whether the answer is the same in what a reader relies on."""

    outcome: bool
    statements: bool
    citations: bool

    @property
    def is_whole(self) -> bool:
        return self.outcome and self.statements and self.citations

    @property
    def sentence(self) -> str:
        outcome = "The same outcome" if self.outcome else "Another outcome"
        statements = "the same statements" if self.statements else "other statements"
        citations = "the same citations" if self.citations else "other citations"
        return f"{outcome}, {statements}, {citations}."


def sameness(stored: Mapping[str, Any], now: Mapping[str, Any]) -> Sameness:
    """Compare two outcomes: reason and option, statements in order, and what each cites."""
    return Sameness(
        outcome=all(stored[name] == now[name] for name in ("reason", "option")),
        statements=_of_claims(stored, "kind", "text") == _of_claims(now, "kind", "text"),
        citations=_of_claims(stored, "citations") == _of_claims(now, "citations"),
    )


def differences(
    stored: Mapping[str, Any], now: Mapping[str, Any]
) -> dict[Group, tuple[Difference, ...]]:
    """Return all differences by group, in the order of the way of a question.

    A step that an older release did not store is not compared. The corpus itself is compared by
    `chat.replays.corpus_changes`; here, documents whose state differs belong to it.
    """
    by_group: dict[Group, list[Difference]] = {}
    for step in _STEPS:
        if step in stored:
            for difference in _between(stored[step], now.get(step), step):
                by_group.setdefault(_group_of(difference), []).append(difference)
    return {group: tuple(by_group[group]) for group in Group if group in by_group}


def _of_claims(outcome: Mapping[str, Any], *names: str) -> list[list[Any]]:
    return [[claim[name] for name in names] for claim in outcome["claims"]]


def _group_of(difference: Difference) -> Group:
    parts = difference.place.split(".")
    if parts[0] in _SETTINGS or (parts[0] == "searches" and parts[-1] in _SETTINGS_OF_SEARCH):
        return Group.SETTINGS
    if parts[0] == "documents" and len(parts) > 2:
        return Group.CORPUS  # found both times, in another state
    if parts[0] == "searches" and not _TEXTS_OF_SEARCH.intersection(parts[2:3]):
        return Group.SCORES
    values = (difference.stored, difference.now)
    is_score = parts[0] == "documents" or any(isinstance(v, float) for v in values)
    return Group.SCORES if is_score else Group.TEXTS


def _between(stored: Any, now: Any, place: str) -> Iterator[Difference]:
    if isinstance(stored, dict) and isinstance(now, dict):
        for name in [*stored, *(n for n in now if n not in stored)]:
            if name not in _NOT_COMPARED:
                yield from _between(stored.get(name), now.get(name), f"{place}.{name}")
    elif isinstance(stored, list) and isinstance(now, list):
        yield from _between_lists(stored, now, place)
    elif not _equal(stored, now):
        yield Difference(place, stored, now)


def _between_lists(stored: list[Any], now: list[Any], place: str) -> Iterator[Difference]:
    identity = next((name for name in _IDENTITIES if _identifies(name, stored, now)), "")
    if identity:
        then, today = ({entry[identity]: entry for entry in values} for values in (stored, now))
        for number, name in enumerate(dict.fromkeys([*then, *today])):
            shown = number if identity == "text" else name
            yield from _between(then.get(name), today.get(name), f"{place}.{shown}")
    elif all(isinstance(entry, str) for entry in [*stored, *now]):
        yield from (Difference(place, entry, None) for entry in stored if entry not in now)
        yield from (Difference(place, None, entry) for entry in now if entry not in stored)
        if stored != now and set(stored) == set(now):
            yield Difference(place, stored, now)  # in another order
    else:
        for number in range(max(len(stored), len(now))):
            ours, theirs = (v[number] if number < len(v) else None for v in (stored, now))
            yield from _between(ours, theirs, f"{place}.{number}")


def _identifies(name: str, *lists: Iterable[Any]) -> bool:
    """Tell whether each entry of each list has another value of that name."""
    for values in map(list, lists):
        held = [entry.get(name) for entry in values if isinstance(entry, dict)]
        if len(held) < len(values) or None in held or len(set(map(str, held))) < len(held):
            return False
    return True


def _equal(stored: Any, now: Any) -> bool:
    if isinstance(stored, float) and isinstance(now, float | int):
        return math.isclose(stored, now, rel_tol=0, abs_tol=_ROUNDING)
    if isinstance(now, float) and type(stored) is int:
        return math.isclose(stored, now, rel_tol=0, abs_tol=_ROUNDING)
    return bool(stored == now)


def _in_words(value: Any) -> str:
    """Return a value as `name: value; name: value`, without what is empty; brackets nest."""
    if isinstance(value, dict):
        held = {name: entry for name, entry in value.items() if entry not in _EMPTY}
        return "; ".join(f"{name}: {_in_brackets(entry)}" for name, entry in held.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_in_brackets, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value in _EMPTY else str(value)


def _in_brackets(value: Any) -> str:
    is_nested = isinstance(value, dict) or (isinstance(value, list) and len(value) > 1)
    return f"({_in_words(value)})" if is_nested else _in_words(value)


def _short(value: Any) -> str:
    text = _in_words(value)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]} ..."
