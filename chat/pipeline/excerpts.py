"""What a refusal shows of its nearest passages: the statements that were read as the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chat.reader.lists import with_whole_lists
from chat.reader.types import Reading
from chat.types import Unit
from retrieval.types import Hit

SHOWN = 3  # statements of one passage at most


def excerpts(nearest: Sequence[Hit], reading: Reading) -> Mapping[str, tuple[Unit, ...]]:
    """The best statements of each passage, whole and in the order of reading, by chunk key.

    A passage of which nothing was read has none. One query.
    """
    by_key: dict[str, list[Unit]] = {hit.key: [] for hit in nearest}
    for one in reading.statements:
        found = by_key.get(one.unit.hit.key)
        if found is not None and len(found) < SHOWN:
            found.append(one.unit)
    return {
        key: tuple(sorted(with_whole_lists(units), key=_place))
        for key, units in by_key.items()
        if units
    }


def _place(unit: Unit) -> tuple[int, int]:
    return unit.quotes[0].page, unit.quotes[0].start
