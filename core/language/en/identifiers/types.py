"""Define the kinds of identifiers and their spans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class IdentifierKind(StrEnum):
    """Kinds of identifiers; the value is the text of the placeholder."""

    NAME = "name"
    BIRTH = "date of birth"
    PHONE = "phone"
    EMAIL = "e-mail"
    RECORD = "record number"
    NATIONAL = "national number"
    INSURANCE = "insurance number"
    ADDRESS = "address"


KINDS: tuple[str, ...] = tuple(str(kind) for kind in IdentifierKind)

Span = tuple[int, int]
Recogniser = Callable[[str], Iterator[Span]]

# Matches are masked by as many of these characters, so that offsets stay valid. None is a letter,
# a digit or a blank: no rule matches across them.
WALL = "\x00"  # an identifier
NAMED = "\x01"  # a name: a date next to it is one of birth
HARMLESS = "\x02"  # a dose, a code: no sign of an identifier


@dataclass(frozen=True)
class Identifier:
    """`text[start:end]` seems to identify somebody."""

    kind: IdentifierKind
    start: int
    end: int
