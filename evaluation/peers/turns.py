"""Systems side by side over the same queries: quality at depth, durations as served. Pure."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

SERVED_K = 10  # passages of a search as it is served
TIMED = 200  # queries that are timed
PASSAGES_PER_DOCUMENT = 2  # a document may have many passages: so many are asked for

Entries = tuple[tuple[str, float], ...]
Search = Callable[[str, int], Entries]  # query and k to documents or passages, best first


@dataclass(frozen=True)
class System:
    """`found` asks for documents, `served` is the same search as a reader would wait for it."""

    name: str
    about: str
    found: Search
    served: Search


@dataclass
class Asked:
    """The run of a system, and what each of the timed queries took."""

    name: str
    about: str
    run: dict[str, Entries] = field(default_factory=dict)
    durations_ms: list[float] = field(default_factory=list)


def by_document(passages: Sequence[tuple[str, float]], owner: Mapping[str, str]) -> Entries:
    """The documents of these passages by their best one, each once, in order."""
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
    """Ask every query of every system, and the first TIMED once more with a clock.

    The clock runs over one query after another, each by all systems in turn and each time another
    first, so that what else the machine does hits all alike. `forget` is called before each timed
    search, outside its time: every query was asked before, and a vector that is remembered would
    leave the encoding out of the durations.
    """
    results = [Asked(system.name, system.about) for system in systems]
    for done, (query, text) in enumerate(queries.items(), start=1):
        for system, result in zip(systems, results, strict=True):
            result.run[query] = system.found(text, depth)[:depth]
        on_progress(done)
    for turn, text in enumerate(islice(queries.values(), TIMED)):
        for place in range(len(systems)):
            which = (turn + place) % len(systems)
            forget()
            started = time.perf_counter()
            systems[which].served(text, SERVED_K)
            results[which].durations_ms.append((time.perf_counter() - started) * 1000)
    return results
