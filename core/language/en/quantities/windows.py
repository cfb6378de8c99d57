"""Compare when something was taken with the time for which that counts. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.language.en.quantities.measures import DAYS, levelled, measures

_TIME = r"(\d+(?:\.\d+)?\s?(?:minutes?|hours?|hrs?|h|days?|weeks?))"
_AGO = re.compile(rf"{_TIME} (?:ago|since|previously|before)\b")
_WINDOW = re.compile(rf"\bwithin (?:the )?(?:previous|last|past|preceding) {_TIME}")
_MINUTES_A_DAY = 1440.0


def times_ago(question: str) -> tuple[float, ...]:
    """Return the times since what a question tells, in minutes: `apixaban 20 hours ago`."""
    return tuple(_minutes(match[1]) for match in _AGO.finditer(levelled(question)))


def is_in_window(ago: Sequence[float], text: str) -> bool:
    """Tell whether what was taken lies within `the previous 48 hours`; True where none is told."""
    windows = [_minutes(match[1]) for match in _WINDOW.finditer(levelled(text))]
    return not windows or not ago or min(ago) <= max(windows)


def _minutes(text: str) -> float:
    """Return the time that a text begins with, in minutes; 0 for none."""
    found = [each.interval for each in measures(text) if each.interval.unit in ("minute", DAYS)]
    return found[0].high * (_MINUTES_A_DAY if found[0].unit == DAYS else 1.0) if found else 0.0
