"""Read the tables of short forms and of classes of medicines. Pure.

`ward_words.tsv` has one row for each meaning of a form: what is typed, its words, what it is, how
it is written, and the words beside which an ambiguous form has this meaning (`stem*` for all that
begin so). A row without such words holds where none of the others does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_BESIDE = ","


@dataclass(frozen=True)
class WardWord:
    """One meaning of a form. `kind`: abbreviation, lay, name or class; `case`: any or exact."""

    short: str
    words: str
    kind: str
    case: str
    beside: tuple[str, ...] = ()


def ward_words() -> tuple[WardWord, ...]:
    """Return the rows of the table, in its order."""
    return tuple(
        WardWord(short, words, kind, case, beside_of(beside))
        for short, words, kind, case, beside in _rows("ward_words.tsv")
    )


@lru_cache(maxsize=1)
def members_of_classes() -> dict[str, tuple[str, ...]]:
    """Return the members of each class of medicines, by its short form or name in lower case."""
    return {
        name.casefold(): tuple(each.strip() for each in members.split(","))
        for name, members in _rows("medicine_classes.tsv")
    }


def beside_of(text: str) -> tuple[str, ...]:
    """Return the words that a cell names, in lower case."""
    return tuple(filter(None, (word.strip().casefold() for word in text.split(_BESIDE))))


def is_beside(beside: Iterable[str], word: str) -> bool:
    """Tell whether a word in lower case is one of those; `stem*` is any that begins so."""
    return any(
        word.startswith(known[:-1]) if known.endswith("*") else word == known for known in beside
    )


def _rows(name: str) -> list[list[str]]:
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]
