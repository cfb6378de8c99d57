"""The word that a number stands behind, where that says what is counted. Pure."""

from __future__ import annotations

import re

_LOOK_CHARS, _LOOK_WORDS = 80, 5
_SKIPPED = frozenset(
    "a an the of is are at by mouth oral orally iv im sc po intravenous intravenously subcutaneous "
    "subcutaneously intramuscular intramuscularly dose doses infusion injection about be was "
    "to".split()
)
# Words that a second number may stand behind as well: they say nothing of what is counted.
_GENERIC = frozenset(
    "about above after added again another around before below between chosen every first "
    "followed given gives least lasts lasting needs other maximum minimum reaches repeat "
    "repeated score second still taken takes their these those total under until usually "
    "where which while within adults adult child children infants patient patients people "
    "women years infuse affects measure increase increased reduce reduced review observe "
    "start started weighing weigh among table including approximately estimated course "
    "courses treat treated treatment over than".split()
)


def subject_of(before: str) -> str:
    """The last word of what stands before a number, routes and the like skipped; or empty."""
    words = re.split(r"[.,;:|()¤]|\d", before[-_LOOK_CHARS:])[-1].split()
    for word in reversed(words[-_LOOK_WORDS:]):
        if word.strip("*†‡§") not in _SKIPPED:
            return word if len(word) > 4 and word.isalpha() and word not in _GENERIC else ""
    return ""
