"""Measures of one item besides those that every run has: the one place to name them. Pure.

A measure is a function of a `MeasuredItem` that returns name -> value, and raises `NotRun` with the
reason where the item has none. What isn't in `ITEM_MEASURES` can't be asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from core.errors import MedragError
from evaluation.question_runs.types import MeasuredItem, NotRun

ItemMeasure = Callable[[MeasuredItem], Mapping[str, float]]

ITEM_MEASURES: dict[str, ItemMeasure] = {}  # name -> function; a run names those that it wants


class UnknownMeasure(MedragError):
    """A measure is asked for that there is none of."""

    def __init__(self, name: str) -> None:
        known = ", ".join(ITEM_MEASURES) or "none"
        super().__init__(f"There is no measure {name}. Known: {known}.")


def refuse_unknown(names: Iterable[str]) -> None:
    """Raises UnknownMeasure."""
    for name in names:
        if name not in ITEM_MEASURES:
            raise UnknownMeasure(name)


def item_measured(
    item: MeasuredItem, names: Iterable[str]
) -> tuple[dict[str, float], dict[str, str]]:
    """Values by measure, and of each that has none why. A number that is none is never a value."""
    values: dict[str, float] = {}
    not_run: dict[str, str] = {}
    for name in names:
        try:
            found = ITEM_MEASURES[name](item)
        except NotRun as why:
            not_run[name] = str(why)
            continue
        except Exception as error:  # noqa: BLE001 - one measure must not cost the answer
            not_run[name] = f"it failed with {type(error).__name__}"
            continue
        for measure, value in found.items():
            if math.isfinite(value):
                values[measure] = float(value)
            else:
                not_run[measure] = "it gave no number"
    return values, not_run
