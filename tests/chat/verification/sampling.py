"""Run some cases of a table in every run, the others in `make exhaustive`."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def one_in(
    number: int, cases: Iterable[Any], *, first: int = 0, name: Callable[[Any], str] = str
) -> list[Any]:
    """Return all cases as parameters; one in `number`, from `first` on, is in every run."""
    return [
        pytest.param(
            case, id=name(case), marks=[pytest.mark.exhaustive] if place % number != first else []
        )
        for place, case in enumerate(cases)
    ]
