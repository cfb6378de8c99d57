"""Kinds of identifiers, and a place where one stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """In the words of the placeholder that takes its place."""

    NAME = "name"
    BIRTH = "date of birth"
    PHONE = "phone"
    EMAIL = "e-mail"
    RECORD = "record number"
    NATIONAL = "national number"
    INSURANCE = "insurance number"
    ADDRESS = "address"


KINDS: tuple[str, ...] = tuple(str(kind) for kind in Kind)

Span = tuple[int, int]
Recogniser = Callable[[str], Iterator[Span]]

# Marks of the same length stand where something was found, so that offsets stay. None is a
# letter, a digit or a blank: no rule reads over them.
WALL = "\x00"  # an identifier
NAMED = "\x01"  # a name: a date beside it is one of birth
HARMLESS = "\x02"  # a dose, a code: what stands beside it is as it was


@dataclass(frozen=True)
class Identifier:
    """`text[start:end]` seems to identify somebody."""

    kind: Kind
    start: int
    end: int
