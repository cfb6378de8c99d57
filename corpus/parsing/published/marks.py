"""Private characters that stand in raw text where something needs a look, and what they say.

A reader sets one as it leaves something out; cleaning takes it away with all private characters.
"""

from __future__ import annotations

from collections.abc import Iterable

from corpus.parsing.types import Doubt

FORMULA = "\ue002"  # after a formula
STRUCK = "\ue003"  # where words were struck out or deleted
UNKNOWN_SIGN = "\ue004"  # after a sign that only its own font can show
HIDDEN = "\ue005"  # where something hidden was left out
UNWRITTEN = "\ue006"  # after a number that is shown in another way than it is written here

_DOUBTS = {
    FORMULA: Doubt(
        "formula",
        "A formula is written here on one line; compare it with the source before approving.",
    ),
    STRUCK: Doubt(
        "struck_out",
        "Words that the file strikes out or marks as deleted are left out; compare with the file.",
    ),
    UNKNOWN_SIGN: Doubt(
        "symbols_left_out",
        "A sign that only its own font can show is not in the text; compare it with the file.",
    ),
    HIDDEN: Doubt(
        "hidden_left_out",
        "Text, rows, columns or sheets that the file hides are left out; compare with the file.",
    ),
    UNWRITTEN: Doubt(
        "number_format",
        "A number may be shown otherwise in the file, or was never calculated; compare it.",
    ),
}


def doubts_in(raw: str) -> tuple[Doubt, ...]:
    """Return what the marks in raw text say, each once."""
    return tuple(doubt for mark, doubt in _DOUBTS.items() if mark in raw)


def doubts_beside(raw: str, told: Iterable[Doubt]) -> tuple[Doubt, ...]:
    """Return the doubts of a text that no block of it tells: all of a block was struck out."""
    known = set(told)
    return tuple(doubt for doubt in doubts_in(raw) if doubt not in known)
