"""Ask several systems the same queries: rankings at depth, durations as served. Pure."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from bench.runs.configurations import TIMED

SERVED_K = 10  # passages that a served search returns

Entries = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Found:
    """Documents, best first, and deviations from the configuration."""

    entries: Entries
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class System:
    """A search engine: `found` asks it for documents, `served` runs the search a reader waits for.

    Both get the query and the number wanted; the result of `served` is ignored.
    """

    name: str
    about: str
    found: Callable[[str, int], Found]
    served: Callable[[str, int], object]


@dataclass
class Asked:
    """A system's run, the duration of each timed query, and the error that stopped it.

    `notes` has a tuple for each query of the run: the deviations from the configuration.
    """

    name: str
    about: str
    run: dict[str, Entries] = field(default_factory=dict)
    durations_ms: list[float] = field(default_factory=list)
    notes: list[tuple[str, ...]] = field(default_factory=list)
    failure: Exception | None = None  # after which it was asked no more


def by_document(passages: Sequence[tuple[str, float]], owner: Mapping[str, str]) -> Entries:
    """Return each passage's document once, in the order of its best passage."""
    found: dict[str, float] = {}
    for key, score in passages:
        found.setdefault(owner[key], score)
    return tuple(found.items())


def asked(
    systems: Sequence[System],
    queries: Mapping[str, str],
    *,
    depth: int,
    forget: Callable[[], None],
    on_progress: Callable[[int], None] = lambda done: None,
) -> list[Asked]:
    """Ask every system every query, and time the first TIMED queries in a second pass.

    Timed queries run one after another, each by all systems in turn and each time another first, so
    that other load on the machine affects all alike. `forget` is called before each timed search,
    outside its time: every query was asked before, and a cached vector would leave the encoding out
    of the duration. A system that raises is asked no more; the others go on.
    """
    results = [Asked(system.name, system.about) for system in systems]
    for done, (query, text) in enumerate(queries.items(), start=1):
        for system, result in zip(systems, results, strict=True):
            _unless_failed(result, partial(_find, system, result, query, text, depth))
        on_progress(done)
    for turn, text in enumerate(islice(queries.values(), TIMED)):
        for place in range(len(systems)):
            which = (turn + place) % len(systems)
            forget()
            _unless_failed(results[which], partial(_time, systems[which], results[which], text))
    return results


def _find(system: System, result: Asked, query: str, text: str, depth: int) -> None:
    found = system.found(text, depth)
    result.run[query] = found.entries[:depth]
    result.notes.append(found.notes)


def _time(system: System, result: Asked, text: str) -> None:
    started = time.perf_counter()
    system.served(text, SERVED_K)
    result.durations_ms.append((time.perf_counter() - started) * 1000)


def _unless_failed(result: Asked, work: Callable[[], None]) -> None:
    if result.failure is None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the report names it, the others go on
            result.failure = error
